//! Our own tables with an external calendar service: the calendar's contract, crashes at every step, several programs, and what the copy says.

mod channels;
mod collisions;
mod comparison;
mod conflicts;
mod crashes;
mod edits;
mod freshness;
mod lost_tokens;
mod moves;
mod poison;
mod programs;
mod random_sequences;
mod reports;
mod scene;
mod sequences;
mod staff_moves;
mod taken_back;

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::booking::{BookRequest, Booking, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::calendar::{BuiltIn, EntryId, Owner};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_domain::hours::parse_minute;
use balcao_domain::outside_event::EventState;
use balcao_domain::{AppointmentStatus, ManualClock, OrganizationId, Phone, ProfessionalId};
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::{appointment, calendar_event, catalog};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError, crm::contact};
use balcao_testkit::contract::calendar::{Authority, BUSINESS, Hand, NOW, Outside, Setting, all, all_outside};
use balcao_testkit::fakes::calendar_service::MemoryService;
use balcao_testkit::postgres::Database;
use jiff::Timestamp;
use jiff::civil::{Date, date};

const ANA: &str = "ana@calendar.example";
const BRUNO: &str = "bruno@calendar.example";
const DAY: Date = date(2026, 11, 24);

/// A business whose professional has an external calendar, as one program sees it.
struct World {
    app: AppContext,
    service: Arc<MemoryService>,
    clock: Arc<ManualClock>,
    organization: OrganizationId,
    professional: ProfessionalId,
    ana: Owner,
    bia: Owner,
}

async fn world(store: Store) -> World {
    with_business(store, BUSINESS.to_owned()).await
}

async fn with_business(store: Store, business: String) -> World {
    let now: Timestamp = NOW.parse().unwrap();
    store.migrate().await.unwrap();
    let organization =
        BusinessFile::read("contract", &business).unwrap().import(&store, now).await.unwrap().organization;
    let owner = async |phone: &str| {
        let phone = Phone::parse(phone).unwrap();
        let found: Result<_, StoreError> = store.read(move |tx| contact::find_by_phone(tx, organization, &phone)).await;
        Owner { organization, contact: found.unwrap().unwrap().id }
    };
    let (ana, bia) = (owner("31 99640-1177").await, owner("31 98432-7788").await);
    let link = move |tx: &mut balcao_store::Tx<'_>| {
        let professional = *catalog::professional_names(tx, organization)?.keys().next().unwrap();
        let link = CalendarLink { professional, calendar: ANA.to_owned(), access: LinkAccess::Write };
        calendar_link::link(tx, organization, &link, now)?;
        Ok::<_, StoreError>(professional)
    };
    let professional = store.write(link).await.unwrap();
    let (service, clock) = (Arc::new(MemoryService::new(now, &[ANA, BRUNO])), Arc::new(ManualClock::at(now)));
    let app = AppContext::new(store, clock.clone()).with_remote_calendar(Some(service.clone()));
    let world = World { app, service, clock, organization, professional, ana, bia };
    world.read().await;
    world
}

async fn in_memory() -> World {
    world(Store::open_in_memory().unwrap()).await
}

fn key(name: &str) -> EffectKey {
    EffectKey { key: name.to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() }
}

fn request(start: &str) -> BookRequest {
    BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("corte".to_owned())),
        date: DAY,
        start_min: parse_minute(start).unwrap(),
        attendee: None,
        pending: false,
        source: "agent".to_owned(),
        price_agreed: true,
    }
}

fn to(start: &str) -> RescheduleRequest {
    RescheduleRequest {
        appointment: None,
        date: DAY,
        start_min: parse_minute(start).unwrap(),
        professional: None,
        service: None,
        source: "agent".to_owned(),
        price_agreed: true,
    }
}

impl World {
    fn booking(&self) -> Booking {
        Booking::new(self.app.clone())
    }

    fn work(&self) -> CalendarWork {
        CalendarWork::new(self.app.clone())
    }

    /// The same business as another program over another connection to its database sees it.
    fn beside(&self, store: Store) -> Self {
        let app = AppContext::new(store, self.clock.clone()).with_remote_calendar(Some(self.service.clone()));
        let (service, clock) = (self.service.clone(), self.clock.clone());
        let Self { organization, professional, ana, bia, .. } = *self;
        Self { app, service, clock, organization, professional, ana, bia }
    }

    async fn book(&self, start: &str) -> balcao_domain::AppointmentId {
        let booked = self.booking().book(self.organization, self.ana.contact, key(start), request(start)).await;
        booked.unwrap().value.unwrap().appointment.id
    }

    /// The professional has another calendar, which is only read.
    async fn link_to_read(&self, calendar: &str) {
        let (organization, professional, now) = (self.organization, self.professional, self.app.clock.now());
        let other = CalendarLink { professional, calendar: calendar.to_owned(), access: LinkAccess::Read };
        let linked: Result<(), StoreError> =
            self.app.store.write(move |tx| calendar_link::link(tx, organization, &other, now)).await;
        linked.unwrap();
    }

    /// Reads the calendar now.
    async fn read(&self) -> balcao_app::scheduling::remote_calendar::reading::Reading {
        self.work().read(self.organization, ANA.to_owned(), false).await.unwrap()
    }

    /// Minutes later, the server has worked off what is due.
    async fn settle_later(&self, minutes: i64) {
        self.clock.advance(jiff::SignedDuration::from_mins(minutes));
        self.booking().expire_pending(self.organization).await.unwrap();
        self.work().push_due(self.organization).await.unwrap();
        self.work().read_due(self.organization).await.unwrap();
        self.clock.advance(jiff::SignedDuration::from_mins(minutes));
        self.work().push_due(self.organization).await.unwrap();
    }

    /// The appointments that hold their time, by id, with their starts.
    async fn appointments(&self) -> Vec<(i64, Timestamp)> {
        let organization = self.organization;
        let all = self.app.store.read(move |tx| {
            let currency = balcao_domain::Currency::BRL;
            appointment::starting_between(tx, organization, Timestamp::MIN, Timestamp::MAX, currency)
        });
        let all: Result<_, StoreError> = all.await;
        let held = all.unwrap().into_iter().filter(|one| one.status != AppointmentStatus::Cancelled);
        held.map(|one| (one.id.into(), one.span.start)).collect()
    }

    /// How many visits show anywhere, cancelled ones included.
    async fn count_visits(&self) -> usize {
        let (organization, contact) = (self.organization, self.ana.contact);
        let all = self.app.store.read(move |tx| {
            let currency = balcao_domain::Currency::BRL;
            let listed = appointment::starting_between(tx, organization, Timestamp::MIN, Timestamp::MAX, currency)?;
            assert_eq!(appointment::of_contact(tx, organization, contact, currency)?.len(), listed.len());
            Ok::<_, StoreError>(listed.len())
        });
        all.await.unwrap()
    }

    /// How many appointments have an event, or may still get one.
    async fn count_traces(&self) -> usize {
        let organization = self.organization;
        let all: Result<_, StoreError> =
            self.app.store.read(move |tx| calendar_event::list_from(tx, organization, Timestamp::MIN, 0, 99)).await;
        all.unwrap().len()
    }

    /// Our events in the calendar, by the appointment that each names, with their starts.
    fn events(&self) -> Vec<(i64, Timestamp)> {
        let ours = self.service.events(ANA).into_iter().filter(|event| event.state == EventState::Busy);
        let shown = ours.filter_map(|event| {
            let span = event.time?.span(&jiff::tz::TimeZone::UTC)?;
            Some((event.mark?.appointment, span.start))
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort_unstable();
        shown
    }

    /// Every appointment has one event at its time, no event is without an appointment, and no push waits.
    async fn assert_equal(&self, story: &str) {
        let mut held = self.appointments().await;
        held.sort_unstable();
        assert_eq!(self.events(), held, "{story}");
        let organization = self.organization;
        let waiting: Result<_, StoreError> =
            self.app.store.read(move |tx| calendar_event::count_waiting(tx, organization)).await;
        assert_eq!(waiting.unwrap().0, 0, "{story}");
    }

    fn setting(&self) -> Setting {
        Setting { calendar: Arc::new(BuiltIn::new(self.app.clone())), ana: self.ana, bia: self.bia }
    }
}

/// What people do in the service, by the entry as our tables call it.
#[derive(Debug)]
struct People {
    app: AppContext,
    service: Arc<MemoryService>,
    clock: Arc<ManualClock>,
    organization: OrganizationId,
}

impl People {
    /// The id of the event that shows an entry.
    fn event(&self, id: &EntryId) -> String {
        let appointment: i64 = id.as_str().parse().unwrap();
        let mut shown = self.service.events(ANA).into_iter();
        shown.find(|event| event.mark.as_ref().is_some_and(|mark| mark.appointment == appointment)).unwrap().id
    }
}

impl Hand for People {
    fn give_to(&self, id: &EntryId, _professional: &str) {
        let event = self.event(id);
        self.service.person_moves_to(ANA, &event, BRUNO);
    }

    fn delete(&self, id: &EntryId) {
        self.service.person_deletes(ANA, &self.event(id));
    }

    fn sync(&self) {
        let (work, organization) = (CalendarWork::new(self.app.clone()), self.organization);
        let read = async move { work.read(organization, ANA.to_owned(), false).await };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(read)).unwrap();
    }

    fn forget_tokens(&self) {
        self.service.forget_tokens();
    }

    fn go_down(&self) {
        self.service.set_down(true);
        self.clock.advance(jiff::SignedDuration::from_mins(2));
    }

    fn shut_out(&self, shut_out: bool) {
        self.service.set_shut_out(shut_out);
    }
}

#[tokio::test]
async fn our_own_tables_with_a_service_keep_the_contract_on_sqlite() {
    for (name, case) in all() {
        eprintln!("{name}");
        let world = in_memory().await;
        case(world.setting()).await;
        world.assert_equal(name).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_tables_with_a_service_keep_the_contract_on_postgres() {
    for (name, case) in all() {
        let Some(database) = Database::migrated() else { return };
        eprintln!("{name}");
        let world = world(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
        case(world.setting()).await;
        world.assert_equal(name).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_tables_with_a_service_keep_what_is_asked_of_calendars_outside() {
    for (name, case) in all_outside() {
        eprintln!("{name}");
        let world = in_memory().await;
        let People { app, service, clock, organization } = People {
            app: world.app.clone(),
            service: world.service.clone(),
            clock: world.clock.clone(),
            organization: world.organization,
        };
        let hand = Arc::new(People { app, service, clock, organization });
        case(Outside { setting: world.setting(), hand, authority: Authority::OurTables }).await;
    }
}
