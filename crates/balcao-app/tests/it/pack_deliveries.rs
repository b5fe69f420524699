//! Deliveries of the services of packs: stored at once, read later, reported to endpoints once.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use balcao_app::admin::backlog::{self, BacklogKind};
use balcao_app::admin::pack_deliveries::{Arrived, PackDeliveries, Prepared, Reader};
use balcao_domain::burst::BurstRules;
use balcao_store::{StoreError, ops::pack_delivery, turns::event};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::world::{World, figueira};

/// Reads, but for so many times that it fails first.
struct Reads {
    fails: AtomicUsize,
}

#[async_trait]
impl Reader for Reads {
    async fn read(&self, pack: &str, body: Value, _now: Timestamp) -> Result<Prepared, String> {
        let failing = self.fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match failing {
            Ok(_) => Err("no worker".to_owned()),
            Err(_) => Ok(Prepared { said: json!({ "read": body, "by": pack }), starts: None }),
        }
    }
}

fn arrived(once: &str, change: Option<&str>) -> Arrived {
    Arrived { once: once.to_owned(), named: true, change: change.map(str::to_owned), body: json!({ "event": once }) }
}

async fn events(world: &World) -> Vec<Value> {
    let found: Vec<event::Event> = world.app.store.read(|tx| event::waiting(tx, 1_000)).await.unwrap();
    let ours = found.into_iter().filter(|one| one.kind == pack_delivery::EVENT);
    ours.map(|one| serde_json::from_str(&one.payload).unwrap()).collect()
}

#[tokio::test]
async fn f_21_a_change_is_one_event_whatever_tells_of_it_and_however_often() {
    let world = figueira().await;
    let deliveries = PackDeliveries::new(world.app.clone(), world.organization, BurstRules::default());
    let reader = Reads { fails: 0.into() };
    assert!(deliveries.accept("clickup", arrived("created", Some("h1"))).await.unwrap());
    assert!(!deliveries.accept("clickup", arrived("created", Some("h1"))).await.unwrap());
    assert!(!deliveries.accept("clickup", arrived("updated", Some("h1"))).await.unwrap());
    assert!(deliveries.accept("clickup", arrived("deleted", None)).await.unwrap());
    assert_eq!(deliveries.work_off(&reader).await.unwrap(), 2);
    assert_eq!(deliveries.work_off(&reader).await.unwrap(), 0);
    assert!(!deliveries.accept("clickup", arrived("created", Some("h1"))).await.unwrap(), "also later");
    let told = events(&world).await;
    assert_eq!(told[0], json!({ "pack": "clickup", "delivery": { "read": { "event": "created" }, "by": "clickup" } }));
    assert_eq!(told.len(), 2);
}

#[tokio::test]
async fn what_a_service_has_no_name_for_is_told_again_when_it_happens_again() {
    let world = figueira().await;
    let deliveries = PackDeliveries::new(world.app.clone(), world.organization, BurstRules::default());
    let updated = || Arrived { named: false, ..arrived("folderUpdated", None) };
    let mut taken = Vec::new();
    for minutes in [0, 5, 20, 180, 1] {
        world.clock.advance(SignedDuration::from_mins(minutes));
        taken.push(deliveries.accept("clickup", updated()).await.unwrap());
    }
    assert_eq!(taken, [true, false, false, true, false]);
    assert_eq!(deliveries.work_off(&Reads { fails: 0.into() }).await.unwrap(), 2);
}

#[tokio::test]
async fn what_cannot_be_read_is_tried_again_later_and_given_up_at_last() {
    let world = figueira().await;
    let deliveries = PackDeliveries::new(world.app.clone(), world.organization, BurstRules::default());
    let (twice, ever) = (Reads { fails: 2.into() }, Reads { fails: usize::MAX.into() });
    deliveries.accept("clickup", arrived("created", None)).await.unwrap();
    let mut handed = Vec::new();
    for seconds in [0, 4, 2, 60] {
        world.clock.advance(SignedDuration::from_secs(seconds));
        handed.push(deliveries.work_off(&twice).await.unwrap());
    }
    assert_eq!((handed, events(&world).await.len()), (vec![0, 0, 0, 1], 1));
    deliveries.accept("clickup", arrived("other", None)).await.unwrap();
    for _ in 0..6 {
        assert_eq!(deliveries.work_off(&ever).await.unwrap(), 0);
        world.clock.advance(SignedDuration::from_hours(2));
    }
    let organization = world.organization;
    let failed: i64 = world.app.store.read(move |tx| pack_delivery::failed(tx, organization)).await.unwrap();
    assert_eq!((failed, ever.fails.load(Ordering::SeqCst)), (1, usize::MAX - 5), "five attempts");
}

/// Never ends what it began to read: with it ends the program.
#[derive(Default)]
struct Dies(Notify);

#[async_trait]
impl Reader for Dies {
    async fn read(&self, _pack: &str, _body: Value, _now: Timestamp) -> Result<Prepared, String> {
        self.0.notify_one();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_delivery_that_the_program_died_at_three_times_is_set_aside_and_holds_up_no_other() {
    let world = figueira().await;
    let deliveries = PackDeliveries::new(world.app.clone(), world.organization, BurstRules::default());
    deliveries.accept("clickup", arrived("deadly", None)).await.unwrap();
    for death in 1..=3 {
        let dies = Dies::default();
        tokio::select! {
            handed = deliveries.work_off(&dies) => panic!("death {death}: {handed:?}"),
            () = dies.0.notified() => {}
        }
        assert_eq!(deliveries.work_off(&dies).await.unwrap(), 0, "somebody has it in hand");
        world.clock.advance(SignedDuration::from_secs(121));
    }
    deliveries.accept("clickup", arrived("harmless", None)).await.unwrap();
    assert_eq!(deliveries.work_off(&Reads { fails: 0.into() }).await.unwrap(), 1);
    let told = events(&world).await;
    assert_eq!((told.len(), &told[0]["delivery"]["read"]["event"]), (1, &json!("harmless")));
    let organization = world.organization;
    let failed: i64 = world.app.store.read(move |tx| pack_delivery::failed(tx, organization)).await.unwrap();
    assert_eq!(failed, 1, "the doctor tells of it");
    let alarms = async || {
        let now = balcao_domain::Clock::now(world.clock.as_ref());
        let figures: Result<_, StoreError> =
            world.app.store.read(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures.unwrap(), now).into_iter().map(|alarm| alarm.what).collect::<Vec<_>>()
    };
    assert_eq!(alarms().await, [BacklogKind::Delivery]);
    world.clock.advance(SignedDuration::from_hours(25));
    assert!(!alarms().await.contains(&BacklogKind::Delivery), "it was told for a day");
}

/// Reads all but the delivery of that name, at which the program dies.
struct DiesAt(&'static str, Notify);

#[async_trait]
impl Reader for DiesAt {
    async fn read(&self, _pack: &str, body: Value, _now: Timestamp) -> Result<Prepared, String> {
        if body["event"] == self.0 {
            self.1.notify_one();
            return std::future::pending().await;
        }
        Ok(Prepared { said: body, starts: None })
    }
}

#[tokio::test]
async fn a_deadly_delivery_among_others_is_set_aside_alone() {
    let world = figueira().await;
    let deliveries = PackDeliveries::new(world.app.clone(), world.organization, BurstRules::default());
    for once in ["a", "b", "deadly", "c", "d", "e", "f", "g"] {
        deliveries.accept("clickup", arrived(once, None)).await.unwrap();
    }
    let dies = DiesAt("deadly", Notify::new());
    for death in 1..=3 {
        tokio::select! {
            handed = deliveries.work_off(&dies) => panic!("death {death}: {handed:?}"),
            () = dies.1.notified() => {}
        }
        world.clock.advance(SignedDuration::from_secs(121));
    }
    assert_eq!(deliveries.work_off(&dies).await.unwrap(), 5);
    let events = events(&world).await;
    let read: Vec<&str> = events.iter().filter_map(|one| one["delivery"]["event"].as_str()).collect();
    assert_eq!(read, ["a", "b", "c", "d", "e", "f", "g"]);
    let organization = world.organization;
    let failed: i64 = world.app.store.read(move |tx| pack_delivery::failed(tx, organization)).await.unwrap();
    assert_eq!(failed, 1);
}
