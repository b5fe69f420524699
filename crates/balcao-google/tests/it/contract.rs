//! Our own tables with this client over real HTTP keep what is asked of every calendar, and of external calendars.

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::calendar::{BuiltIn, EntryId, Owner};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::{AppointmentId, AppointmentStatus, Currency, ManualClock, OrganizationId, Phone};
use balcao_google::{Addresses, GoogleCalendar};
use balcao_store::crm::contact;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::{appointment, calendar_event, catalog};
use balcao_store::{Store, StoreError, Tx};
use balcao_testkit::contract::calendar::{Authority, BUSINESS, Hand, NOW, Outside, Setting, all, all_outside};
use balcao_testkit::fakes::google::{Call, FakeGoogle, Fault};
use jiff::{SignedDuration, Timestamp};

use crate::world::{BIA, Known, RAFA, SCOPES, grant, instant, limits};

/// A business whose professional has a calendar in the fake, and what people do there.
#[derive(Clone)]
struct Shop {
    app: AppContext,
    google: Arc<FakeGoogle>,
    known: Arc<Known>,
    clock: Arc<ManualClock>,
    organization: OrganizationId,
    ana: Owner,
    bia: Owner,
}

impl std::fmt::Debug for Shop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shop").field("google", &self.google).finish_non_exhaustive()
    }
}

/// Runs something of the program from a function that cannot wait.
fn wait_for<T>(work: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(work))
}

async fn find_contact(store: &Store, organization: OrganizationId, phone: &str) -> Owner {
    let phone = Phone::parse(phone).unwrap();
    let found: Result<_, StoreError> = store.read(move |tx| contact::find_by_phone(tx, organization, &phone)).await;
    Owner { organization, contact: found.unwrap().unwrap().id }
}

impl Shop {
    async fn new() -> Self {
        let (now, store) = (instant(NOW), Store::open_in_memory().unwrap());
        store.migrate().await.unwrap();
        let file = BusinessFile::read("contract", BUSINESS).unwrap();
        let organization = file.import(&store, now).await.unwrap().organization;
        let link = move |tx: &mut Tx<'_>| {
            let professional = *catalog::professional_names(tx, organization)?.keys().next().unwrap();
            let link = CalendarLink { professional, calendar: RAFA.to_owned(), access: LinkAccess::Write };
            calendar_link::link(tx, organization, &link, now)
        };
        let linked: Result<(), StoreError> = store.write(link).await;
        linked.unwrap();
        let clock = Arc::new(ManualClock::at(now));
        let google = FakeGoogle::start(Arc::<ManualClock>::clone(&clock)).unwrap();
        for calendar in [RAFA, BIA] {
            google.add_calendar(calendar, "America/Sao_Paulo", "owner").unwrap();
        }
        let known = Arc::new(Known::default());
        let addresses = Addresses::under(&google.url()).unwrap();
        let (credentials, time) = (Arc::<Known>::clone(&known), Arc::<ManualClock>::clone(&clock));
        let service = GoogleCalendar::new(addresses, limits(), credentials, time).unwrap();
        let (ana, bia) = (
            find_contact(&store, organization, "31 99640-1177").await,
            find_contact(&store, organization, "31 98432-7788").await,
        );
        let app = AppContext::new(store, clock.clone()).with_remote_calendar(Some(Arc::new(service)));
        let shop = Self { app, google: Arc::new(google), known, clock, organization, ana, bia };
        shop.shut_out(false);
        assert_eq!(shop.read().await, Reading::Read { events: 0 });
        shop
    }

    fn setting(&self) -> Setting {
        Setting { calendar: Arc::new(BuiltIn::new(self.app.clone())), ana: self.ana, bia: self.bia }
    }

    async fn read(&self) -> Reading {
        let work = CalendarWork::new(self.app.clone());
        work.read(self.organization, RAFA.to_owned(), false).await.unwrap()
    }

    /// The id of the event that shows an entry.
    fn event(&self, id: &EntryId) -> String {
        let number: i64 = id.as_str().parse().unwrap();
        let (organization, appointment) = (self.organization, AppointmentId::try_from(number).unwrap());
        let find = self.app.store.read(move |tx| calendar_event::find(tx, organization, appointment));
        let found: Result<_, StoreError> = wait_for(find);
        found.unwrap().unwrap().known.unwrap().event
    }

    /// How many appointments hold their time.
    async fn count_held(&self) -> usize {
        let organization = self.organization;
        let list = move |tx: &mut Tx<'_>| {
            appointment::starting_between(tx, organization, Timestamp::MIN, Timestamp::MAX, Currency::BRL)
        };
        let all: Result<_, StoreError> = self.app.store.read(list).await;
        all.unwrap().iter().filter(|one| one.status != AppointmentStatus::Cancelled).count()
    }
}

impl Hand for Shop {
    fn give_to(&self, id: &EntryId, _professional: &str) {
        self.google.transfer_event(RAFA, BIA, &self.event(id));
    }

    fn delete(&self, id: &EntryId) {
        self.google.delete_event(RAFA, &self.event(id));
    }

    fn sync(&self) {
        assert!(matches!(wait_for(self.read()), Reading::Read { .. }));
    }

    fn forget_tokens(&self) {
        self.google.expire_sync_tokens();
    }

    fn go_down(&self) {
        (0..100).for_each(|_| self.google.fail(Call::List, Fault::Break));
        self.clock.advance(SignedDuration::from_mins(2));
    }

    fn shut_out(&self, shut_out: bool) {
        if shut_out {
            self.google.kill_grants("Token has been expired or revoked.");
            self.google.end_access_tokens();
        } else {
            *self.known.credential.lock().unwrap() = Some(grant(self.google.grant(&SCOPES)));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_with_this_client_keep_the_contract_of_calendars() {
    for (name, case) in all() {
        eprintln!("{name}");
        let shop = Shop::new().await;
        case(shop.setting()).await;
        assert_eq!(shop.google.count_events(RAFA), shop.count_held().await, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_with_this_client_keep_what_is_asked_of_calendars_outside() {
    for (name, case) in all_outside() {
        eprintln!("{name}");
        let shop = Shop::new().await;
        let (setting, hand) = (shop.setting(), Arc::new(shop));
        case(Outside { setting, hand, authority: Authority::OurTables }).await;
    }
}
