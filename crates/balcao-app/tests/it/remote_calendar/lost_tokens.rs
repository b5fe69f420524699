//! What a complete listing, which names no deletions, says about the events of visits.

use std::collections::BTreeSet;

use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::outside_event::{ConflictKind, EventTime};
use balcao_domain::{AppointmentId, Span};
use balcao_store::scheduling::{calendar_conflict, calendar_mirror};
use balcao_store::{StoreError, scheduling::calendar_conflict::StoredConflict};
use jiff::Timestamp;

use super::{ANA, World, in_memory};

/// A time of a day without visits.
fn elsewhere() -> EventTime {
    EventTime::Timed(Span::of_minutes("2026-11-26T12:00:00Z".parse().unwrap(), 60))
}

async fn conflicts(world: &World) -> Vec<(AppointmentId, ConflictKind)> {
    let organization = world.organization;
    let open: Result<Vec<StoredConflict>, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 99)).await;
    open.unwrap().into_iter().map(|one| (one.found.appointment, one.found.kind)).collect()
}

/// How many events of other people our copy holds.
async fn count_others(world: &World) -> u32 {
    let organization = world.organization;
    let count: Result<u32, StoreError> =
        world.app.store.read(move |tx| calendar_mirror::count(tx, organization, ANA, Timestamp::MIN)).await;
    count.unwrap()
}

/// The event of a visit.
fn event_of(world: &World, visit: AppointmentId) -> String {
    let mut all = world.service.events(ANA).into_iter();
    all.find(|one| one.mark.as_ref().is_some_and(|mark| mark.appointment == i64::from(visit))).unwrap().id
}

#[tokio::test]
async fn a_deleted_visit_event_behind_a_lost_token_is_a_conflict_at_the_next_reading() {
    let world = in_memory().await;
    let visit = world.book("10:00").await;
    world.book("11:00").await;
    world.read().await;
    world.service.person_deletes(ANA, &event_of(&world, visit));
    for _reading in 0..2 {
        world.service.forget_tokens();
        let read = world.read().await;
        assert!(matches!(read, Reading::Read { .. }), "{read:?}");
        assert_eq!(conflicts(&world).await, [(visit, ConflictKind::Deleted)]);
    }
    assert_eq!(world.appointments().await.len(), 2, "the booking stands until staff decide");
}

/// Deletions that staff already have are no new drop, and neither are visits that the business cancelled itself.
#[tokio::test]
async fn what_staff_know_to_be_deleted_does_not_stop_the_next_complete_reading() {
    let world = in_memory().await;
    let mut visits = Vec::new();
    for start in ["09:00", "09:30", "10:00", "10:30", "11:00", "11:30"] {
        visits.push(world.book(start).await);
    }
    world.read().await;
    for visit in &visits[..5] {
        world.service.person_deletes(ANA, &event_of(&world, *visit));
    }
    world.service.forget_tokens();
    assert_eq!(world.read().await, Reading::Suspicious { known: 6, gone: 5 });
    world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert_eq!(conflicts(&world).await.len(), 5);
    world.service.forget_tokens();
    let read = world.read().await;
    assert!(matches!(read, Reading::Read { .. }), "{read:?}");
    assert_eq!(conflicts(&world).await.len(), 5);
}

/// Few events of other people are gone with many of ours: all count.
#[tokio::test]
async fn a_complete_listing_without_any_event_stops_and_deletes_nothing() {
    let world = in_memory().await;
    for start in ["09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "14:00", "14:30", "15:00", "15:30"] {
        world.book(start).await;
    }
    for number in 0..3 {
        world.service.person_makes(ANA, &format!("e{number}"), elsewhere(), 60);
    }
    world.read().await;
    for event in world.service.events(ANA) {
        world.service.person_deletes(ANA, &event.id);
    }
    for _reading in 0..2 {
        world.service.forget_tokens();
        assert_eq!(world.read().await, Reading::Suspicious { known: 13, gone: 13 });
        assert_eq!((conflicts(&world).await, count_others(&world).await), (vec![], 3));
    }
    let accepted = world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(matches!(accepted, Reading::Read { .. }), "{accepted:?}");
    assert_eq!((conflicts(&world).await.len(), count_others(&world).await), (10, 0));
}

/// The listing lacks events of both kinds; what the service still has stays as it is.
#[tokio::test]
async fn few_missing_events_are_asked_for_one_by_one() {
    let world = in_memory().await;
    let mut visits = Vec::new();
    for start in ["09:00", "09:30", "10:00", "10:30"] {
        visits.push(world.book(start).await);
    }
    for number in 0..16 {
        world.service.person_makes(ANA, &format!("e{number}"), elsewhere(), 60);
    }
    world.service.set_page(3);
    world.read().await;
    let (gone, unlisted) = (visits[1], event_of(&world, visits[2]));
    world.service.person_deletes(ANA, &event_of(&world, gone));
    world.service.person_deletes(ANA, "e7");
    world.service.leave_out(ANA, &unlisted);
    world.service.leave_out(ANA, "e9");
    world.service.forget_tokens();
    world.service.take_calls();
    let read = world.read().await;
    assert!(matches!(read, Reading::Read { .. }), "{read:?}");
    let calls = world.service.take_calls();
    assert_eq!(calls.iter().filter(|call| **call == "find").count(), 4, "{calls:?}");
    assert_eq!(conflicts(&world).await, [(gone, ConflictKind::Deleted)]);
    assert_eq!(count_others(&world).await, 15);
    let held: BTreeSet<i64> = world.appointments().await.into_iter().map(|(id, _start)| id).collect();
    assert_eq!(held, visits.into_iter().map(i64::from).collect());
}
