//! What people do in a calendar outside: their own time, moves of our events, and what staff have to resolve.

use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime};
use balcao_store::StoreError;
use balcao_store::scheduling::{calendar_conflict, calendar_mirror};
use jiff::SignedDuration;
use jiff::civil::date;

use super::{ANA, DAY, World, in_memory};

fn at(start: &str, minutes: u32) -> EventTime {
    EventTime::Timed(Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), minutes))
}

async fn free(world: &World) -> Vec<String> {
    let query = AvailabilityQuery { date: Some(DAY), ..AvailabilityQuery::default() };
    let found = Availability::new(world.app.clone()).on(world.organization, None, query).await.unwrap().unwrap();
    found.results.into_iter().flat_map(|one| one.slots).collect()
}

async fn conflicts(world: &World) -> Vec<ConflictKind> {
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 9)).await;
    open.unwrap().into_iter().map(|one| one.found.kind).collect()
}

#[tokio::test]
async fn what_people_have_in_their_calendar_is_not_offered() {
    let world = in_memory().await;
    let before = free(&world).await;
    world.service.person_makes(ANA, "dentist", at("09:00", 60), 60);
    world.service.person_makes(ANA, "free", at("11:00", 60), 60);
    world.service.person_changes(ANA, "free", |event| event.state = EventState::Free);
    world.read().await;
    let taken = ["09:00", "09:30"];
    let expected: Vec<String> = before.iter().filter(|slot| !taken.contains(&slot.as_str())).cloned().collect();
    assert_eq!(free(&world).await, expected);
    world.service.person_deletes(ANA, "dentist");
    world.read().await;
    assert_eq!(free(&world).await, before);
    world.service.person_makes(ANA, "holiday", EventTime::AllDay { from: DAY, until: date(2026, 11, 25) }, 60);
    world.read().await;
    assert_eq!(free(&world).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_copy_that_is_too_old_offers_nothing() {
    let world = in_memory().await;
    assert!(!free(&world).await.is_empty());
    world.service.set_down(true);
    world.clock.advance(SignedDuration::from_mins(31));
    assert_eq!(free(&world).await, Vec::<String>::new());
    world.service.set_down(false);
    world.read().await;
    assert!(!free(&world).await.is_empty());
}

#[tokio::test]
async fn a_reading_goes_page_by_page_and_twice_is_once() {
    let world = in_memory().await;
    world.service.set_page(3);
    for number in 0..10 {
        world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
    }
    world.service.make_unreadable(ANA, "broken");
    assert_eq!(world.read().await, Reading::Read { events: 11 });
    assert_eq!(world.read().await, Reading::Read { events: 0 });
    let organization = world.organization;
    let (count, aside) = world
        .app
        .store
        .read(move |tx| {
            let count = calendar_mirror::count(tx, organization, ANA, jiff::Timestamp::MIN)?;
            Ok::<_, StoreError>((count, calendar_mirror::list_quarantined(tx, organization, 9)?))
        })
        .await
        .unwrap();
    assert_eq!((count, aside.len(), aside[0].event.as_str()), (10, 1, "broken"));
}

/// Neither with a token nor without one is the copy ever emptied by a listing that lacks events.
#[tokio::test]
async fn many_deletions_at_once_wait_for_a_person() {
    let world = in_memory().await;
    for number in 0..10 {
        world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
    }
    world.read().await;
    for number in 0..6 {
        world.service.person_deletes(ANA, &format!("e{number}"));
    }
    assert_eq!(world.read().await, Reading::Suspicious { known: 10, gone: 6 });
    world.service.forget_tokens();
    assert_eq!(world.read().await, Reading::Suspicious { known: 10, gone: 6 });
    let accepted = world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(matches!(accepted, Reading::Read { .. }), "{accepted:?}");
    let organization = world.organization;
    let left: Result<u32, StoreError> =
        world.app.store.read(move |tx| calendar_mirror::count(tx, organization, ANA, jiff::Timestamp::MIN)).await;
    assert_eq!(left.unwrap(), 4);
}

/// More than are asked for at once: the guard counts them all, and all go once a person agreed.
#[tokio::test]
async fn very_many_deletions_that_a_complete_listing_shows_wait_for_a_person_too() {
    let world = in_memory().await;
    for number in 0..700 {
        world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
    }
    world.read().await;
    for number in 0..650 {
        world.service.person_deletes(ANA, &format!("e{number}"));
    }
    world.service.forget_tokens();
    assert_eq!(world.read().await, Reading::Suspicious { known: 700, gone: 650 });
    let accepted = world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(matches!(accepted, Reading::Read { .. }), "{accepted:?}");
    let organization = world.organization;
    let left: Result<u32, StoreError> =
        world.app.store.read(move |tx| calendar_mirror::count(tx, organization, ANA, jiff::Timestamp::MIN)).await;
    assert_eq!(left.unwrap(), 50);
}

/// What people make of our event takes its time until they put it back.
#[tokio::test]
async fn the_time_that_our_event_was_given_outside_is_not_offered() {
    let whole_day = EventTime::AllDay { from: DAY, until: date(2026, 11, 25) };
    let cases = [
        (at("10:00", 90), vec!["10:30", "11:00"]),
        (at("12:00", 60), vec![]),
        (at("10:00", 15), vec![]),
        (whole_day, vec!["09:00", "14:00", "17:30"]),
    ];
    for (time, taken) in cases {
        let world = in_memory().await;
        world.book("10:00").await;
        world.read().await;
        let before = free(&world).await;
        let event = world.service.events(ANA).remove(0);
        world.service.person_changes(ANA, &event.id, |event| event.time = Some(time));
        world.read().await;
        world.read().await;
        let now = free(&world).await;
        for start in taken {
            assert!(
                before.iter().any(|slot| slot == start) && !now.iter().any(|slot| slot == start),
                "{time:?}: {now:?}"
            );
        }
        world.service.person_changes(ANA, &event.id, |changed| changed.time = event.time);
        world.read().await;
        assert_eq!(free(&world).await, before, "{time:?}");
    }
}

#[tokio::test]
async fn a_moved_event_takes_its_appointment_along_at_the_agreed_price() {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.person_changes(ANA, &event.id, |event| event.time = Some(at("15:00", 30)));
    world.read().await;
    world.settle_later(1).await;
    world.assert_equal("moved outside").await;
    let (_, start) = world.appointments().await[0];
    assert_eq!(start, "2026-11-24T18:00:00Z".parse::<jiff::Timestamp>().unwrap());
    assert_eq!(world.service.events(ANA).len(), 1);
    assert_eq!(world.service.events(ANA)[0].id, event.id, "it is the same event");
    assert_eq!(conflicts(&world).await, [ConflictKind::Moved], "staff decide what the customer reads");
}

#[tokio::test]
async fn whatever_else_people_do_to_our_event_waits_for_staff() {
    type Change = fn(&mut balcao_domain::outside_event::OutsideEvent);
    let cases: [(Change, ConflictKind); 6] = [
        (|event| event.state = EventState::Cancelled, ConflictKind::Deleted),
        (|event| event.time = Some(at("12:00", 30)), ConflictKind::RefusedMove),
        (|event| event.time = Some(at("10:00", 15)), ConflictKind::Shortened),
        (|event| event.time = Some(at("10:00", 90)), ConflictKind::Lengthened),
        (|event| event.state = EventState::Free, ConflictKind::NoLongerBusy),
        (|event| event.mark = None, ConflictKind::OwnerChanged),
    ];
    for (change, kind) in cases {
        let world = in_memory().await;
        world.book("10:00").await;
        let before = world.appointments().await;
        let event = world.service.events(ANA).remove(0);
        world.service.person_changes(ANA, &event.id, change);
        world.read().await;
        world.read().await;
        assert_eq!((conflicts(&world).await, world.appointments().await), (vec![kind], before), "{kind:?}");
    }
}

#[tokio::test]
async fn a_foreign_event_on_an_appointment_is_a_conflict_until_it_goes() {
    let world = in_memory().await;
    world.book("10:00").await;
    world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    world.read().await;
    assert_eq!(conflicts(&world).await, [ConflictKind::Collision]);
    world.service.person_deletes(ANA, "late");
    world.read().await;
    assert_eq!(conflicts(&world).await, []);
}
