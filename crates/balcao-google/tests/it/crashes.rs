//! The program ends at each step of a booking, a move and a cancellation over real HTTP, and starts again.
//!
//! A step is a place before a call of the client, a place on the way of a request, or a place behind the answer of a call. What comes
//! between two transactions of our own tables is judged in `balcao-app`, over a service in memory (`remote_calendar/crashes.rs`).

use std::fmt::Write as _;
use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::context::calendar_service::CalendarService as _;
use balcao_app::scheduling::booking::{
    BookRequest, Booking, ProfessionalChoice, RescheduleRequest, Rescheduled, ServiceChoice,
};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_domain::{AppointmentStatus, ContactId, Currency, ManualClock, OrganizationId, Phone, ProfessionalId};
use balcao_google::{Addresses, GoogleCalendar};
use balcao_store::crm::contact;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::{appointment, calendar_conflict, calendar_event, catalog};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError, Tx};
use balcao_testkit::contract::calendar::{BUSINESS, NOW};
use balcao_testkit::fakes::google::{FakeGoogle, ProgramEnd};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};

use crate::interrupted::{CallPlan, Interrupted, Side};
use crate::world::{BIA, Known, RAFA, SCOPES, grant, instant, limits, span};

const DATABASE: &str = "balcao.db";
const DAY: Date = date(2026, 11, 24);
/// The professionals, by name, and their calendars.
const TEAM: [(&str, &str); 2] = [("Ana Prado", RAFA), ("Caio Reis", BIA)];

/// A business with two professionals who have a calendar each, in a file that outlives the program.
struct Desk {
    folder: tempfile::TempDir,
    google: FakeGoogle,
    known: Arc<Known>,
    clock: Arc<ManualClock>,
    organization: OrganizationId,
    ana: ContactId,
}

/// The database of a [`Desk`] before anything happened.
struct Founded {
    folder: tempfile::TempDir,
    organization: OrganizationId,
    ana: ContactId,
}

/// The program between a start and its end.
struct Program {
    app: AppContext,
    plan: Arc<CallPlan>,
    organization: OrganizationId,
    ana: ContactId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Book,
    /// To another time of the same professional.
    Move,
    /// To another professional, whose events are in another calendar.
    HandOver,
    Cancel,
}

/// Where the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    AtCall(usize, Side),
    AtRequest(usize, ProgramEnd),
    /// All is done, and nobody got the answer.
    BeforeItAnswers,
}

/// Whether the turn goes on after the next start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    CameBack,
    StayedAway,
}

/// An event of ours, or the event that an appointment is to have: calendar, appointment, start.
type Shown = (String, i64, Timestamp);

fn key(name: &str) -> EffectKey {
    EffectKey { key: name.to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() }
}

/// The business of the contract, with a second professional.
fn business() -> String {
    let ana = BUSINESS.lines().find(|line| line.contains("Ana Prado")).unwrap();
    BUSINESS.replace(ana, &format!("{ana}\n{}", ana.replace("Ana Prado", "Caio Reis")))
}

fn client(google: &FakeGoogle, known: &Arc<Known>, clock: &Arc<ManualClock>) -> GoogleCalendar {
    let addresses = Addresses::under(&google.url()).unwrap();
    GoogleCalendar::new(addresses, limits(), Arc::<Known>::clone(known), Arc::<ManualClock>::clone(clock)).unwrap()
}

impl Act {
    /// The act, and what the customer is told of it.
    async fn run(self, program: &Program) -> String {
        let booking = Booking::new(program.app.clone());
        let (organization, ana) = (program.organization, program.ana);
        let reschedule = async |request| -> Rescheduled {
            booking.reschedule(organization, ana, key("act"), request).await.unwrap().value.unwrap()
        };
        let told = |moved: Rescheduled| format!("{} {}", moved.old.start, moved.new.appointment.start);
        match self {
            Self::Book => {
                let booked =
                    booking.book(organization, ana, key("act"), request(10 * 60)).await.unwrap().value.unwrap();
                format!("{} {}", booked.appointment.start, booked.appointment.status)
            }
            Self::Move => told(reschedule(to(15 * 60, None)).await),
            Self::HandOver => told(reschedule(to(15 * 60, Some("Caio Reis"))).await),
            Self::Cancel => {
                let cancelled = booking.cancel(organization, ana, key("act"), None).await.unwrap();
                cancelled.value.unwrap().status.to_string()
            }
        }
    }

    const fn answer(self) -> &'static str {
        match self {
            Self::Book => "10:00 confirmed",
            Self::Move | Self::HandOver => "10:00 15:00",
            Self::Cancel => "cancelled",
        }
    }

    /// What stands once the act is done: how many events, in which calendar, at which hour of the day in UTC.
    const fn done(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Book => Some((RAFA, "2026-11-24T13:00:00Z")),
            Self::Move => Some((RAFA, "2026-11-24T18:00:00Z")),
            Self::HandOver => Some((BIA, "2026-11-24T18:00:00Z")),
            Self::Cancel => None,
        }
    }
}

fn request(start_min: u16) -> BookRequest {
    BookRequest {
        professional: Some(ProfessionalChoice::Name("Ana Prado".to_owned())),
        service: Some(ServiceChoice::Name("corte".to_owned())),
        date: DAY,
        start_min,
        attendee: None,
        pending: false,
        source: "agent".to_owned(),
        price_agreed: true,
    }
}

fn to(start_min: u16, professional: Option<&str>) -> RescheduleRequest {
    RescheduleRequest {
        appointment: None,
        date: DAY,
        start_min,
        professional: professional.map(str::to_owned),
        service: None,
        source: "agent".to_owned(),
        price_agreed: true,
    }
}

fn calendar_of(tx: &mut Tx<'_>, organization: OrganizationId, who: ProfessionalId) -> Result<String, StoreError> {
    let name = catalog::professional_names(tx, organization)?.remove(&who).unwrap();
    Ok(TEAM.iter().find(|(known, _)| *known == name).unwrap().1.to_owned())
}

impl Founded {
    async fn new() -> Self {
        let (folder, now) = (tempfile::tempdir().unwrap(), instant(NOW));
        let store = Store::open(&folder.path().join(DATABASE), OpenOptions::default()).unwrap();
        store.migrate().await.unwrap();
        let imported = BusinessFile::read("contract", &business()).unwrap().import(&store, now).await.unwrap();
        let organization = imported.organization;
        let link = move |tx: &mut Tx<'_>| {
            for professional in catalog::professional_names(tx, organization)?.into_keys() {
                let calendar = calendar_of(tx, organization, professional)?;
                let link = CalendarLink { professional, calendar, access: LinkAccess::Write };
                calendar_link::link(tx, organization, &link, now)?;
            }
            let phone = Phone::parse("31 99640-1177").unwrap();
            Ok::<_, StoreError>(contact::find_by_phone(tx, organization, &phone)?.unwrap().id)
        };
        let ana = store.write(link).await.unwrap();
        Self { folder, organization, ana }
    }
}

impl Desk {
    /// Before `act`: linked, read, and booked at ten, unless the act is the booking.
    async fn prepare(founded: &Founded, act: Act) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(founded.folder.path()).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let (organization, ana) = (founded.organization, founded.ana);
        let clock = Arc::new(ManualClock::at(instant(NOW)));
        let google = FakeGoogle::start(Arc::<ManualClock>::clone(&clock)).unwrap();
        for (_, calendar) in TEAM {
            google.add_calendar(calendar, "America/Sao_Paulo", "owner").unwrap();
        }
        let known = Arc::new(Known::default());
        *known.credential.lock().unwrap() = Some(grant(google.grant(&SCOPES)));
        let desk = Self { folder, google, known, clock, organization, ana };
        let program = desk.start(None);
        if act == Act::Book {
            program.settle().await;
        } else {
            let booking = Booking::new(program.app.clone());
            let booked = booking.book(organization, ana, key("before"), request(10 * 60)).await.unwrap();
            assert_eq!(booked.value.unwrap().appointment.start, "10:00");
        }
        desk
    }

    /// Starts the program, which has no access token yet. It ends at the call `end`, if that comes.
    fn start(&self, end: Option<(usize, Side)>) -> Program {
        let store = Store::open(&self.folder.path().join(DATABASE), OpenOptions::default()).unwrap();
        let plan = CallPlan::new(end);
        let service = Interrupted { client: client(&self.google, &self.known, &self.clock), plan: Arc::clone(&plan) };
        let app = AppContext::new(store, self.clock.clone()).with_remote_calendar(Some(Arc::new(service)));
        Program { app, plan, organization: self.organization, ana: self.ana }
    }

    /// The program works off what is due, half an hour and an hour later, and late requests arrive in between.
    async fn settle_later(&self, program: &Program) {
        for _round in 0..2 {
            self.clock.advance(SignedDuration::from_mins(30));
            program.settle().await;
            self.google.deliver_late();
        }
        self.clock.advance(SignedDuration::from_mins(30));
        program.settle().await;
    }

    /// Our events, as the service shows them to others.
    async fn events(&self) -> Vec<Shown> {
        let judge = client(&self.google, &self.known, &self.clock);
        let (mut shown, always) = (Vec::new(), span("2026-11-01T00:00:00Z", "2026-12-31T00:00:00Z"));
        for (_, calendar) in TEAM {
            let found = judge.overlapping(self.organization, calendar, always).await.unwrap();
            shown.extend(found.into_iter().map(|event| {
                let start = event.time.unwrap().span(&jiff::tz::TimeZone::UTC).unwrap().start;
                (calendar.to_owned(), event.mark.unwrap().appointment, start)
            }));
        }
        shown.sort();
        shown
    }
}

impl Program {
    async fn settle(&self) {
        Booking::new(self.app.clone()).expire_pending(self.organization).await.unwrap();
        let work = CalendarWork::new(self.app.clone());
        work.push_due(self.organization).await.unwrap();
        work.read_due(self.organization).await.unwrap();
        work.push_due(self.organization).await.unwrap();
    }

    /// The events that our tables want, and how many conflicts and pushes are open.
    async fn wanted(&self) -> (Vec<Shown>, usize, u32) {
        let organization = self.organization;
        let read = move |tx: &mut Tx<'_>| {
            let (from, until) = (Timestamp::MIN, Timestamp::MAX);
            let all = appointment::starting_between(tx, organization, from, until, Currency::BRL)?;
            let mut wanted = Vec::new();
            for one in all.into_iter().filter(|one| one.status != AppointmentStatus::Cancelled) {
                assert_eq!(one.status, AppointmentStatus::Confirmed);
                wanted.push((calendar_of(tx, organization, one.professional)?, one.id.into(), one.span.start));
            }
            wanted.sort();
            let conflicts = calendar_conflict::list_open(tx, organization, 9)?.len();
            Ok::<_, StoreError>((wanted, conflicts, calendar_event::count_waiting(tx, organization)?.0))
        };
        self.app.store.read(read).await.unwrap()
    }
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
        assert_eq!(act.run(&program).await, act.answer(), "{story}");
        desk.google.deliver_late();
        assert_eq!(act.run(&program).await, act.answer(), "{story}: once more");
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

async fn end_at_every_step(act: Act) {
    let mut matrix = format!("{:<9} {:<38} {:<18} {}\n", "act", "the program ended", "came back", "stayed away");
    let founded = Founded::new().await;
    let steps = Box::pin(steps_of(&founded, act)).await;
    assert!(steps.len() > 10, "{act:?} calls the service");
    for (name, step) in steps {
        let back = told(&Box::pin(end_at(&founded, act, step, Afterwards::CameBack)).await);
        let away = told(&Box::pin(end_at(&founded, act, step, Afterwards::StayedAway)).await);
        writeln!(matrix, "{:<9} {name:<38} {back:<18} {away}", format!("{act:?}")).unwrap();
    }
    eprintln!("{matrix}");
}

#[tokio::test]
async fn booking_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Book)).await;
}

#[tokio::test]
async fn move_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Move)).await;
}

#[tokio::test]
async fn change_of_professional_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::HandOver)).await;
}

#[tokio::test]
async fn cancellation_that_is_cut_off_at_any_request_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Cancel)).await;
}
