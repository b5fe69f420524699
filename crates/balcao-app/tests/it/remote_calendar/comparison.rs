//! The comparison of appointments with their events: what it proves, repairs and lists, and how often it runs.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_comparison::{CalendarComparison, Comparison, Difference, DifferenceKind};
use balcao_app::scheduling::calendar_conflicts::{CalendarConflicts, ConflictChoice};
use balcao_app::scheduling::calendar_links::{CalendarLinks, LastComparison};
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventMark, EventState, EventTime, OutsideEvent};
use balcao_store::scheduling::calendar_conflict;
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::postgres::Database;
use jiff::SignedDuration;

use super::{ANA, BRUNO, DAY, World, in_memory, with_business, world};

fn comparison(world: &World) -> CalendarComparison {
    CalendarComparison::new(world.app.clone())
}

async fn compare(world: &World) -> Comparison {
    comparison(world).run(world.organization, false).await.unwrap().unwrap()
}

async fn nightly(world: &World) -> Option<Comparison> {
    comparison(world).run_nightly(world.organization).await.unwrap().map(|compared| compared.unwrap())
}

#[tokio::test]
async fn the_nightly_comparison_proves_equality_or_lists_what_differs() {
    let world = in_memory().await;
    world.book("10:00").await;
    world.book("11:00").await;
    assert_eq!(compare(&world).await, Comparison { equal: 2, ..Comparison::default() });
    let event = world.service.events(ANA).remove(0);
    world.service.person_deletes(ANA, &event.id);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.repaired), (1, 0));
    assert_eq!(compared.differences.iter().map(|one| one.what).collect::<Vec<_>>(), [DifferenceKind::Conflict]);
}

type Change = fn(&mut OutsideEvent, EventTime);

/// Staff let it stand, and it counts as a difference all the same.
#[tokio::test]
async fn event_that_differs_on_the_word_of_staff_is_listed_as_such() {
    let shorter = EventTime::Timed(Span::of_minutes("2026-11-24T10:00:00-03:00".parse().unwrap(), 15));
    let (from, until) = (DAY, DAY.tomorrow().unwrap());
    let whole_day = EventTime::AllDay { from, until };
    let changes: [(Change, EventTime); 4] = [
        (|event, shorter| event.time = Some(shorter), shorter),
        (|event, _| event.state = EventState::Free, shorter),
        (|event, whole_day| event.time = Some(whole_day), whole_day),
        (|event, _| event.mark = None, shorter),
    ];
    for (change, time) in changes {
        let world = in_memory().await;
        world.book("10:00").await;
        let event = world.service.events(ANA).remove(0);
        world.service.person_changes(ANA, &event.id, |event| change(event, time));
        world.read().await;
        let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
        let number = all.page(world.organization, None, 9).await.unwrap().items[0].id;
        let (take, by) = (ConflictChoice::TakeOutside, Actor::Operator);
        all.resolve(world.organization, number, take, true, by).await.unwrap().unwrap();
        let compared = compare(&world).await;
        assert_eq!((compared.equal, compared.repaired), (0, 0));
        assert_eq!(compared.differences.iter().map(|one| one.what).collect::<Vec<_>>(), [DifferenceKind::Accepted]);
    }
}

/// A booking that was made while the service was down.
#[tokio::test]
async fn what_only_needs_a_push_is_repaired() {
    let business = BUSINESS.replace("scheduling: {", "scheduling: {when_calendar_is_down: book_anyway, ");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    world.service.set_down(true);
    world.book("10:00").await;
    world.service.set_down(false);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.repaired, compared.differences.len()), (0, 1, 0));
    world.assert_equal("repaired").await;
    assert_eq!(compare(&world).await.equal, 1);
}

/// The service lost an event and lists no deletion of it: staff learn of it all the same.
#[tokio::test]
async fn an_event_that_vanished_without_a_word_is_a_conflict() {
    let world = in_memory().await;
    let appointment = world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.hide_from_listings(true);
    world.service.person_deletes(ANA, &event.id);
    let compared = compare(&world).await;
    assert_eq!(compared.differences.iter().map(|one| one.what).collect::<Vec<_>>(), [DifferenceKind::Conflict]);
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
    let open: Vec<_> = open.unwrap().into_iter().map(|one| (one.found.appointment, one.found.kind)).collect();
    assert_eq!(open, [(appointment, ConflictKind::Deleted)]);
}

/// One event that cannot be read is listed, and the others are compared.
#[tokio::test]
async fn an_event_that_cannot_be_read_does_not_end_the_comparison() {
    let world = in_memory().await;
    let appointment = world.book("10:00").await;
    world.book("11:00").await;
    let event = world
        .service
        .events(ANA)
        .into_iter()
        .find(|one| one.mark.as_ref().is_some_and(|mark| mark.appointment == i64::from(appointment)));
    world.service.make_unreadable(ANA, &event.unwrap().id);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.repaired), (1, 0));
    assert_eq!(compared.differences, [Difference::about(appointment, DifferenceKind::Unreadable)]);
}

/// The comparison looks from both sides, and staff see what it found until the next one.
#[tokio::test]
async fn an_event_of_ours_that_shows_no_appointment_is_listed_and_stays_to_be_seen() {
    let world = in_memory().await;
    world.book("10:00").await;
    let ours = world.service.events(ANA).remove(0).mark.unwrap();
    let elsewhere = EventTime::Timed(Span::of_minutes("2026-12-30T13:00:00Z".parse().unwrap(), 30));
    world.service.person_makes(ANA, "orphan", elsewhere, 60);
    world.service.person_changes(ANA, "orphan", |event| {
        event.mark = Some(EventMark { appointment: 999, ..ours });
    });
    let compared = nightly(&world).await.unwrap();
    assert!(!compared.is_proof() && compared.equal == 1, "{compared:?}");
    let (calendar, event) = (Some(ANA.to_owned()), Some("orphan".to_owned()));
    let expected = Difference { what: DifferenceKind::NoAppointment, appointment: None, calendar, event };
    assert_eq!(compared.differences, [expected]);
    let links = CalendarLinks::new(world.app.clone());
    let shown = links.status(world.organization).await.unwrap().differences;
    let found_at = world.app.clock.now();
    let first = shown.clone();
    let shown: Vec<_> = shown.iter().map(|one| (one.what.as_str(), one.event.as_deref(), one.found_at)).collect();
    assert_eq!(shown, [("no_appointment", Some("orphan"), Some(found_at))]);
    world.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(nightly(&world).await.unwrap().differences.len(), 1);
    assert_eq!(links.status(world.organization).await.unwrap().differences, first, "since the first night");
    world.service.person_deletes(ANA, "orphan");
    world.clock.advance(SignedDuration::from_hours(20));
    world.read().await;
    assert!(nightly(&world).await.unwrap().is_proof());
    assert_eq!(links.status(world.organization).await.unwrap().differences, []);
}

/// However far ahead the business takes bookings: each month ahead is one more listing of every calendar.
#[tokio::test]
async fn events_of_ours_are_looked_for_400_days_ahead_and_no_further() {
    let business = BUSINESS.replace("maximum_advance_days: 60", "maximum_advance_days: 900");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    world.book("10:00").await;
    let ours = world.service.events(ANA).remove(0).mark.unwrap();
    for (id, appointment, start) in [("within", 998, "2027-12-23T13:00:00Z"), ("beyond", 999, "2028-02-01T13:00:00Z")] {
        let time = EventTime::Timed(Span::of_minutes(start.parse().unwrap(), 30));
        world.service.person_makes(ANA, id, time, 60);
        let mark = EventMark { appointment, ..ours.clone() };
        world.service.person_changes(ANA, id, |event| event.mark = Some(mark));
    }
    let found: Vec<_> = nightly(&world).await.unwrap().differences.into_iter().map(|one| one.event).collect();
    assert_eq!(found, [Some("within".to_owned())]);
}

/// An edit that no listing showed is judged at once, and does not wait for the next reading.
#[tokio::test]
async fn an_edit_that_comes_after_the_reading_is_judged_by_the_comparison() {
    let kind = |differences: &[Difference]| differences.iter().map(|one| one.what).collect::<Vec<_>>();
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.read().await;
    world.service.hide_from_listings(true);
    world.service.person_changes(ANA, &event.id, |event| event.title = Some("Corte (boné)".to_owned()));
    let compared = compare(&world).await;
    assert_eq!((compared.repaired, kind(&compared.differences)), (1, vec![]), "nothing that was promised changed");
    let shorter = EventTime::Timed(Span::of_minutes("2026-11-24T13:00:00Z".parse().unwrap(), 15));
    world.service.person_changes(ANA, &event.id, |event| event.time = Some(shorter));
    assert_eq!(kind(&compare(&world).await.differences), [DifferenceKind::Conflict]);
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
    let open: Vec<_> = open.unwrap().into_iter().map(|one| one.found.kind).collect();
    assert_eq!(open, [ConflictKind::Shortened]);
}

/// A service that says by a fault that most events are gone makes no conflict of each.
#[tokio::test]
async fn very_many_events_that_vanished_wait_for_a_person() {
    let world = in_memory().await;
    for start in ["09:00", "09:30", "10:00", "10:30", "11:00", "11:30"] {
        world.book(start).await;
    }
    world.read().await;
    world.service.hide_from_listings(true);
    for event in world.service.events(ANA).into_iter().take(5) {
        world.service.person_deletes(ANA, &event.id);
    }
    let organization = world.organization;
    let count = async || {
        let open: Result<_, StoreError> =
            world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
        open.unwrap().len()
    };
    let compared = compare(&world).await;
    let vanished = compared.differences.iter().filter(|one| one.what == DifferenceKind::Vanished).count();
    assert_eq!((compared.equal, vanished, count().await), (1, 5, 0), "{compared:?}");
    let accepted = comparison(&world).run(organization, true).await.unwrap().unwrap();
    assert_eq!((accepted.equal, count().await), (1, 5), "{accepted:?}");
}

/// Two programs share one database; the day begins at three in the morning.
async fn compares_once_a_day(here: World, there: Store) {
    here.book("10:00").await;
    let there = here.beside(there);
    let (one, other) = tokio::join!(nightly(&here), nightly(&there));
    let ran: Vec<_> = one.into_iter().chain(other).collect();
    assert_eq!(ran, [Comparison { equal: 1, ..Comparison::default() }]);
    assert_eq!((nightly(&here).await, nightly(&there).await), (None, None));
    here.clock.advance(SignedDuration::from_hours(12));
    assert_eq!(nightly(&there).await, None, "it is 20:00 of the same day");
    here.clock.advance(SignedDuration::from_hours(6));
    assert_eq!(nightly(&here).await, None, "it is 02:00, and the night begins at three");
    here.clock.advance(SignedDuration::from_hours(1));
    assert!(nightly(&there).await.is_some());
    assert_eq!(nightly(&here).await, None);
}

#[tokio::test]
async fn a_comparison_runs_once_a_day_whatever_the_number_of_processes_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    Box::pin(compares_once_a_day(world(open()).await, open())).await;
}

#[tokio::test]
async fn a_comparison_runs_once_a_day_whatever_the_number_of_processes_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let open = || Store::connect(&database.url, OpenOptions::default()).unwrap();
    Box::pin(compares_once_a_day(world(open()).await, open())).await;
}

/// Whatever a reading fails with, the comparison proves nothing: it fails, or it says which calendar is not known.
#[tokio::test]
async fn a_calendar_that_is_not_read_proves_nothing() {
    let world = in_memory().await;
    for number in 0..10 {
        let time = EventTime::Timed(Span::of_minutes("2026-11-24T12:00:00Z".parse().unwrap(), 30));
        world.service.person_makes(ANA, &format!("e{number}"), time, 60);
    }
    world.read().await;
    let appointment = world.book("10:00").await;
    for number in 0..9 {
        world.service.person_deletes(ANA, &format!("e{number}"));
    }
    let compared = compare(&world).await;
    assert!(!compared.is_proof(), "{compared:?}");
    assert_eq!(compared.unread.iter().map(|one| one.calendar.as_str()).collect::<Vec<_>>(), [ANA]);
    assert_eq!(compared.differences, [Difference::about(appointment, DifferenceKind::NotRead)]);
    world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(compare(&world).await.is_proof());

    // The account does not see the calendar any more, and that deletes none of its events.
    world.service.remove_calendar(ANA);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.unread.len()), (0, 1), "{compared:?}");
    assert_eq!(compared.differences, [Difference::about(appointment, DifferenceKind::NotRead)]);
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
    assert_eq!(open.unwrap(), []);

    world.service.set_down(true);
    assert!(comparison(&world).run(world.organization, false).await.unwrap().is_err());
}

/// One calendar of two does not answer: the other one is proved all the same. A night in which none answers proves nothing.
#[tokio::test]
async fn a_calendar_that_does_not_answer_is_listed_and_the_others_are_compared() {
    let world = in_memory().await;
    world.link_to_read(BRUNO).await;
    let appointment = world.book("10:00").await;
    let unread = |compared: &Comparison| compared.unread.iter().map(|one| one.calendar.clone()).collect::<Vec<_>>();
    world.service.set_silent(BRUNO, true);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.differences.len(), unread(&compared)), (1, 0, vec![BRUNO.to_owned()]));
    assert!(!compared.is_proof());
    world.service.set_silent(ANA, true);
    assert!(comparison(&world).run(world.organization, false).await.unwrap().is_err(), "none answers");
    world.service.set_silent(BRUNO, false);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, unread(&compared)), (0, vec![ANA.to_owned()]));
    assert_eq!(compared.differences, [Difference::about(appointment, DifferenceKind::NotRead)]);
    world.service.set_silent(ANA, false);
    assert!(compare(&world).await.is_proof());
    // The readings are answered, and the listing for events without an appointment is not.
    world.service.set_blind(true);
    assert!(comparison(&world).run(world.organization, false).await.unwrap().is_err());
}

/// A service that does not answer, or a crash, leaves the claim; an hour later another process takes it.
#[tokio::test]
async fn a_comparison_without_an_end_is_run_again_an_hour_later() {
    let world = in_memory().await;
    world.book("10:00").await;
    world.service.set_down(true);
    assert!(comparison(&world).run_nightly(world.organization).await.unwrap().unwrap().is_err());
    world.service.set_down(false);
    assert_eq!(nightly(&world).await, None);
    world.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(nightly(&world).await.map(|compared| compared.equal), Some(1));
    let last = CalendarLinks::new(world.app.clone()).status(world.organization).await.unwrap().last_comparison;
    let ended_at = world.app.clock.now();
    assert_eq!(last, Some(LastComparison { ended_at, equal: 1, repaired: 0, differing: 0 }));
}
