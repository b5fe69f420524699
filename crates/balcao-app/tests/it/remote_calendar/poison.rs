//! An event or a calendar at which the program ends each time: after three times it is set aside, and the rest goes on.

use std::future::Future;

use balcao_app::admin::backlog::{self, BacklogKind};
use balcao_app::scheduling::calendar_comparison::CalendarComparison;
use balcao_app::scheduling::calendar_links::CalendarLinks;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::AppointmentId;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::calendar_service::MemoryService;
use jiff::SignedDuration;

use super::{ANA, BRUNO, World, in_memory, key, request, with_business};

/// Runs until the program ends at a call to the service; the work did not come to its end.
async fn end_at_call<T>(service: &MemoryService, work: impl Future<Output = T>) {
    tokio::select! {
        _ended = work => panic!("the program did not end"),
        () = service.crash() => {}
    }
}

impl World {
    async fn alarms(&self) -> Vec<BacklogKind> {
        let now = balcao_domain::Clock::now(self.clock.as_ref());
        let figures: Result<_, StoreError> =
            self.app.store.read(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures.unwrap(), now).into_iter().map(|alarm| alarm.what).collect()
    }

    /// The work after the next start: longer than any claim holds.
    async fn start_again(&self) {
        self.clock.advance(SignedDuration::from_mins(3));
        self.work().work_off().await.unwrap();
    }
}

#[tokio::test]
async fn an_event_at_which_the_program_crashed_three_times_is_set_aside_and_the_others_are_written() {
    // The business books also while nothing confirms the event.
    let business = BUSINESS.replace("scheduling: {", "scheduling: {when_calendar_is_down: book_anyway, ");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    // The number of the next appointment is one higher: that is the deadly one.
    let first = i64::from(world.book("09:00").await);
    let deadly = AppointmentId::try_from(first + 1).unwrap();
    let call = (first + 1).to_string();
    world.service.set_deadly(&call, true);
    // The booking itself ends the program, then the worker does, twice.
    let booking = world.booking();
    let book = booking.book(world.organization, world.ana.contact, key("deadly"), request("10:00"));
    end_at_call(&world.service, book).await;
    // The turn goes on after the start, while the claim of the push still holds.
    let booked = booking.book(world.organization, world.ana.contact, key("deadly"), request("10:00")).await.unwrap();
    assert_eq!(booked.value.unwrap().appointment.id, deadly);
    for _crash in 0..2 {
        assert_eq!(world.alarms().await, []);
        end_at_call(&world.service, world.start_again()).await;
    }
    world.start_again().await;
    world.book("11:00").await;
    assert_eq!(world.events().iter().map(|(id, _start)| *id).collect::<Vec<_>>(), [first, first + 2]);
    world.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(world.alarms().await, [BacklogKind::Event]);
    let links = CalendarLinks::new(world.app.clone());
    let status = links.status(world.organization).await.unwrap();
    assert_eq!((status.set_aside, status.waiting), (vec![deadly], 1));
    // Staff mended what was wrong, and take it up again.
    world.service.set_deadly(&call, false);
    world.start_again().await;
    assert_eq!(world.events().len(), 2, "nobody has taken it up");
    assert_eq!(world.work().take_up(world.organization).await.unwrap(), 1);
    world.start_again().await;
    world.assert_equal("taken up again").await;
    assert_eq!(world.alarms().await, []);
}

#[tokio::test]
async fn a_calendar_at_which_the_program_crashed_three_times_is_set_aside_and_the_others_are_read() {
    let world = in_memory().await;
    let organization = world.organization;
    world.link_to_read(BRUNO).await;
    world.service.set_deadly(ANA, true);
    // A customer's booking reads all calendars at once, so that both count; the next one reads each alone.
    let booking = world.booking();
    for attempt in ["one", "two"] {
        let book = booking.book(organization, world.ana.contact, key(attempt), request("10:00"));
        end_at_call(&world.service, book).await;
        world.clock.advance(SignedDuration::from_mins(3));
    }
    world.work().read(organization, BRUNO.to_owned(), false).await.unwrap();
    world.clock.advance(SignedDuration::from_mins(15));
    end_at_call(&world.service, world.start_again()).await;
    world.start_again().await;
    let read = world.work().read(organization, ANA.to_owned(), false).await.unwrap();
    assert!(matches!(read, Reading::Failed(_)), "{read:?}");
    world.clock.advance(SignedDuration::from_mins(16));
    world.work().work_off().await.unwrap();
    assert_eq!(world.alarms().await, [BacklogKind::Calendar]);
    let links = CalendarLinks::new(world.app.clone());
    let status = links.status(organization).await.unwrap();
    let shown: Vec<_> = status.links.iter().map(|one| (one.calendar.as_str(), one.failure.is_some())).collect();
    assert_eq!(shown, [(ANA, true), (BRUNO, false)]);
    world.service.set_deadly(ANA, false);
    assert_eq!(world.work().take_up(organization).await.unwrap(), 1);
    world.work().work_off().await.unwrap();
    world.book("10:00").await;
    world.assert_equal("taken up again").await;
}

#[tokio::test]
async fn a_comparison_at_which_the_program_crashed_three_times_is_set_aside_and_the_rest_goes_on() {
    let world = in_memory().await;
    let organization = world.organization;
    let appointment = i64::from(world.book("10:00").await);
    // An event that is not as it was last seen, and that no listing of changes names, is asked for by itself.
    let event = world.service.events(ANA).remove(0).id;
    world.read().await;
    world.service.hide_from_listings(true);
    world.service.person_changes(ANA, &event, |event| event.title = Some("Corte".to_owned()));
    let event = format!("event {event}");
    world.service.set_deadly(&event, true);
    let comparison = CalendarComparison::new(world.app.clone());
    for _crash in 0..3 {
        assert!(!world.alarms().await.contains(&BacklogKind::Nightly));
        end_at_call(&world.service, comparison.run_nightly(organization)).await;
        assert!(comparison.run_nightly(organization).await.unwrap().is_none(), "a process may be at it");
        world.clock.advance(SignedDuration::from_hours(1));
        world.work().work_off().await.unwrap();
    }
    assert!(comparison.run_nightly(organization).await.unwrap().is_none());
    // Bookings are written all the same.
    let later = i64::from(world.book("11:00").await);
    assert_eq!(world.events().iter().map(|(id, _start)| *id).collect::<Vec<_>>(), [appointment, later]);
    world.clock.advance(SignedDuration::from_hours(24));
    assert!(comparison.run_nightly(organization).await.unwrap().is_none(), "also a night later");
    assert!(world.alarms().await.contains(&BacklogKind::Nightly));
    assert!(CalendarLinks::new(world.app.clone()).status(organization).await.unwrap().comparison_set_aside);
    // Staff mended what was wrong, and take it up again.
    world.service.set_deadly(&event, false);
    assert_eq!(world.work().take_up(organization).await.unwrap(), 1);
    assert!(comparison.run_nightly(organization).await.unwrap().is_some());
    assert!(!world.alarms().await.contains(&BacklogKind::Nightly));
}

#[tokio::test]
async fn a_comparison_goes_on_without_a_calendar_that_was_set_aside() {
    let world = in_memory().await;
    let organization = world.organization;
    world.link_to_read(BRUNO).await;
    world.service.set_deadly(ANA, true);
    let comparison = CalendarComparison::new(world.app.clone());
    for _crash in 0..3 {
        end_at_call(&world.service, comparison.run_nightly(organization)).await;
        world.clock.advance(SignedDuration::from_hours(1));
    }
    world.work().work_off().await.unwrap();
    let compared = comparison.run_nightly(organization).await.unwrap().unwrap().unwrap();
    assert_eq!(compared.unread.iter().map(|one| one.calendar.as_str()).collect::<Vec<_>>(), [ANA]);
    assert!(!world.alarms().await.contains(&BacklogKind::Nightly));
}

#[tokio::test]
async fn a_comparison_without_an_answer_is_no_crash() {
    let world = in_memory().await;
    world.service.set_down(true);
    let comparison = CalendarComparison::new(world.app.clone());
    for _night in 0..5 {
        assert!(comparison.run_nightly(world.organization).await.unwrap().unwrap().is_err());
        world.clock.advance(SignedDuration::from_hours(1));
    }
    assert!(!world.alarms().await.contains(&BacklogKind::Nightly));
    world.service.set_down(false);
    assert!(comparison.run_nightly(world.organization).await.unwrap().unwrap().is_ok());
}
