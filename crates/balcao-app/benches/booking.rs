//! What a look at the agenda and a booking cost, durable, in a file.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::crm::contacts::{Arrival, Contacts};
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_domain::{ManualClock, OrganizationId, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store};

fn main() {
    divan::main();
}

struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    app: AppContext,
    organization: OrganizationId,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
    let now = "2026-11-23T12:00:00Z".parse().expect("an instant");
    let text = include_str!("../../../samples/barbearia-figueira.yaml");
    let file = BusinessFile::read("figueira", text).expect("a good file");
    let organization = runtime.block_on(async {
        store.migrate().await.expect("a schema");
        file.import(&store, now).await.expect("a business").organization
    });
    World { _folder: folder, runtime, app: AppContext::new(store, Arc::new(ManualClock::at(now))), organization }
}

#[divan::bench]
fn availability_of_a_day(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let availability = Availability::new(world.app.clone());
    bencher.bench_local(|| {
        let query = AvailabilityQuery {
            date: "2026-11-25".parse().ok(),
            service: Some("Corte na máquina".to_owned()),
            ..AvailabilityQuery::default()
        };
        world.runtime.block_on(availability.on(world.organization, None, query)).expect("an answer")
    });
}

#[divan::bench]
fn booking_and_cancelling(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let phone = Phone::parse("31 90000-1234").ok();
    let arrival = Arrival { phone, channel_user: None, name: None };
    let contact = world.runtime.block_on(Contacts::new(world.app.clone()).arrive(world.organization, arrival));
    let contact = contact.expect("a contact");
    let booking = Booking::new(world.app.clone());
    let keys = AtomicU32::new(0);
    let key = || EffectKey {
        key: format!("k{}", keys.fetch_add(1, Ordering::Relaxed)),
        args_hash: String::new(),
        turn: None,
        tool: "bench".to_owned(),
    };
    bencher.bench_local(|| {
        let wish = BookRequest {
            professional: Some("Otávio".to_owned().into()),
            service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
            date: "2026-11-25".parse().expect("a date"),
            start_min: 600,
            attendee: None,
            pending: false,
            source: "bench".to_owned(),
            price_agreed: true,
        };
        world.runtime.block_on(async {
            let booked = booking.book(world.organization, contact, key(), wish).await.expect("an answer");
            let id = booked.value.expect("a free slot").appointment.id;
            booking.cancel(world.organization, contact, key(), Some(id)).await.expect("an answer")
        })
    });
}
