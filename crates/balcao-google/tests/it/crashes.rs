//! The program ends at each step of a booking, a move and a cancellation over real HTTP, also of one that is taken back, and starts again.
//!
//! A step is a place before a call of the client, a place on the way of a request, or a place behind the answer of a call. What comes
//! between two transactions of our own tables is judged in `balcao-app`, over a service in memory (`remote_calendar/crashes.rs`).

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use balcao_testkit::fakes::google::{Call, Fault, ProgramEnd};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::desk::{Act, Desk, Founded, Program, TAKEN, TEAM};
use crate::interrupted::Side;
use crate::world::{BIA, RAFA, instant};

/// Where the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    AtCall(usize, Side),
    AtRequest(usize, ProgramEnd),
    /// All is done, and the answer is lost.
    BeforeItAnswers,
}

/// Whether the turn goes on after the next start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    CameBack,
    StayedAway,
    /// The turn does not go on, and the calendars are read before anything that waits is written.
    ReadFirst,
}

/// What is in the way of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    Nothing,
    /// Before our write, a person has an event at its time that was made earlier.
    Rival,
    /// The write is done, and the service does not say what is at its time.
    NoAnswer,
}

/// An act with what is in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Case {
    act: Act,
    obstacle: Obstacle,
    name: &'static str,
}

impl Case {
    const fn plain(act: Act, name: &'static str) -> Self {
        Self { act, obstacle: Obstacle::Nothing, name }
    }

    /// The calendar in which the act wants its time.
    fn calendar(self) -> &'static str {
        if self.act == Act::HandOver { BIA } else { RAFA }
    }

    /// Lets it come in the way of a program.
    fn hinder(self, desk: &Desk, program: &Program) {
        let hour = if self.act == Act::Book { "10" } else { "15" };
        let readings = if self.act == Act::Move { 1 } else { 2 };
        match self.obstacle {
            Obstacle::Nothing => {}
            Obstacle::Rival => {
                let at = |minute: &str| json!({ "dateTime": format!("2026-11-24T{hour}:{minute}:00-03:00") });
                let theirs =
                    json!({ "id": "dentist", "created": "2026-11-23T10:00:00Z", "start": at("00"), "end": at("30") });
                let (hands, calendar) = (Arc::clone(&desk.google), self.calendar());
                program.plan.before(readings, move || hands.put_event(calendar, theirs));
            }
            Obstacle::NoAnswer => {
                let fault = || Fault::refuse(503, "backendError");
                desk.google.fail_later(Call::List, readings, fault());
                (0..3).for_each(|_| desk.google.fail(Call::List, fault()));
            }
        }
    }

    /// The answer of the first run; `None` if it is an error.
    const fn first_answer(self) -> Option<&'static str> {
        match self.obstacle {
            Obstacle::Nothing => Some(self.act.answer()),
            Obstacle::Rival => Some(TAKEN),
            Obstacle::NoAnswer => None,
        }
    }

    /// The answer of a later run.
    const fn answer(self) -> &'static str {
        match self.obstacle {
            Obstacle::Nothing | Obstacle::NoAnswer => self.act.answer(),
            Obstacle::Rival => TAKEN,
        }
    }

    /// What stands once a later run has its answer.
    const fn done(self) -> Option<(&'static str, &'static str)> {
        match (self.obstacle, self.act) {
            (Obstacle::Rival, Act::Book) => None,
            (Obstacle::Rival, _) => Some((RAFA, "2026-11-24T13:00:00Z")),
            (Obstacle::Nothing | Obstacle::NoAnswer, act) => act.done(),
        }
    }
}

/// Runs the act until it is done or the program ends; returns whether the program ended at the step.
async fn run_until(desk: &Desk, case: Case, step: Step) -> bool {
    let end = if let Step::AtCall(call, side) = step { Some((call, side)) } else { None };
    let program = desk.start(end);
    case.hinder(desk, &program);
    if let Step::AtRequest(request, how) = step {
        desk.google.end_program_at(request, how);
    }
    let has_ended = tokio::select! {
        answer = case.act.try_run(&program) => {
            assert_eq!(answer.ok().as_deref(), case.first_answer());
            step == Step::BeforeItAnswers
        }
        () = desk.google.program_ended() => true,
        () = program.plan.program_ended() => true,
    };
    program.plan.do_meanwhile();
    desk.google.clear_faults();
    has_ended
}

/// Ends the program at a step and starts it again; returns what stands in the end.
async fn end_at(founded: &Founded, case: Case, step: Step, afterwards: Afterwards) -> String {
    let story = format!("{}, {step:?}, {afterwards:?}", case.name);
    let act = case.act;
    let desk = Desk::prepare(founded, act).await;
    assert!(run_until(&desk, case, step).await, "{story}: the act has fewer steps");
    let program = desk.start(None);
    desk.clock.advance(SignedDuration::from_secs(5));
    if afterwards == Afterwards::CameBack {
        // As long as the push of the program that ended holds the event, nothing confirms a booking or a move.
        let first = act.try_run(&program).await.ok();
        assert!(
            first.as_deref() == Some(case.answer()) || (act != Act::Cancel && first.is_none()),
            "{story}: {first:?}"
        );
        assert_eq!(act.run(&program).await, case.answer(), "{story}");
        desk.google.deliver_late();
        assert_eq!(act.run(&program).await, case.answer(), "{story}: once more");
    }
    if afterwards == Afterwards::ReadFirst {
        desk.clock.advance(SignedDuration::from_mins(3));
        program.read_all().await;
    }
    desk.settle_later(&program).await;
    let events = desk.events().await;
    assert_eq!((events.clone(), 0, 0), program.wanted().await, "{story}: events, conflicts, pushes");
    if afterwards == Afterwards::CameBack {
        let shown: Vec<_> = events.iter().map(|(calendar, _, start)| (calendar.as_str(), *start)).collect();
        let done: Vec<_> = case.done().into_iter().map(|(calendar, start)| (calendar, instant(start))).collect();
        assert_eq!(shown, done, "{story}");
    }
    told(&desk.all_events().await)
}

/// The steps of an act, each with its name. A whole run counts the calls and tells the requests.
async fn steps_of(founded: &Founded, case: Case) -> Vec<(String, Step)> {
    let desk = Desk::prepare(founded, case.act).await;
    let (program, before) = (desk.start(None), desk.google.asked().len());
    case.hinder(&desk, &program);
    assert_eq!(case.act.try_run(&program).await.ok().as_deref(), case.first_answer());
    let mut steps = Vec::new();
    for call in 0..program.plan.made() {
        steps.push((format!("call {}: not sent", call + 1), Step::AtCall(call, Side::Before)));
        steps.push((format!("call {}: answer not recorded", call + 1), Step::AtCall(call, Side::After)));
    }
    for (number, asked) in desk.google.asked().iter().skip(before).enumerate() {
        let name = format!("{} {}", asked.method, shape(&asked.target));
        for end in [ProgramEnd::RequestLost, ProgramEnd::RequestLate, ProgramEnd::AnswerUnread] {
            steps.push((format!("{name}: {end:?}"), Step::AtRequest(number, end)));
        }
    }
    steps.push(("done: nobody was told".to_owned(), Step::BeforeItAnswers));
    steps
}

/// What a request is for: its path without the ids in it.
fn shape(target: &str) -> String {
    let path = target.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_start_matches("/calendar/v3").split('/').skip(1).collect();
    match parts.as_slice() {
        ["calendars", _, "events", _, rest @ ..] => [&["events", "…"], rest].concat().join("/"),
        ["calendars", _, rest @ ..] => rest.join("/"),
        other => other.join("/"),
    }
}

/// What the calendars show: the visits, and the event of another person that was there first.
fn told(events: &[(String, Option<i64>, Timestamp)]) -> String {
    let one = |(calendar, ours, start): &(String, Option<i64>, Timestamp)| {
        let who = TEAM.iter().find(|(_, known)| known == calendar).unwrap().0;
        let theirs = if ours.is_some() { "" } else { " (theirs)" };
        format!("{who} {}{theirs}", start.in_tz("America/Sao_Paulo").unwrap().strftime("%H:%M"))
    };
    if events.is_empty() { "no event".to_owned() } else { events.iter().map(one).collect::<Vec<_>>().join(", ") }
}

/// Characters of a column that says what stands.
const WIDTH: usize = 41;

/// Ends the program at every step of an act; returns the matrix of what stands in the end.
async fn end_at_every_step(case: Case) -> String {
    let mut matrix = format!(
        "{:<12} {:<38} {:<WIDTH$} {:<WIDTH$} {}\n",
        "act", "the program ended", "came back", "stayed away", "and read first"
    );
    let founded = Founded::new().await;
    let steps = Box::pin(steps_of(&founded, case)).await;
    assert!(steps.len() > 10, "{} calls the service", case.name);
    for (name, step) in steps {
        let back = Box::pin(end_at(&founded, case, step, Afterwards::CameBack)).await;
        let away = Box::pin(end_at(&founded, case, step, Afterwards::StayedAway)).await;
        let read = Box::pin(end_at(&founded, case, step, Afterwards::ReadFirst)).await;
        writeln!(matrix, "{:<12} {name:<38} {back:<WIDTH$} {away:<WIDTH$} {read}", case.name).unwrap();
    }
    matrix
}

/// Compares a matrix with its section of the page that readers see.
fn check_page(section: &str, matrix: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/CALENDAR-CRASHES.md");
    let page = std::fs::read_to_string(&place).unwrap();
    let head = format!("## {section}\n\n```text\n");
    let (before, rest) = page.split_once(&head).unwrap();
    let (kept, after) = rest.split_once("```").unwrap();
    if std::env::var_os("BALCAO_WRITE_CRASHES").is_some() {
        std::fs::write(&place, format!("{before}{head}{matrix}```{after}")).unwrap();
    } else {
        assert_eq!(
            kept, matrix,
            "docs/CALENDAR-CRASHES.md is not up to date: run `BALCAO_WRITE_CRASHES=1 cargo test -p balcao-google --test it crashes -- \
             --test-threads 1`"
        );
    }
}

#[tokio::test]
async fn booking_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A booking", &Box::pin(end_at_every_step(Case::plain(Act::Book, "Book"))).await);
}

#[tokio::test]
async fn move_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A move", &Box::pin(end_at_every_step(Case::plain(Act::Move, "Move"))).await);
}

#[tokio::test]
async fn change_of_professional_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    let matrix = Box::pin(end_at_every_step(Case::plain(Act::HandOver, "HandOver"))).await;
    check_page("A move to another professional", &matrix);
}

#[tokio::test]
async fn cancellation_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A cancellation", &Box::pin(end_at_every_step(Case::plain(Act::Cancel, "Cancel"))).await);
}

#[tokio::test]
async fn booking_that_gives_way_and_is_cut_off_at_any_request_leaves_no_event() {
    let case = Case { act: Act::Book, obstacle: Obstacle::Rival, name: "GiveWay" };
    check_page("A booking that gives way", &Box::pin(end_at_every_step(case)).await);
}

#[tokio::test]
async fn move_that_is_taken_back_and_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    let case = Case { act: Act::Move, obstacle: Obstacle::Rival, name: "TakeBack" };
    check_page("A move that is taken back", &Box::pin(end_at_every_step(case)).await);
}

#[tokio::test]
async fn change_of_professional_that_is_taken_back_and_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double()
{
    let case = Case { act: Act::HandOver, obstacle: Obstacle::Rival, name: "HandBack" };
    check_page("A move to another professional that is taken back", &Box::pin(end_at_every_step(case)).await);
}

#[tokio::test]
async fn unsure_booking_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    let case = Case { act: Act::Book, obstacle: Obstacle::NoAnswer, name: "Unsure" };
    check_page("A booking that stays unsure", &Box::pin(end_at_every_step(case)).await);
}

#[tokio::test]
async fn unsure_move_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    let case = Case { act: Act::Move, obstacle: Obstacle::NoAnswer, name: "UnsureMove" };
    check_page("A move that stays unsure", &Box::pin(end_at_every_step(case)).await);
}
