//! A business with two professionals whose calendars are in the fake, in a file that outlives the program, and what customers do there.

use std::sync::Arc;

use balcao_app::admin::seed::BusinessFile;
use balcao_app::context::calendar_service::CalendarService as _;
use balcao_app::scheduling::booking::{
    BookRequest, Booking, BookingRefusal, ProfessionalChoice, RescheduleRequest, ServiceChoice,
};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_app::{AppContext, UseCaseError};
use balcao_domain::{AppointmentStatus, ContactId, Currency, ManualClock, OrganizationId, Phone, ProfessionalId};
use balcao_google::{Addresses, GoogleCalendar};
use balcao_store::crm::contact;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::{appointment, calendar_conflict, calendar_event, catalog};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError, Tx};
use balcao_testkit::contract::calendar::{BUSINESS, NOW};
use balcao_testkit::fakes::google::FakeGoogle;
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};

use crate::interrupted::{CallPlan, Interrupted, Side};
use crate::world::{BIA, Known, RAFA, SCOPES, grant, instant, limits, span};

pub(crate) const DATABASE: &str = "balcao.db";
pub(crate) const DAY: Date = date(2026, 11, 24);
/// The answer to a customer whose time another event has.
pub(crate) const TAKEN: &str = "taken";
/// The professionals, by name, and their calendars.
pub(crate) const TEAM: [(&str, &str); 2] = [("Ana Prado", RAFA), ("Caio Reis", BIA)];

/// A business with two professionals who have a calendar each, in a file that outlives the program.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) google: Arc<FakeGoogle>,
    pub(crate) known: Arc<Known>,
    /// A client that only looks.
    judge: GoogleCalendar,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) organization: OrganizationId,
    pub(crate) ana: ContactId,
    pub(crate) bia: ContactId,
}

/// The database of a [`Desk`] before anything happened.
pub(crate) struct Founded {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) organization: OrganizationId,
    pub(crate) ana: ContactId,
    pub(crate) bia: ContactId,
}

/// The program between a start and its end.
pub(crate) struct Program {
    pub(crate) app: AppContext,
    pub(crate) plan: Arc<CallPlan>,
    pub(crate) organization: OrganizationId,
    pub(crate) ana: ContactId,
}

/// What a customer wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Book,
    /// To another time of the same professional.
    Move,
    /// To another professional, whose events are in another calendar.
    HandOver,
    Cancel,
}

/// An event of ours, or the event that an appointment is to have: calendar, appointment, start.
pub(crate) type Shown = (String, i64, Timestamp);

/// A folder in memory where the system has one. Hundreds of databases are made here, and no test cuts the power, so none has to reach a disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_none| tempfile::tempdir()).unwrap()
}

pub(crate) fn key(name: &str) -> EffectKey {
    EffectKey { key: name.to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() }
}

/// The business of the contract, with a second professional.
pub(crate) fn business() -> String {
    let ana = BUSINESS.lines().find(|line| line.contains("Ana Prado")).unwrap();
    BUSINESS.replace(ana, &format!("{ana}\n{}", ana.replace("Ana Prado", "Caio Reis")))
}

pub(crate) fn client(google: &FakeGoogle, known: &Arc<Known>, clock: &Arc<ManualClock>) -> GoogleCalendar {
    let addresses = Addresses::under(&google.url()).unwrap();
    GoogleCalendar::new(addresses, limits(), Arc::<Known>::clone(known), Arc::<ManualClock>::clone(clock)).unwrap()
}

impl Act {
    /// The act, and its answer to the customer.
    pub(crate) async fn run(self, program: &Program) -> String {
        self.try_run(program).await.unwrap()
    }

    /// As [`Self::run`]; an error if the calendar service was needed and failed.
    pub(crate) async fn try_run(self, program: &Program) -> Result<String, UseCaseError> {
        let booking = Booking::new(program.app.clone());
        let (organization, ana) = (program.organization, program.ana);
        let reschedule = async |request| {
            let moved = booking.reschedule(organization, ana, key("act"), request).await?.value;
            Ok(say(moved, |moved| format!("{} {}", moved.old.start, moved.new.appointment.start)))
        };
        match self {
            Self::Book => {
                let booked = booking.book(organization, ana, key("act"), request(10 * 60)).await?.value;
                Ok(say(booked, |booked| format!("{} {}", booked.appointment.start, booked.appointment.status)))
            }
            Self::Move => reschedule(to(15 * 60, None)).await,
            Self::HandOver => reschedule(to(15 * 60, Some("Caio Reis"))).await,
            Self::Cancel => {
                let cancelled = booking.cancel(organization, ana, key("act"), None).await?;
                Ok(cancelled.value.unwrap().status.to_string())
            }
        }
    }

    pub(crate) const fn answer(self) -> &'static str {
        match self {
            Self::Book => "10:00 confirmed",
            Self::Move | Self::HandOver => "10:00 15:00",
            Self::Cancel => "cancelled",
        }
    }

    /// What stands once the act is done: how many events, in which calendar, at which hour of the day in UTC.
    pub(crate) const fn done(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Book => Some((RAFA, "2026-11-24T13:00:00Z")),
            Self::Move => Some((RAFA, "2026-11-24T18:00:00Z")),
            Self::HandOver => Some((BIA, "2026-11-24T18:00:00Z")),
            Self::Cancel => None,
        }
    }
}

/// The answer to the customer: what was done, or that another event has the time.
fn say<T>(answer: Result<T, BookingRefusal>, done: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(value) => done(value),
        Err(BookingRefusal::SlotTaken { .. }) => TAKEN.to_owned(),
        Err(other) => panic!("{other:?}"),
    }
}

pub(crate) fn request(start_min: u16) -> BookRequest {
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

pub(crate) fn to(start_min: u16, professional: Option<&str>) -> RescheduleRequest {
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

pub(crate) fn calendar_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    who: ProfessionalId,
) -> Result<String, StoreError> {
    let name = catalog::professional_names(tx, organization)?.remove(&who).unwrap();
    Ok(TEAM.iter().find(|(known, _)| *known == name).unwrap().1.to_owned())
}

impl Founded {
    pub(crate) async fn new() -> Self {
        Self::with(&business()).await
    }

    /// As [`Self::new`], of a business in a text.
    pub(crate) async fn with(business: &str) -> Self {
        let (folder, now) = (folder(), instant(NOW));
        let store = Store::open(&folder.path().join(DATABASE), OpenOptions::default()).unwrap();
        store.migrate().await.unwrap();
        let imported = BusinessFile::read("contract", business).unwrap().import(&store, now).await.unwrap();
        let organization = imported.organization;
        let link = move |tx: &mut Tx<'_>| {
            for professional in catalog::professional_names(tx, organization)?.into_keys() {
                let calendar = calendar_of(tx, organization, professional)?;
                let link = CalendarLink { professional, calendar, access: LinkAccess::Write };
                calendar_link::link(tx, organization, &link, now)?;
            }
            let mut customer = |phone: &str| {
                let phone = Phone::parse(phone).unwrap();
                Ok(contact::find_by_phone(tx, organization, &phone)?.unwrap().id)
            };
            Ok::<_, StoreError>((customer("31 99640-1177")?, customer("31 98432-7788")?))
        };
        let (ana, bia) = store.write(link).await.unwrap();
        Self { folder, organization, ana, bia }
    }
}

impl Desk {
    /// Before `act`: linked, read, and booked at ten, unless the act is the booking.
    pub(crate) async fn prepare(founded: &Founded, act: Act) -> Self {
        let clock = Arc::new(ManualClock::at(instant(NOW)));
        let google = Arc::new(FakeGoogle::start(Arc::<ManualClock>::clone(&clock)).unwrap());
        for (_, calendar) in TEAM {
            google.add_calendar(calendar, "America/Sao_Paulo", "owner").unwrap();
        }
        let known = Arc::new(Known::default());
        *known.credential.lock().unwrap() = Some(grant(google.grant(&SCOPES)));
        let desk = Self::open(founded, google, known, clock);
        let program = desk.start(None);
        if act == Act::Book {
            program.settle().await;
        } else {
            let booking = Booking::new(program.app.clone());
            let booked = booking.book(desk.organization, desk.ana, key("before"), request(10 * 60)).await.unwrap();
            assert_eq!(booked.value.unwrap().appointment.start, "10:00");
        }
        desk
    }

    /// Another installation with the same calendars: a database of its own.
    pub(crate) async fn beside(&self, founded: &Founded) -> Self {
        let (google, known, clock) = (Arc::clone(&self.google), Arc::clone(&self.known), Arc::clone(&self.clock));
        let desk = Self::open(founded, google, known, clock);
        desk.start(None).settle().await;
        desk
    }

    fn open(founded: &Founded, google: Arc<FakeGoogle>, known: Arc<Known>, clock: Arc<ManualClock>) -> Self {
        let folder = folder();
        for file in std::fs::read_dir(founded.folder.path()).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let Founded { organization, ana, bia, .. } = *founded;
        let judge = client(&google, &known, &clock);
        Self { folder, google, known, judge, clock, organization, ana, bia }
    }

    /// Starts the program, which has no access token yet. It ends at the call `end`, if that comes.
    pub(crate) fn start(&self, end: Option<(usize, Side)>) -> Program {
        let store = Store::open(&self.folder.path().join(DATABASE), OpenOptions::default()).unwrap();
        let plan = CallPlan::new(end);
        let service = Interrupted { client: client(&self.google, &self.known, &self.clock), plan: Arc::clone(&plan) };
        let app = AppContext::new(store, self.clock.clone()).with_remote_calendar(Some(Arc::new(service)));
        Program { app, plan, organization: self.organization, ana: self.ana }
    }

    /// The program works off what is due, half an hour and an hour later, and late requests arrive in between.
    pub(crate) async fn settle_later(&self, program: &Program) {
        for _round in 0..2 {
            self.clock.advance(SignedDuration::from_mins(30));
            program.settle().await;
            self.google.deliver_late();
        }
        self.clock.advance(SignedDuration::from_mins(30));
        program.settle().await;
    }

    /// Requests so far that were to change something in a calendar.
    pub(crate) fn writes(&self) -> usize {
        let is_write = |asked: &&balcao_testkit::fakes::google::Asked| {
            asked.method != "GET" && asked.target.starts_with("/calendar/v3/calendars/")
        };
        self.google.asked().iter().filter(is_write).count()
    }

    /// Our events, as the service shows them to others.
    pub(crate) async fn events(&self) -> Vec<Shown> {
        let all = self.all_events().await;
        all.into_iter().filter_map(|(calendar, appointment, start)| Some((calendar, appointment?, start))).collect()
    }

    /// All events, as the service shows them: calendar, appointment if it is ours, start.
    pub(crate) async fn all_events(&self) -> Vec<(String, Option<i64>, Timestamp)> {
        let (mut shown, always) = (Vec::new(), span("2026-11-01T00:00:00Z", "2026-12-31T00:00:00Z"));
        for (_, calendar) in TEAM {
            let found = self.judge.overlapping(self.organization, calendar, always).await.unwrap();
            shown.extend(found.into_iter().map(|event| {
                let start = event.time.unwrap().span(&jiff::tz::TimeZone::UTC).unwrap().start;
                (calendar.to_owned(), event.mark.map(|mark| mark.appointment), start)
            }));
        }
        shown.sort();
        shown
    }
}

impl Program {
    /// Reads both calendars now.
    pub(crate) async fn read_all(&self) {
        for (_, calendar) in TEAM {
            let read = CalendarWork::new(self.app.clone()).read(self.organization, calendar.to_owned(), false).await;
            assert!(matches!(read, Ok(Reading::Read { .. })), "{calendar}: {read:?}");
        }
    }

    /// Works off what is due.
    pub(crate) async fn settle(&self) {
        Booking::new(self.app.clone()).expire_pending(self.organization).await.unwrap();
        let work = CalendarWork::new(self.app.clone());
        work.push_due(self.organization).await.unwrap();
        work.read_due(self.organization).await.unwrap();
        work.push_due(self.organization).await.unwrap();
    }

    /// The events that our tables want, and how many conflicts and pushes are open.
    pub(crate) async fn wanted(&self) -> (Vec<Shown>, usize, u32) {
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
            let conflicts = calendar_conflict::list_open(tx, organization, 0, 9)?.len();
            Ok::<_, StoreError>((wanted, conflicts, calendar_event::count_waiting(tx, organization)?.0))
        };
        self.app.store.read(read).await.unwrap()
    }
}

/// A booking of Ana's at ten, and the program that made it.
pub(crate) async fn booked(founded: &Founded) -> (Desk, Program, String) {
    let desk = Desk::prepare(founded, Act::Move).await;
    let program = desk.start(None);
    program.read_all().await;
    let event = desk.google.asked().iter().filter(|asked| asked.method == "POST").find_map(|asked| {
        asked.body.get("extendedProperties")?;
        Some(asked.body["id"].as_str()?.to_owned())
    });
    (desk, program, event.unwrap())
}
