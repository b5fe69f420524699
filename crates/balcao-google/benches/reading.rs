//! What an incremental reading costs: a thousand changed events from the fake of Google over HTTP into SQLite in a file.
//! The fake's own time is in it.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_google::{Addresses, Credential, Credentials, GoogleCalendar, Grant, Limits};
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::{OpenOptions, Store, StoreError, scheduling::catalog};
use balcao_testkit::contract::calendar::{BUSINESS, NOW};
use balcao_testkit::fakes::google::{CLIENT_ID, CLIENT_SECRET, FakeGoogle};
use jiff::{Timestamp, ToSpan};
use secrecy::SecretString;
use serde_json::json;

const CALENDAR: &str = "rafa@example.test";

fn main() {
    divan::main();
}

/// The grant of one person.
#[derive(Debug)]
struct Granted(String);

impl Credentials for Granted {
    fn find(&self, _organization: OrganizationId) -> Result<Option<Credential>, String> {
        Ok(Some(Credential::Grant(Grant {
            client_id: CLIENT_ID.to_owned(),
            client_secret: SecretString::from(CLIENT_SECRET),
            refresh_token: SecretString::from(self.0.as_str()),
            granted_at: None,
        })))
    }

    fn replace(&self, _organization: OrganizationId, _grant: &Grant, _token: &SecretString) -> Result<(), String> {
        Ok(())
    }
}

struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    google: FakeGoogle,
    work: CalendarWork,
    organization: OrganizationId,
    now: Timestamp,
}

/// A business with one calendar, which was read.
fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let now: Timestamp = NOW.parse().expect("an instant");
    let clock = Arc::new(ManualClock::at(now));
    let google = FakeGoogle::start(Arc::<ManualClock>::clone(&clock)).expect("a port");
    google.add_calendar(CALENDAR, "America/Sao_Paulo", "owner").expect("a zone");
    let grant = google.grant(&["calendar.events.owned", "calendar.freebusy", "calendar.calendarlist.readonly"]);
    let addresses = Addresses::under(&google.url()).expect("an address");
    let credentials = Arc::new(Granted(grant));
    let service = GoogleCalendar::new(addresses, Limits::default(), credentials, Arc::<ManualClock>::clone(&clock));
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
    let organization = runtime.block_on(async {
        store.migrate().await.expect("a schema");
        let file = BusinessFile::read("contract", BUSINESS).expect("a good file");
        file.import(&store, now).await.expect("a business").organization
    });
    let link = move |tx: &mut balcao_store::Tx<'_>| {
        for professional in catalog::professional_names(tx, organization)?.into_keys() {
            let link = CalendarLink { professional, calendar: CALENDAR.to_owned(), access: LinkAccess::Read };
            calendar_link::link(tx, organization, &link, now)?;
        }
        Ok(())
    };
    let linked: Result<(), StoreError> = runtime.block_on(store.write(link));
    linked.expect("links");
    let app = AppContext::new(store, clock).with_remote_calendar(Some(Arc::new(service.expect("a client"))));
    let world = World { _folder: folder, runtime, google, work: CalendarWork::new(app), organization, now };
    world.read(0);
    world
}

impl World {
    fn change(&self, count: i64) {
        for number in 0..count {
            let at = |minute: i64| json!({ "dateTime": self.now.saturating_add((number * 5 + minute).minutes()).expect("an instant").to_string() });
            self.google.put_event(CALENDAR, json!({ "id": format!("many{number}"), "start": at(0), "end": at(5) }));
        }
    }

    fn read(&self, count: usize) {
        let read = self.runtime.block_on(self.work.read(self.organization, CALENDAR.to_owned(), false));
        assert_eq!(read.expect("a database"), Reading::Read { events: count });
    }
}

/// A thousand changed events: at most 1 s. The fake makes the whole list for each page, so ten times as many take more than ten times as long.
#[divan::bench(args = [1_000, 10_000], sample_count = 10, sample_size = 1)]
fn a_reading_of_changes_over_http(bencher: divan::Bencher<'_, '_>, count: usize) {
    let world = world();
    bencher
        .with_inputs(|| world.change(i64::try_from(count).expect("a count")))
        .bench_local_values(|()| world.read(count));
}
