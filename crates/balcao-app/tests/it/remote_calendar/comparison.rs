//! The comparison of appointments with their events: what it proves, repairs and lists, and how often it runs.

use balcao_app::scheduling::calendar_comparison::{CalendarComparison, Comparison, Difference, DifferenceKind};
use balcao_app::scheduling::calendar_links::{CalendarLinks, LastComparison};
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventTime};
use balcao_store::scheduling::calendar_conflict;
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::postgres::Database;
use jiff::SignedDuration;

use super::{ANA, World, in_memory, with_business, world};

fn comparison(world: &World) -> CalendarComparison {
    CalendarComparison::new(world.app.clone())
}

async fn compare(world: &World) -> Comparison {
    comparison(world).run(world.organization).await.unwrap().unwrap()
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
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 9)).await;
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
    assert_eq!(compared.differences, [Difference { appointment, what: DifferenceKind::Unreadable }]);
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
    compares_once_a_day(world(open()).await, open()).await;
}

#[tokio::test]
async fn a_comparison_runs_once_a_day_whatever_the_number_of_processes_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let open = || Store::connect(&database.url, OpenOptions::default()).unwrap();
    compares_once_a_day(world(open()).await, open()).await;
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
    assert_eq!(compared.differences, [Difference { appointment, what: DifferenceKind::NotRead }]);
    world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(compare(&world).await.is_proof());

    // The account does not see the calendar any more, and that deletes none of its events.
    world.service.remove_calendar(ANA);
    let compared = compare(&world).await;
    assert_eq!((compared.equal, compared.unread.len()), (0, 1), "{compared:?}");
    assert_eq!(compared.differences, [Difference { appointment, what: DifferenceKind::NotRead }]);
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 9)).await;
    assert_eq!(open.unwrap(), []);

    world.service.set_down(true);
    assert!(comparison(&world).run(world.organization).await.unwrap().is_err());
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
