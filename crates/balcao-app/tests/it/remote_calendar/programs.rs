//! Several programs on one calendar: two of ours over one database, and a foreign one.

use balcao_app::UseCaseError;
use balcao_app::context::calendar_service::RemoteCalendarError;
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventTime};
use balcao_store::scheduling::calendar_conflict;
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::calendar_service::CallFault;
use balcao_testkit::postgres::Database;

use super::{ANA, BRUNO, World, in_memory, key, request, to, with_business, world};

fn ten() -> EventTime {
    EventTime::Timed(Span::of_minutes("2026-11-24T13:00:00Z".parse().unwrap(), 30))
}

/// Of two customers who want one slot through two programs one has it, and the calendar has one event.
async fn one_of_two_has_the_slot(first: &World, second: &World) {
    for (round, start) in ["09:00", "10:00", "11:00", "14:00", "16:00"].into_iter().enumerate() {
        let (one, other) = (first.booking(), second.booking());
        let (a, b) = tokio::join!(
            one.book(first.organization, first.ana.contact, key(&format!("a{round}")), request(start)),
            other.book(second.organization, second.bia.contact, key(&format!("b{round}")), request(start)),
        );
        let (a, b) = (a.unwrap().value, b.unwrap().value);
        assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{a:?} {b:?}");
        let refused = a.err().or(b.err()).unwrap();
        assert!(matches!(refused, BookingRefusal::SlotTaken { .. }), "{refused:?}");
        assert_eq!(first.events().len(), round + 1);
    }
    first.assert_equal("two programs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_that_want_one_slot_leave_one_event_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    let first = world(Store::open(&path, OpenOptions::default()).unwrap()).await;
    let second = first.beside(Store::open(&path, OpenOptions::default()).unwrap());
    one_of_two_has_the_slot(&first, &second).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_that_want_one_slot_leave_one_event_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let connect = || Store::connect(&database.url, OpenOptions::default()).unwrap();
    let first = world(connect()).await;
    let second = first.beside(connect());
    one_of_two_has_the_slot(&first, &second).await;
}

/// Of two programs the one whose event was made first has the time; ours gives way and says what is free.
#[tokio::test]
async fn an_event_that_was_there_first_has_the_time() {
    let world = in_memory().await;
    let booking = world.booking();
    // It comes between our reading and our insert: as if it were read too late.
    world.service.hide_from_listings(true);
    world.service.person_makes(ANA, "theirs", ten(), 60);
    let book = async || booking.book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
    let refused = book().await.unwrap().value.unwrap_err();
    let BookingRefusal::SlotTaken { alternatives } = &refused else { panic!("{refused:?}") };
    assert!(!alternatives.is_empty() && alternatives.iter().all(|slot| slot.start != "10:00"), "{alternatives:?}");
    assert_eq!(world.events(), []);
    assert_eq!(world.appointments().await, []);
    assert_eq!(book().await.unwrap().value.unwrap_err(), refused, "the same key has the same answer");
    world.assert_equal("gave way").await;
}

/// The event of a moved appointment was made long ago, and comes to its new time last. The new time may overlap the old one.
#[tokio::test]
async fn a_move_to_a_time_that_a_person_took_meanwhile_is_taken_back_and_refused() {
    for (start, taken) in [("10:00", "10:00"), ("09:30", "10:00")] {
        let business = BUSINESS.replace("duration_minutes: 30", "duration_minutes: 60");
        let world = with_business(Store::open_in_memory().unwrap(), business).await;
        let booked = world.book("09:00").await;
        let before = (world.appointments().await, world.events());
        let event = world.service.events(ANA).remove(0).id;
        world.service.hide_from_listings(true);
        let span = Span::of_minutes(format!("2026-11-24T{taken}:00-03:00").parse().unwrap(), 30);
        world.service.person_makes(ANA, "theirs", EventTime::Timed(span), 0);
        world.service.person_changes(ANA, "theirs", |event| {
            event.created_at = event.created_at.map(|at| at + jiff::SignedDuration::from_millis(1));
        });
        let moves = async |name: &str, start: &str| {
            let (booking, organization, contact) = (world.booking(), world.organization, world.ana.contact);
            booking.reschedule(organization, contact, key(name), to(start)).await.unwrap().value
        };
        let refused = moves("m", start).await.unwrap_err();
        let BookingRefusal::SlotTaken { alternatives } = &refused else { panic!("{refused:?}") };
        assert!(!alternatives.is_empty() && alternatives.iter().all(|slot| slot.start != start), "{alternatives:?}");
        assert_eq!((world.appointments().await, world.events()), before);
        assert!(world.service.events(ANA).iter().any(|one| one.id == event), "it is the same event");
        assert_eq!(moves("m", start).await.unwrap_err(), refused, "the same key has the same answer");
        world.settle_later(1).await;
        world.assert_equal("taken back").await;
        assert_eq!(moves("n", "15:00").await.unwrap().old.id, booked, "it can be moved elsewhere");
        world.settle_later(1).await;
        world.assert_equal("moved elsewhere").await;
    }
}

/// A person's event in a calendar that is only read counts like one beside ours.
#[tokio::test]
async fn an_event_that_was_first_in_a_calendar_that_is_only_read_has_the_time() {
    let world = in_memory().await;
    let organization = world.organization;
    world.link_to_read(BRUNO).await;
    world.service.hide_from_listings(true);
    world.service.person_makes(BRUNO, "theirs", ten(), 60);
    let booked = world.booking().book(organization, world.ana.contact, key("1"), request("10:00")).await;
    let refused = booked.unwrap().value.unwrap_err();
    assert!(matches!(refused, BookingRefusal::SlotTaken { .. }), "{refused:?}");
    world.settle_later(1).await;
    world.assert_equal("gave way").await;
}

/// The service neither takes the event nor lists it, so nothing says that the visit stands: no customer hears that it does.
#[tokio::test]
async fn an_event_that_was_never_confirmed_confirms_no_booking_unless_the_business_books_anyway() {
    for (rules, is_booked) in [("", false), ("when_calendar_is_down: book_anyway, ", true)] {
        let business = BUSINESS.replace("scheduling: {", &format!("scheduling: {{{rules}"));
        let world = with_business(Store::open_in_memory().unwrap(), business).await;
        world.service.suffer([CallFault::RequestLost, CallFault::RequestLost]);
        let booking = world.booking();
        let book = async || booking.book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
        let answer = book().await;
        assert_eq!(answer.is_ok(), is_booked, "{answer:?}");
        assert_eq!(world.appointments().await.len(), usize::from(is_booked));
        assert_eq!(
            book().await.unwrap().value.unwrap().appointment.start,
            "10:00",
            "the key is free, or has its answer"
        );
        world.settle_later(1).await;
        world.assert_equal("never confirmed").await;
    }
}

/// The insert of a refused booking arrives after its id was looked up: the event is recognised and deleted, before or after a retry.
#[tokio::test]
async fn insert_that_arrives_after_the_refusal_leaves_no_event() {
    for arrives_first in [true, false] {
        let world = in_memory().await;
        world.service.suffer([CallFault::Late, CallFault::RequestLost]);
        let booking = world.booking();
        let book = async || booking.book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
        assert!(matches!(book().await, Err(UseCaseError::RemoteCalendar(_))));
        if arrives_first {
            world.service.deliver_late();
            assert_eq!(world.events().len(), 1);
            world.read().await;
            world.settle_later(1).await;
            assert_eq!(world.events(), []);
        }
        assert_eq!(book().await.unwrap().value.unwrap().appointment.start, "10:00", "{arrives_first}");
        world.service.deliver_late();
        world.read().await;
        world.settle_later(1).await;
        assert_eq!(world.events().len(), 1);
        world.assert_equal("arrived after the refusal").await;
        assert_eq!(conflicts(&world).await, []);
    }
}

/// Nothing of a booking that was given up is left a day later.
#[tokio::test]
async fn booking_that_was_given_up_is_forgotten_a_day_later() {
    let world = in_memory().await;
    world.service.suffer([CallFault::RequestLost, CallFault::RequestLost]);
    let booked = world.booking().book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
    assert!(booked.is_err());
    assert_eq!((world.count_visits().await, world.count_traces().await), (0, 1), "a late event would be known");
    world.clock.advance(jiff::SignedDuration::from_hours(25));
    world.read().await;
    world.settle_later(1).await;
    assert_eq!(world.count_traces().await, 0);
}

#[tokio::test]
async fn an_event_that_came_later_gives_way_to_ours() {
    let world = in_memory().await;
    world.service.hide_from_listings(true);
    world.service.person_makes(ANA, "theirs", ten(), -60);
    world.book("10:00").await;
    assert_eq!(world.events().len(), 1);
}

#[tokio::test]
async fn while_the_service_is_down_nothing_is_done_and_the_same_key_may_try_again() {
    let world = in_memory().await;
    let booked = world.book("09:00").await;
    world.service.set_down(true);
    let (booking, organization, ana) = (world.booking(), world.organization, world.ana.contact);
    let book = async || booking.book(organization, ana, key("1"), request("10:00")).await;
    let moved = booking.reschedule(organization, ana, key("2"), to("15:00")).await.map(drop);
    let cancelled = booking.cancel(organization, ana, key("3"), Some(booked)).await.map(drop);
    for answer in [book().await.map(drop), moved, cancelled] {
        assert!(
            matches!(answer, Err(UseCaseError::RemoteCalendar(RemoteCalendarError::Unavailable { .. }))),
            "{answer:?}"
        );
    }
    assert_eq!(world.appointments().await.len(), 1);
    world.service.set_down(false);
    assert_eq!(book().await.unwrap().value.unwrap().appointment.start, "10:00");
    world.assert_equal("up again").await;
}

/// The reading worked, and the insert did not: the claim is withdrawn without a trace.
#[tokio::test]
async fn a_claim_is_withdrawn_if_the_event_certainly_was_not_written() {
    let world = in_memory().await;
    world.service.suffer([CallFault::Busy]);
    let booking = world.booking();
    let book = async || booking.book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
    let failed = book().await;
    assert!(matches!(failed, Err(UseCaseError::RemoteCalendar(_))), "{failed:?}");
    assert_eq!((world.appointments().await, world.events()), (Vec::new(), Vec::new()));
    let bia = booking.book(world.organization, world.bia.contact, key("2"), request("10:00")).await;
    assert!(bia.unwrap().value.is_ok());
    let refused = book().await.unwrap().value.unwrap_err();
    assert!(matches!(refused, BookingRefusal::SlotTaken { .. }), "{refused:?}");
    world.assert_equal("withdrawn").await;
}

/// The event is written, and whether another one was there first cannot be known: nothing is confirmed.
#[tokio::test]
async fn booking_is_not_confirmed_while_the_service_does_not_say_what_was_there_first() {
    for rival_age_s in [None, Some(60), Some(-60)] {
        let world = in_memory().await;
        world.service.hide_from_listings(true);
        if let Some(age_s) = rival_age_s {
            world.service.person_makes(ANA, "theirs", ten(), age_s);
        }
        world.service.set_blind(true);
        let booking = world.booking();
        let book = async || booking.book(world.organization, world.ana.contact, key("1"), request("10:00")).await;
        for _try in 0..2 {
            let unsure = book().await;
            let is_unavailable =
                matches!(unsure, Err(UseCaseError::RemoteCalendar(RemoteCalendarError::Unavailable { .. })));
            assert!(is_unavailable, "{rival_age_s:?}: {unsure:?}");
            assert_eq!((world.appointments().await, world.events()), (Vec::new(), Vec::new()), "{rival_age_s:?}");
        }
        world.service.set_blind(false);
        let answer = book().await.unwrap().value;
        // Our first event was the later one of the two, so is the next.
        assert_eq!(answer.is_ok(), rival_age_s != Some(60), "{rival_age_s:?}: {answer:?}");
        world.settle_later(1).await;
        world.assert_equal("a service that does not say it").await;
    }
}

#[tokio::test]
async fn business_that_books_anyway_books_also_if_the_service_does_not_say_what_was_there_first() {
    let business = BUSINESS.replace("scheduling: {", "scheduling: {when_calendar_is_down: book_anyway, ");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    world.service.set_blind(true);
    world.book("10:00").await;
    world.assert_equal("booked anyway").await;
}

#[tokio::test]
async fn a_business_may_book_while_the_service_is_down_and_shows_it_later() {
    let business = BUSINESS.replace("scheduling: {", "scheduling: {when_calendar_is_down: book_anyway, ");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    world.service.set_down(true);
    let first = world.book("10:00").await;
    world.book("11:00").await;
    let cancelled = world.booking().cancel(world.organization, world.ana.contact, key("c"), Some(first)).await.unwrap();
    assert!(cancelled.value.is_ok());
    assert_eq!((world.events().len(), world.appointments().await.len()), (0, 1));
    world.service.set_down(false);
    world.settle_later(70).await;
    world.assert_equal("down and up").await;
}

/// Two installations count businesses, professionals and appointments alike, and their clocks agree.
#[tokio::test]
async fn two_installations_with_one_calendar_take_each_others_events_for_busy_time() {
    let (ours, mut theirs) = (in_memory().await, in_memory().await);
    theirs.service = ours.service.clone();
    theirs.app = theirs.app.clone().with_remote_calendar(Some(ours.service.clone()));
    assert_eq!((ours.organization, ours.professional), (theirs.organization, theirs.professional));
    let (first, second) = (ours.book("10:00").await, theirs.book("11:00").await);
    assert_eq!(first, second, "the numbers are the same");
    let ids: Vec<_> = ours.service.events(ANA).into_iter().map(|event| event.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    for (world, taken) in [(&ours, "11:00"), (&theirs, "10:00")] {
        world.read().await;
        world.service.forget_tokens();
        world.read().await;
        let refused = world.booking().book(world.organization, world.bia.contact, key("bia"), request(taken)).await;
        let refused = refused.unwrap().value.unwrap_err();
        assert!(matches!(refused, BookingRefusal::SlotTaken { .. }), "{refused:?}");
        assert_eq!(conflicts(world).await, []);
    }
    for world in [&ours, &theirs] {
        let booking = world.booking();
        booking.cancel(world.organization, world.ana.contact, key("c"), None).await.unwrap().value.unwrap();
        world.read().await;
    }
    assert_eq!(ours.service.events(ANA), [], "each took its own away");
}

/// An event that an earlier build wrote names no installation. It stays ours where our tables know it, and is another's elsewhere.
#[tokio::test]
async fn an_event_of_an_earlier_build_stays_ours() {
    let (world, mut other) = (in_memory().await, in_memory().await);
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.person_changes(ANA, &event.id, |event| {
        if let Some(mark) = &mut event.mark {
            mark.owner.installation.clear();
        }
    });
    world.read().await;
    assert_eq!(conflicts(&world).await, []);
    other.service = world.service.clone();
    other.app = other.app.clone().with_remote_calendar(Some(world.service.clone()));
    let refused = other.booking().book(other.organization, other.ana.contact, key("1"), request("10:00")).await;
    assert!(matches!(refused.unwrap().value, Err(BookingRefusal::SlotTaken { .. })));
    let moved = world.booking().reschedule(world.organization, world.ana.contact, key("m"), to("15:00")).await;
    moved.unwrap().value.unwrap();
    world.settle_later(1).await;
    world.assert_equal("written by an earlier build").await;
    let signed = world.service.events(ANA).remove(0);
    assert_eq!((signed.id, signed.mark.map(|mark| mark.owner)), (event.id, event.mark.map(|mark| mark.owner)));
}

pub(super) async fn conflicts(world: &World) -> Vec<ConflictKind> {
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
    open.unwrap().into_iter().map(|one| one.found.kind).collect()
}
