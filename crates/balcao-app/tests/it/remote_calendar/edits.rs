//! What people do in an external calendar: their own time, moves of our events, and what staff have to resolve.

use balcao_app::admin::seed::BusinessFile;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::calendar_conflicts::CalendarConflicts;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime};
use balcao_store::scheduling::{calendar_conflict, calendar_mirror};
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use jiff::SignedDuration;
use jiff::civil::date;

use super::scene::at;
use super::{ANA, DAY, World, in_memory, key, with_business};

async fn free(world: &World) -> Vec<String> {
    let query = AvailabilityQuery { date: Some(DAY), ..AvailabilityQuery::default() };
    let found = Availability::new(world.app.clone()).on(world.organization, None, query).await.unwrap().unwrap();
    found.results.into_iter().flat_map(|one| one.slots).collect()
}

async fn conflicts(world: &World) -> Vec<ConflictKind> {
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
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

/// Of a listing of many pages, nothing is deleted before the last one was judged, and what people added counts all the same.
#[tokio::test]
async fn no_page_of_a_suspicious_listing_deletes_anything() {
    for forgets in [false, true] {
        let world = in_memory().await;
        let ours = world.book("15:00").await;
        for number in 10..30 {
            world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
        }
        world.read().await;
        let before = free(&world).await;
        world.service.set_page(3);
        world.service.person_deletes(ANA, &world.service.events(ANA)[0].id);
        for number in 10..20 {
            world.service.person_deletes(ANA, &format!("e{number}"));
        }
        world.service.person_makes(ANA, "late", at("11:00", 30), 60);
        if forgets {
            world.service.forget_tokens();
        }
        let read = world.read().await;
        assert!(matches!(read, Reading::Suspicious { known: 21, .. }), "{read:?}");
        assert_eq!(conflicts(&world).await, [], "the deletion of ours waits, too");
        assert!(world.appointments().await.iter().any(|(id, _)| *id == i64::from(ours)));
        let now = free(&world).await;
        let missing: Vec<_> = before.iter().filter(|slot| !now.contains(slot)).collect();
        assert_eq!(missing, ["11:00"], "what was added behind the deletions counts");
        let accepted = world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
        assert!(matches!(accepted, Reading::Read { .. }), "{accepted:?}");
        assert_eq!(conflicts(&world).await, [ConflictKind::Deleted], "a complete listing hides no deletion: {forgets}");
    }
}

/// Deletions of what our copy never held are no drop: free time, events that are over, and events that came and went.
#[tokio::test]
async fn deletions_of_what_was_never_known_are_not_counted() {
    let world = in_memory().await;
    for number in 0..6 {
        world.service.person_makes(ANA, &format!("kept{number}"), at("09:00", 60), 60);
    }
    for number in 0..40 {
        world.service.person_makes(ANA, &format!("free{number}"), at("11:00", 60), 60);
        world.service.person_changes(ANA, &format!("free{number}"), |event| event.state = EventState::Free);
    }
    world.read().await;
    for number in 0..40 {
        world.service.person_deletes(ANA, &format!("free{number}"));
        world.service.person_makes(ANA, &format!("gone{number}"), at("11:00", 60), 60);
        world.service.person_deletes(ANA, &format!("gone{number}"));
    }
    world.service.person_deletes(ANA, "kept0");
    assert!(matches!(world.read().await, Reading::Read { .. }));
}

/// What is held back until a listing was judged has a limit, whatever the business allows.
#[tokio::test]
async fn more_deletions_than_are_held_back_wait_for_a_person() {
    for (count, is_suspicious) in [(9_000, false), (10_001, true)] {
        let business = BUSINESS.replace("scheduling: {", "scheduling: {calendar_drop_percent: 100, ");
        let world = with_business(Store::open_in_memory().unwrap(), business).await;
        world.service.set_page(2_500);
        for number in 0..count {
            world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
        }
        world.read().await;
        for number in 0..count {
            world.service.person_deletes(ANA, &format!("e{number}"));
        }
        let read = world.read().await;
        assert_eq!(matches!(read, Reading::Suspicious { .. }), is_suspicious, "{count}: {read:?}");
    }
}

/// The events of visits are events: if most of them disappear at once, no visit is in conflict before a person says that it is true.
#[tokio::test]
async fn many_deletions_of_our_own_events_wait_for_a_person() {
    let world = in_memory().await;
    for start in ["09:00", "09:30", "10:00", "10:30", "11:00", "11:30"] {
        world.book(start).await;
    }
    world.read().await;
    for event in world.service.events(ANA).into_iter().take(5) {
        world.service.person_deletes(ANA, &event.id);
    }
    assert_eq!(world.read().await, Reading::Suspicious { known: 6, gone: 5 });
    assert_eq!(conflicts(&world).await, []);
    world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert_eq!(conflicts(&world).await, [ConflictKind::Deleted; 5]);
    // What we delete ourselves is not counted.
    let world = in_memory().await;
    for start in ["09:00", "09:30", "10:00", "10:30", "11:00"] {
        let id = world.book(start).await;
        let (booking, again) = (world.booking(), key(&format!("c{start}")));
        booking.cancel(world.organization, world.ana.contact, again, Some(id)).await.unwrap().value.unwrap();
    }
    assert!(matches!(world.read().await, Reading::Read { .. }));
}

/// One event that became unreadable keeps its time, and the rest of the listing goes on: also where the service forgot the token.
#[tokio::test]
async fn a_known_event_that_cannot_be_read_any_more_is_put_aside() {
    for is_listed in [true, false] {
        let world = in_memory().await;
        world.service.person_makes(ANA, "broken", at("09:00", 60), 60);
        world.read().await;
        let before = free(&world).await;
        world.service.make_unreadable(ANA, "broken");
        if !is_listed {
            world.service.leave_out(ANA, "broken");
        }
        world.service.person_makes(ANA, "other", at("11:00", 30), 60);
        world.service.forget_tokens();
        let read = world.read().await;
        assert!(matches!(read, Reading::Read { .. }), "{is_listed}: {read:?}");
        let organization = world.organization;
        let aside: Result<_, StoreError> =
            world.app.store.read(move |tx| calendar_mirror::list_quarantined(tx, organization, 9)).await;
        let aside: Vec<_> = aside.unwrap().into_iter().map(|one| one.event).collect();
        assert_eq!(aside, ["broken"], "{is_listed}");
        let left: Vec<_> = before.into_iter().filter(|slot| slot != "11:00").collect();
        assert_eq!(free(&world).await, left, "{is_listed}: its time is not known to be free");
    }
}

/// While one process reads a calendar, another one does not take its copy for a new one.
#[tokio::test]
async fn a_reading_that_another_process_holds_is_not_fresh() {
    let world = in_memory().await;
    let (work, organization) = (world.work(), world.organization);
    let (one, other) =
        tokio::join!(work.read(organization, ANA.to_owned(), false), work.read(organization, ANA.to_owned(), false),);
    let both = [one.unwrap(), other.unwrap()];
    assert!(both.contains(&Reading::Held) && both.contains(&Reading::Read { events: 0 }), "{both:?}");
}

#[test]
fn settings_of_calendars_outside_are_checked() {
    for wrong in ["calendar_drop_percent: 0", "calendar_drop_percent: 101", "calendar_event_title: name_and_phone"] {
        let business = BUSINESS.replace("scheduling: {", &format!("scheduling: {{{wrong}, "));
        let problems = BusinessFile::read("contract", &business).unwrap_err();
        let key = wrong.split(':').next().unwrap();
        assert!(format!("{problems:?}").contains(key), "{wrong}: {problems:?}");
    }
}

#[tokio::test]
async fn business_says_how_large_a_drop_may_be() {
    for (percent, is_suspicious) in [("60", false), ("50", true), ("1", true), ("100", false)] {
        let rules = format!("scheduling: {{calendar_drop_percent: {percent}, ");
        let business = BUSINESS.replace("scheduling: {", &rules);
        let world = with_business(Store::open_in_memory().unwrap(), business).await;
        for number in 0..10 {
            world.service.person_makes(ANA, &format!("e{number}"), at("09:00", 60), 60);
        }
        world.read().await;
        for number in 0..6 {
            world.service.person_deletes(ANA, &format!("e{number}"));
        }
        let read = world.read().await;
        assert_eq!(matches!(read, Reading::Suspicious { .. }), is_suspicious, "{percent} %: {read:?}");
    }
}

/// One weekly event on visits, and our own event made weekly: one conflict for each visit, with the instances, and one letter.
#[tokio::test]
async fn series_is_one_conflict_with_its_instances() {
    let world = in_memory().await;
    world.book("10:00").await;
    let ours = world.service.events(ANA).remove(0);
    world.service.person_deletes(ANA, &ours.id);
    let days = ["24", "25", "26", "27"];
    for day in days {
        let id = format!("{}_202611{day}T130000Z", ours.id);
        let start = format!("2026-11-{day}T10:00:00-03:00").parse().unwrap();
        world.service.person_makes(ANA, &id, EventTime::Timed(Span::of_minutes(start, 30)), 60);
        world.service.person_changes(ANA, &id, |event| {
            (event.series, event.mark) = (Some(ours.id.clone()), ours.mark.clone());
        });
    }
    world.read().await;
    world.service.forget_tokens();
    world.read().await;
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let list = async || all.page(world.organization, None, 9).await.unwrap().items;
    let open = list().await;
    let of_series: Vec<_> = open.iter().filter(|one| one.kind == ConflictKind::RecurringException).collect();
    let [one] = of_series.as_slice() else { panic!("{open:?}") };
    let shown: Vec<_> = one.instances.iter().map(|instance| instance.from.to_string()).collect();
    assert_eq!(shown, days.map(|day| format!("2026-11-{day}T10:00:00")));

    // It ends with its last instance.
    let world = in_memory().await;
    world.book("10:00").await;
    for (number, start) in ["10:00", "10:15"].into_iter().enumerate() {
        let id = format!("gym_{number}");
        world.service.person_makes(ANA, &id, at(start, 30), -60);
        world.service.person_changes(ANA, &id, |event| event.series = Some("gym".to_owned()));
    }
    world.read().await;
    assert_eq!(conflicts(&world).await, [ConflictKind::Collision]);
    world.service.person_deletes(ANA, "gym_0");
    world.read().await;
    assert_eq!(conflicts(&world).await, [ConflictKind::Collision]);
    world.service.person_changes(ANA, "gym_1", |event| event.time = Some(at("10:10", 30)));
    world.read().await;
    assert_eq!(conflicts(&world).await, [ConflictKind::Collision], "it still touches the visit");
    world.service.person_changes(ANA, "gym_1", |event| event.time = Some(at("15:00", 30)));
    world.read().await;
    assert_eq!(conflicts(&world).await, []);
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
    world.service.person_makes(ANA, "other", at("10:00", 60), -5);
    world.read().await;
    assert_eq!(conflicts(&world).await, [ConflictKind::Collision]);
    world.service.person_changes(ANA, "other", |event| event.time = Some(at("15:00", 60)));
    world.read().await;
    assert_eq!(conflicts(&world).await, [], "a person moved it away");
}
