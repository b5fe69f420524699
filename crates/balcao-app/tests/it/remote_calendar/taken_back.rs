//! A move that is taken back leaves nothing behind: no notice, no offer, no second visit, and its key is free.

use balcao_app::UseCaseError;
use balcao_app::context::calendar_service::RemoteCalendarError;
use balcao_app::scheduling::booking::{BookingRefusal, Rescheduled};
use balcao_app::scheduling::waitlist::{JoinRequest, Waitlist};
use balcao_domain::Span;
use balcao_domain::outside_event::EventTime;
use balcao_domain::waitlist::DayPeriod;
use balcao_store::scheduling::{calendar_conflict, waitlist};
use balcao_store::turns::event;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::calendar_service::CallFault;
use jiff::SignedDuration;

use super::{ANA, DAY, World, in_memory, key, to, with_business};

type Moved = Result<Result<Rescheduled, BookingRefusal>, UseCaseError>;

async fn move_to(world: &World, start: &str) -> Moved {
    let moved = world.booking().reschedule(world.organization, world.ana.contact, key("m"), to(start)).await;
    moved.map(|recorded| recorded.value)
}

fn is_unavailable(moved: &Moved) -> bool {
    matches!(moved, Err(UseCaseError::RemoteCalendar(_)))
}

/// Bia waits for a time of the morning.
async fn let_bia_wait(world: &World) {
    let wish = JoinRequest { date: DAY, professional: None, service: None, period: Some(DayPeriod::Morning) };
    let joined = Waitlist::new(world.app.clone()).join(world.organization, world.bia.contact, key("wait"), wish).await;
    joined.unwrap().value.unwrap();
}

/// How many wait without an offer.
async fn count_without_offer(world: &World) -> usize {
    let organization = world.organization;
    let waiting: Result<_, StoreError> =
        world.app.store.read(move |tx| waitlist::waiting_for(tx, organization, DAY)).await;
    waiting.unwrap().len()
}

/// How many moves other programs learned of.
async fn count_announced(world: &World) -> usize {
    let pushed: Result<_, StoreError> = world.app.store.read(move |tx| event::waiting(tx, 100)).await;
    pushed.unwrap().iter().filter(|one| one.kind == "appointment_rescheduled").count()
}

/// The event is changed, and whether another one was there first cannot be known: the customer does not hear that the visit moved.
#[tokio::test]
async fn move_is_not_confirmed_while_the_service_does_not_say_what_was_there_first() {
    let world = in_memory().await;
    world.book("09:00").await;
    let_bia_wait(&world).await;
    let before = (world.appointments().await, world.events());
    world.service.set_blind(true);
    for _try in 0..2 {
        let unsure = move_to(&world, "15:00").await;
        assert!(
            matches!(unsure, Err(UseCaseError::RemoteCalendar(RemoteCalendarError::Unavailable { .. }))),
            "{unsure:?}"
        );
        assert_eq!((world.appointments().await, world.events()), before);
        assert_eq!((world.count_visits().await, count_announced(&world).await), (1, 0), "nothing is left of the move");
        assert_eq!(count_without_offer(&world).await, 1, "the old time is offered to no one");
    }
    world.service.set_blind(false);
    assert_eq!(move_to(&world, "15:00").await.unwrap().unwrap().new.appointment.start, "15:00");
    assert_eq!((count_announced(&world).await, count_without_offer(&world).await), (1, 0));
    assert_eq!(move_to(&world, "15:00").await.unwrap().unwrap().new.appointment.start, "15:00", "the same answer");
    assert_eq!(count_announced(&world).await, 1);
    world.settle_later(1).await;
    world.assert_equal("moved at last").await;
}

/// The service is over a limit, so the event certainly did not move.
#[tokio::test]
async fn move_that_the_service_did_not_take_is_taken_back() {
    let world = in_memory().await;
    world.book("09:00").await;
    let before = (world.appointments().await, world.events());
    world.service.suffer([CallFault::Busy]);
    let failed = move_to(&world, "15:00").await;
    assert!(is_unavailable(&failed), "{failed:?}");
    assert_eq!((world.appointments().await, world.events()), before);
    world.settle_later(1).await;
    world.assert_equal("not taken").await;
    assert!(move_to(&world, "15:00").await.unwrap().is_ok());
    world.assert_equal("taken").await;
}

/// The change of a move that was taken back arrives later: its version is an old one by then, or the event goes back once more.
#[tokio::test]
async fn change_that_arrives_after_its_move_was_taken_back_changes_nothing() {
    for deliver_before_the_way_back in [false, true] {
        let world = in_memory().await;
        world.book("09:00").await;
        let before = (world.appointments().await, world.events());
        world.service.suffer([CallFault::Late]);
        world
            .service
            .suffer(std::iter::repeat_n(CallFault::RequestLost, if deliver_before_the_way_back { 40 } else { 17 }));
        let lost = move_to(&world, "15:00").await;
        assert!(is_unavailable(&lost), "{lost:?}");
        assert_eq!(world.appointments().await, before.0);
        world.service.deliver_late();
        for _minute in 0..20 {
            world.settle_later(5).await;
            world.read().await;
        }
        world.assert_equal("late change").await;
        assert_eq!((world.appointments().await, world.events()), before, "{deliver_before_the_way_back}");
        assert_eq!(world.count_visits().await, 1);
        assert_eq!(super::programs::conflicts(&world).await, []);
    }
}

/// A business that books without the calendar has its move, also while the service does not say what was there first.
#[tokio::test]
async fn business_that_books_anyway_moves_also_if_the_service_does_not_say_what_was_there_first() {
    let business = BUSINESS.replace("scheduling: {", "scheduling: {when_calendar_is_down: book_anyway, ");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    world.book("09:00").await;
    world.service.set_blind(true);
    assert!(move_to(&world, "15:00").await.unwrap().is_ok());
    assert_eq!(count_announced(&world).await, 1);
    world.assert_equal("moved anyway").await;
}

/// The old time goes to the waitlist only once it is certain that the customer left it.
#[tokio::test]
async fn refused_move_offers_its_old_time_to_no_one() {
    let world = in_memory().await;
    world.book("09:00").await;
    let_bia_wait(&world).await;
    world.service.hide_from_listings(true);
    let span = Span::of_minutes("2026-11-24T15:00:00-03:00".parse().unwrap(), 30);
    world.service.person_makes(ANA, "theirs", EventTime::Timed(span), 60);
    let refused = move_to(&world, "15:00").await.unwrap();
    assert!(matches!(refused, Err(BookingRefusal::SlotTaken { .. })), "{refused:?}");
    assert_eq!((count_without_offer(&world).await, count_announced(&world).await), (1, 0));
    assert_eq!(world.count_visits().await, 1);
    world.settle_later(1).await;
    world.assert_equal("refused").await;
    assert_eq!(count_without_offer(&world).await, 1);
}

/// The program ends before the look, and its turn does not go on: the move stands, and is announced once.
#[tokio::test]
async fn move_whose_run_ended_is_announced_by_the_server() {
    let world = in_memory().await;
    let booked = i64::from(world.book("09:00").await);
    let next = (booked + 1).to_string();
    let_bia_wait(&world).await;
    world.service.set_deadly(&next, true);
    tokio::select! {
        moved = move_to(&world, "15:00") => panic!("{moved:?}"),
        () = world.service.crash() => {}
    }
    world.service.set_deadly(&next, false);
    assert_eq!(count_announced(&world).await, 0);
    world.clock.advance(SignedDuration::from_mins(2));
    world.booking().expire_pending(world.organization).await.unwrap();
    assert_eq!((count_announced(&world).await, count_without_offer(&world).await), (0, 1), "its turn may go on");
    world.settle_later(2).await;
    assert_eq!((count_announced(&world).await, count_without_offer(&world).await), (1, 0));
    assert_eq!(move_to(&world, "15:00").await.unwrap().unwrap().new.appointment.start, "15:00");
    world.settle_later(2).await;
    assert_eq!(count_announced(&world).await, 1);
    world.assert_equal("announced").await;
}

/// The run ended before it looked, and another event was there first.
#[tokio::test]
async fn move_whose_run_ended_beside_an_earlier_event_is_taken_back_by_the_server() {
    let world = in_memory().await;
    let booked = i64::from(world.book("09:00").await);
    let next = (booked + 1).to_string();
    let_bia_wait(&world).await;
    let before = world.appointments().await;
    world.service.set_deadly(&next, true);
    tokio::select! {
        moved = move_to(&world, "15:00") => panic!("{moved:?}"),
        () = world.service.crash() => {}
    }
    world.service.set_deadly(&next, false);
    let at_three = EventTime::Timed(Span::of_minutes("2026-11-24T15:00:00-03:00".parse().unwrap(), 30));
    world.service.person_makes(ANA, "dentist", at_three, 60);
    world.settle_later(4).await;
    assert_eq!((count_announced(&world).await, count_without_offer(&world).await), (0, 1), "nothing is announced");
    assert_eq!(world.appointments().await, before);
    world.settle_later(4).await;
    world.assert_equal("taken back").await;
    let organization = world.organization;
    let open: Result<_, StoreError> =
        world.app.store.read(move |tx| calendar_conflict::list_open(tx, organization, 0, 9)).await;
    assert_eq!(open.unwrap(), [], "its time is the other event's alone");
    let again = move_to(&world, "15:00").await.unwrap();
    assert!(matches!(again, Err(BookingRefusal::SlotTaken { .. })), "{again:?}");
    world.assert_equal("and refused").await;
}
