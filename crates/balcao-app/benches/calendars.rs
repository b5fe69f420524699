//! What external calendars cost: free time from their copy, and a reading of many changes, durable, in a file.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::calendar::{BuiltIn, BusyQuery, Calendar, Owner};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_domain::outside_event::EventTime;
use balcao_domain::{ManualClock, OrganizationId, Span};
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::{OpenOptions, Store, StoreError, scheduling::catalog};
use balcao_testkit::fakes::calendar_service::MemoryService;
use jiff::{Timestamp, ToSpan};

const PROFESSIONALS: usize = 10;
const DAYS: i64 = 30;

fn main() {
    divan::main();
}

struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    app: AppContext,
    service: Arc<MemoryService>,
    organization: OrganizationId,
    now: Timestamp,
}

/// A business with one calendar for each professional, each with an event on every hour of thirty days.
fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
    let now: Timestamp = "2026-11-23T12:00:00Z".parse().expect("an instant");
    let week = "{mon: [\"09:00-18:00\"], tue: [\"09:00-18:00\"], wed: [\"09:00-18:00\"], thu: [\"09:00-18:00\"], fri: [\"09:00-18:00\"]}";
    let people: String = (0..PROFESSIONALS)
        .map(|number| format!("  - {{name: P{number} Prado, hours: {week}, services: [Corte]}}\n"))
        .collect();
    let text = format!(
        "organization:\n  name: Navalha\n  slug: navalha\n  timezone: America/Sao_Paulo\n  currency: BRL\n  hours: {week}\n\
         services:\n  - {{name: Corte, price: \"50.00\", duration_minutes: 30}}\nprofessionals:\n{people}\
         contacts:\n  - {{name: Ana, phone: \"+55 31 99640-1177\"}}\n"
    );
    let file = BusinessFile::read("navalha", &text).expect("a good file");
    let organization = runtime.block_on(async {
        store.migrate().await.expect("a schema");
        file.import(&store, now).await.expect("a business").organization
    });
    let link = move |tx: &mut balcao_store::Tx<'_>| {
        for professional in catalog::professional_names(tx, organization)?.into_keys() {
            let calendar = format!("c{}", i64::from(professional));
            let link = CalendarLink { professional, calendar, access: LinkAccess::Write };
            calendar_link::link(tx, organization, &link, now)?;
        }
        calendar_link::list_calendars(tx, organization)
    };
    let linked: Result<_, StoreError> = runtime.block_on(store.write(link));
    let calendars = linked.expect("links");
    let names: Vec<&str> = calendars.iter().map(|one| one.calendar.as_str()).collect();
    let service = Arc::new(MemoryService::new(now, &names));
    for calendar in &names {
        for hour in 0..DAYS * 24 {
            let start = now.checked_add(hour.hours()).expect("an instant");
            service.person_makes(calendar, &format!("e{hour}"), EventTime::Timed(Span::of_minutes(start, 20)), 60);
        }
    }
    let app = AppContext::new(store, Arc::new(ManualClock::at(now))).with_remote_calendar(Some(service.clone()));
    let read = runtime.block_on(CalendarWork::new(app.clone()).read_due(organization)).expect("a database");
    assert_eq!(read, PROFESSIONALS);
    World { _folder: folder, runtime, app, service, organization, now }
}

/// Ten professionals, thirty days: at most 5 ms.
#[divan::bench]
fn free_time_of_ten_professionals_in_thirty_days(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let calendar = BuiltIn::new(world.app.clone());
    let owner = Owner { organization: world.organization, contact: 1_i64.try_into().expect("an id") };
    let from = world.now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let query = BusyQuery { from, to: from.saturating_add(DAYS.days()), professional: None };
    bencher.bench_local(|| {
        let days = world.runtime.block_on(calendar.busy(owner, query.clone())).expect("an answer");
        days.value.expect("days")
    });
}

/// A thousand changed events: at most 1 s.
#[divan::bench(sample_count = 10)]
fn a_reading_of_a_thousand_changes(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let work = CalendarWork::new(world.app.clone());
    let calendar = "c1";
    bencher
        .with_inputs(|| {
            for hour in 0..1000 {
                let start = world.now.checked_add((hour % 700).hours()).expect("an instant");
                let time = EventTime::Timed(Span::of_minutes(start, 25));
                world.service.person_makes(calendar, &format!("n{hour}"), time, 60);
            }
        })
        .bench_local_values(|()| {
            world.runtime.block_on(work.read(world.organization, calendar.to_owned(), false)).expect("a database")
        });
}
