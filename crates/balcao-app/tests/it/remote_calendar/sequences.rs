//! What comes together: a further edit, a move of the customer and a choice of staff, one behind the other.

use balcao_app::context::notification_accounts::{HandoffAlerts, NotificationAccounts};
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_conflicts::{
    CalendarConflict, CalendarConflicts, ConflictChoice, ConflictRefusal,
};
use balcao_domain::Span;
use balcao_domain::outbox::OutboxState;
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime};
use balcao_store::messaging::outbox;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;

use balcao_app::scheduling::calendar_comparison::CalendarComparison;

use super::{ANA, BRUNO, DAY, World, in_memory, key, request, to, with_business};

const STAFF: &str = "staff:\n  - {name: Davi, email: davi@contrato.example, role: attendant, on_duty: true}\n";

fn at(start: &str, minutes: u32) -> EventTime {
    EventTime::Timed(Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), minutes))
}

fn conflicts(world: &World) -> CalendarConflicts {
    CalendarConflicts::new(world.app.clone(), AccountPolicies::default())
}

async fn open(world: &World) -> Vec<CalendarConflict> {
    conflicts(world).page(world.organization, None, 20).await.unwrap().items
}

async fn read_both(world: &World) {
    for calendar in [ANA, BRUNO] {
        world.work().read(world.organization, calendar.to_owned(), false).await.unwrap();
    }
}

async fn booked() -> (World, String) {
    let world = in_memory().await;
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    read_both(&world).await;
    let event = world.service.events(ANA).remove(0).id;
    (world, event)
}

async fn shop() -> (World, String) {
    let mut world = with_business(Store::open_in_memory().unwrap(), format!("{BUSINESS}{STAFF}")).await;
    let accounts = NotificationAccounts {
        email: Some("agenda@contrato.example".to_owned()),
        handoffs: HandoffAlerts { email: true, whatsapp: false },
        ..NotificationAccounts::default()
    };
    world.app = world.app.clone().with_notices(accounts);
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    read_both(&world).await;
    let event = world.service.events(ANA).remove(0).id;
    (world, event)
}

async fn letters(world: &World) -> Vec<String> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| outbox::list(tx, organization, OutboxState::Pending, 100));
    let all: Result<_, StoreError> = read.await;
    let ours = all.unwrap().into_iter().filter(|one| one.kind == "notice_calendar");
    ours.map(|one| one.body).collect()
}

fn brief(all: &[CalendarConflict]) -> Vec<String> {
    all.iter()
        .map(|one| {
            let (a, from) = (&one.appointment, one.event_from);
            format!("#{} {:?} visit {} {} {:?} event {from:?}", one.id, one.kind, a.id, a.start, a.status)
        })
        .collect()
}

/// The event was moved on after the conflict was read: "take" is where it is now, or refused; never where it was.
#[tokio::test]
async fn take_is_where_the_event_is_now() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("16:00", 45)));
    let done = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    world.settle_later(1).await;
    assert_eq!(done, Err(ConflictRefusal::Changed { id: number }));
}

#[tokio::test]
async fn take_of_another_calendar_is_where_the_event_is_now() {
    let (world, event) = booked().await;
    world.service.person_moves_to(ANA, &event, BRUNO);
    world.service.person_changes(BRUNO, &event, |one| one.time = Some(at("15:00", 30)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    world.service.person_changes(BRUNO, &event, |one| one.time = Some(at("16:00", 30)));
    let done = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    world.settle_later(1).await;
    assert_eq!(done, Err(ConflictRefusal::Changed { id: number }));
}

#[tokio::test]
async fn take_of_a_move_whose_event_is_deleted_now() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    world.service.person_deletes(ANA, &event);
    let done = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    world.settle_later(1).await;
    assert_eq!(done, Err(ConflictRefusal::Changed { id: number }));
}

/// A copy that takes no time makes one letter.
#[tokio::test]
async fn free_copy_is_told_once() {
    let (world, event) = shop().await;
    let ours = world.service.events(ANA).into_iter().find(|one| one.id == event).unwrap();
    world.service.person_makes(ANA, "copy", at("16:00", 30), -60);
    world.service.person_changes(ANA, "copy", |copy| {
        copy.mark = ours.mark;
        copy.state = EventState::Free;
    });
    read_both(&world).await;
    let first = open(&world).await;
    let told = letters(&world).await.len();
    for _ in 0..3 {
        world.service.forget_tokens();
        read_both(&world).await;
    }
    let again = open(&world).await;
    assert_eq!((again, letters(&world).await.len()), (first, told));
}

/// The customer knows ten o'clock.
#[tokio::test]
async fn message_names_the_time_that_the_customer_knows() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 30)));
    read_both(&world).await;
    world.settle_later(1).await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("16:00", 45)));
    read_both(&world).await;
    let all = open(&world).await;
    let number = all.iter().find(|one| one.kind == ConflictKind::MovedAndResized).unwrap().id;
    let done = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    let text = done.booking.unwrap().notice.unwrap().text;
    assert!(text.contains("10") && !text.contains("15"), "{text}");
}

/// So does the message of a cancellation.
#[tokio::test]
async fn cancellation_names_the_time_that_the_customer_knows() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 30)));
    read_both(&world).await;
    world.settle_later(1).await;
    world.service.person_deletes(ANA, &event);
    read_both(&world).await;
    let all = open(&world).await;
    let number = all.iter().find(|one| one.kind == ConflictKind::Deleted).unwrap().id;
    let done = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    let text = done.booking.unwrap().notice.unwrap().text;
    assert!(!text.contains("15"), "{text}");
}

/// A customer moves while staff have not decided about the event's other calendar: the conflict goes with the visit, and whatever staff
/// choose leaves one event, where the visit is.
#[tokio::test]
async fn customer_moves_while_the_event_is_in_another_calendar() {
    for choice in [ConflictChoice::Restore, ConflictChoice::TakeOutside] {
        let (world, event) = booked().await;
        world.service.person_moves_to(ANA, &event, BRUNO);
        read_both(&world).await;
        let moved = world.booking().reschedule(world.organization, world.ana.contact, key("m"), to("15:00")).await;
        moved.unwrap().value.unwrap();
        world.settle_later(1).await;
        read_both(&world).await;
        let all = open(&world).await;
        let found: Vec<_> = all.iter().map(|one| (one.kind, one.appointment.start.as_str())).collect();
        assert_eq!(found, [(ConflictKind::OtherCalendar, "15:00")]);
        let done =
            conflicts(&world).resolve(world.organization, all[0].id, choice.clone(), true, Actor::Operator).await;
        done.unwrap().unwrap();
        world.settle_later(1).await;
        world.service.forget_tokens();
        read_both(&world).await;
        world.settle_later(30).await;
        assert_eq!((open(&world).await, world.service.events(BRUNO)), (Vec::new(), Vec::new()), "{choice:?}");
        assert_eq!(world.events(), world.appointments().await, "{choice:?}");
        let compared = CalendarComparison::new(world.app.clone()).run(world.organization, false).await;
        assert!(compared.unwrap().unwrap().is_proof(), "{choice:?}");
    }
}

/// Staff let a longer event stand; the person makes it as it was.
#[tokio::test]
async fn event_that_is_as_its_visit_again_is_no_conflict() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("10:00", 90)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, false, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("10:00", 30)));
    read_both(&world).await;
    assert_eq!(brief(&open(&world).await), Vec::<String>::new());
}

/// Staff had not decided when the customer moved.
#[tokio::test]
async fn customer_moves_while_a_conflict_is_open() {
    for (start, minutes) in [("10:00", 90), ("15:00", 45), ("12:00", 30)] {
        let (world, event) = booked().await;
        world.service.person_changes(ANA, &event, |one| one.time = Some(at(start, minutes)));
        read_both(&world).await;
        let moved = world.booking().reschedule(world.organization, world.ana.contact, key("m"), to("17:00")).await;
        moved.unwrap().value.unwrap();
        world.settle_later(1).await;
        read_both(&world).await;
        assert_eq!(open(&world).await.len(), 1, "{start} {minutes}");
    }
}

/// The letter names commands that can be taken.
#[tokio::test]
async fn letter_offers_no_take_that_is_refused() {
    let (world, event) = shop().await;
    // Lunch: closed.
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("12:15", 45)));
    read_both(&world).await;
    let all = open(&world).await;
    let take = conflicts(&world)
        .resolve(world.organization, all[0].id, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    assert!(take.is_err(), "{take:?}");
    let letters = letters(&world).await;
    assert_eq!((all[0].kind, letters.len()), (ConflictKind::MovedAndResized, 1));
    assert!(!letters[0].contains("--take"), "{}", letters[0]);
}

/// What is put back is put back, also if the person did two things at once.
#[tokio::test]
async fn event_that_lost_more_than_its_calendar_is_put_back() {
    type Change = fn(&mut balcao_domain::outside_event::OutsideEvent);
    let changes: [(&str, Change); 4] = [
        ("mark", |one| one.mark = None),
        ("free", |one| one.state = EventState::Free),
        ("day", |one| one.time = Some(EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() })),
        ("longer", |one| one.time = Some(at("10:00", 90))),
    ];
    let mut wrong = Vec::new();
    for (name, change) in changes {
        let (world, event) = booked().await;
        world.service.person_moves_to(ANA, &event, BRUNO);
        world.service.person_changes(BRUNO, &event, change);
        read_both(&world).await;
        let all = open(&world).await;
        let number = all.iter().find(|one| one.kind == ConflictKind::OtherCalendar).unwrap().id;
        conflicts(&world)
            .resolve(world.organization, number, ConflictChoice::Restore, true, Actor::Operator)
            .await
            .unwrap()
            .unwrap();
        world.settle_later(1).await;
        read_both(&world).await;
        let left = open(&world).await;
        if !left.is_empty() {
            wrong.push((name, brief(&left)));
        }
    }
    assert_eq!(wrong, []);
}

/// Customer books again, moves, and the conflict of staff is answered afterwards: the words of a letter that is older than a move.
#[tokio::test]
async fn conflict_goes_with_the_visit_that_its_customer_moves() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("10:00", 90)));
    read_both(&world).await;
    let first = open(&world).await[0].id;
    world
        .booking()
        .reschedule(world.organization, world.ana.contact, key("m"), to("17:00"))
        .await
        .unwrap()
        .value
        .unwrap();
    world.settle_later(1).await;
    let done = conflicts(&world)
        .resolve(world.organization, first, ConflictChoice::Restore, true, Actor::Operator)
        .await
        .unwrap();
    world.settle_later(1).await;
    read_both(&world).await;
    done.unwrap();
    assert_eq!(world.events(), world.appointments().await);
}

/// The time at which our event lies stays taken, whatever staff chose meanwhile.
#[tokio::test]
async fn time_of_an_event_that_went_on_is_not_given_away_by_a_take() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("16:00", 45)));
    let refused = conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    assert_eq!(refused, Err(ConflictRefusal::Changed { id: number }));
    world.settle_later(1).await;
    read_both(&world).await;
    let other = world.booking().book(world.organization, world.bia.contact, key("bia"), request("16:00")).await;
    let other = other.unwrap().value.map(|one| one.appointment.start);
    assert!(other.is_err(), "{other:?}: two events at one time");
}

/// Staff move the visit by the ordinary command while its event is in another calendar.
#[tokio::test]
async fn customer_of_a_followed_event_moves_on() {
    let (world, event) = booked().await;
    world.service.person_moves_to(ANA, &event, BRUNO);
    read_both(&world).await;
    let number = open(&world).await[0].id;
    // No professional's visits are written there, and the time is the same: the event stays there.
    conflicts(&world)
        .resolve(world.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    world.settle_later(1).await;
    world.service.person_changes(BRUNO, &event, |one| one.time = Some(at("15:00", 30)));
    read_both(&world).await;
    world.settle_later(1).await;
    read_both(&world).await;
    assert_eq!(world.appointments().await.len(), 1);
    world.service.person_deletes(ANA, &event);
    read_both(&world).await;
    world.settle_later(1).await;
    let all = open(&world).await;
    assert_eq!(all.iter().filter(|one| one.kind == ConflictKind::Deleted).count(), 1);
}
