//! The program ends at each step of a booking, a move and a cancellation over real HTTP, and starts again.
//!
//! A step is a place before a call of the client, a place on the way of a request, or a place behind the answer of a call. What comes
//! between two transactions of our own tables is judged in `balcao-app`, over a service in memory (`remote_calendar/crashes.rs`).

use std::fmt::Write as _;
use std::path::Path;

use balcao_testkit::fakes::google::ProgramEnd;
use jiff::SignedDuration;

use crate::desk::{Act, Desk, Founded, Shown, TEAM};
use crate::interrupted::Side;
use crate::world::instant;

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

/// Runs the act until it is done or the program ends; returns whether the program ended at the step.
async fn run_until(desk: &Desk, act: Act, step: Step) -> bool {
    let end = if let Step::AtCall(call, side) = step { Some((call, side)) } else { None };
    let program = desk.start(end);
    if let Step::AtRequest(request, how) = step {
        desk.google.end_program_at(request, how);
    }
    tokio::select! {
        answer = act.run(&program) => {
            assert_eq!(answer, act.answer());
            step == Step::BeforeItAnswers
        }
        () = desk.google.program_ended() => true,
        () = program.plan.program_ended() => true,
    }
}

/// Ends the program at a step and starts it again; returns what stands in the end.
async fn end_at(founded: &Founded, act: Act, step: Step, afterwards: Afterwards) -> Vec<Shown> {
    let story = format!("{act:?}, {step:?}, {afterwards:?}");
    let desk = Desk::prepare(founded, act).await;
    assert!(run_until(&desk, act, step).await, "{story}: the act has fewer steps");
    let program = desk.start(None);
    desk.clock.advance(SignedDuration::from_secs(5));
    if afterwards == Afterwards::CameBack {
        // As long as the push of the program that ended holds the event, nothing confirms a booking or a move.
        let first = act.try_run(&program).await.ok();
        assert!(
            first.as_deref() == Some(act.answer()) || (act != Act::Cancel && first.is_none()),
            "{story}: {first:?}"
        );
        assert_eq!(act.run(&program).await, act.answer(), "{story}");
        desk.google.deliver_late();
        assert_eq!(act.run(&program).await, act.answer(), "{story}: once more");
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
        let done: Vec<_> = act.done().into_iter().map(|(calendar, start)| (calendar, instant(start))).collect();
        assert_eq!(shown, done, "{story}");
    }
    events
}

/// The steps of an act, each with its name. A whole run counts the calls and tells the requests.
async fn steps_of(founded: &Founded, act: Act) -> Vec<(String, Step)> {
    let desk = Desk::prepare(founded, act).await;
    let (program, before) = (desk.start(None), desk.google.asked().len());
    assert_eq!(act.run(&program).await, act.answer());
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

fn told(events: &[Shown]) -> String {
    let one = |(calendar, _, start): &Shown| {
        let who = TEAM.iter().find(|(_, known)| known == calendar).unwrap().0;
        format!("{who} {}", start.in_tz("America/Sao_Paulo").unwrap().strftime("%H:%M"))
    };
    if events.is_empty() { "no event".to_owned() } else { events.iter().map(one).collect::<Vec<_>>().join(", ") }
}

/// Ends the program at every step of an act; returns the matrix of what stands in the end.
async fn end_at_every_step(act: Act) -> String {
    let mut matrix = format!(
        "{:<9} {:<38} {:<18} {:<18} {}\n",
        "act", "the program ended", "came back", "stayed away", "and read first"
    );
    let founded = Founded::new().await;
    let steps = Box::pin(steps_of(&founded, act)).await;
    assert!(steps.len() > 10, "{act:?} calls the service");
    for (name, step) in steps {
        let back = told(&Box::pin(end_at(&founded, act, step, Afterwards::CameBack)).await);
        let away = told(&Box::pin(end_at(&founded, act, step, Afterwards::StayedAway)).await);
        let read = told(&Box::pin(end_at(&founded, act, step, Afterwards::ReadFirst)).await);
        writeln!(matrix, "{:<9} {name:<38} {back:<18} {away:<18} {read}", format!("{act:?}")).unwrap();
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
    check_page("A booking", &Box::pin(end_at_every_step(Act::Book)).await);
}

#[tokio::test]
async fn move_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A move", &Box::pin(end_at_every_step(Act::Move)).await);
}

#[tokio::test]
async fn change_of_professional_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A move to another professional", &Box::pin(end_at_every_step(Act::HandOver)).await);
}

#[tokio::test]
async fn cancellation_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    check_page("A cancellation", &Box::pin(end_at_every_step(Act::Cancel)).await);
}
