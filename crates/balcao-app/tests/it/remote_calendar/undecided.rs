//! What happens while staff have not decided about an edit: a new title, a move of the customer, yet another calendar.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_comparison::CalendarComparison;
use balcao_app::scheduling::calendar_conflicts::{CalendarConflict, CalendarConflicts};
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::Span;
use balcao_domain::outside_event::EventTime;
use balcao_testkit::fakes::calendar_service::CallFault;

use super::{ANA, BRUNO, DAY, World, in_memory, key, request, to};

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

fn brief(all: &[CalendarConflict]) -> Vec<String> {
    all.iter()
        .map(|one| {
            let (a, from) = (&one.appointment, one.event_from);
            format!("#{} {:?} visit {} {} {:?} event {from:?}", one.id, one.kind, a.id, a.start, a.status)
        })
        .collect()
}

async fn move_to(world: &World, name: &str, start: &str) {
    let moved = world.booking().reschedule(world.organization, world.ana.contact, key(name), to(start)).await;
    moved.unwrap().value.unwrap();
}

async fn compared(world: &World) -> String {
    format!("{:?}", CalendarComparison::new(world.app.clone()).run(world.organization, false).await)
}

/// A title is edited after a push found the conflict: the conflict stays.
#[tokio::test]
async fn conflict_stays_if_a_title_is_edited_after_the_customer_moved() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    move_to(&world, "m", "17:00").await;
    world.settle_later(1).await;
    read_both(&world).await;
    let before = brief(&open(&world).await);
    world.service.person_changes(ANA, &event, |one| one.title = Some("x".to_owned()));
    read_both(&world).await;
    world.settle_later(1).await;
    assert_eq!((brief(&open(&world).await), before.len()), (before, 1), "{}", compared(&world).await);
}

/// The same, if the push found what no reading had found.
#[tokio::test]
async fn conflict_that_a_push_found_stays_if_a_title_is_edited() {
    let (world, event) = booked().await;
    world.service.hide_from_listings(true);
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    move_to(&world, "m", "17:00").await;
    world.service.hide_from_listings(false);
    world.settle_later(1).await;
    let before = brief(&open(&world).await);
    world.service.person_changes(ANA, &event, |one| one.title = Some("x".to_owned()));
    read_both(&world).await;
    world.settle_later(1).await;
    assert_eq!((brief(&open(&world).await), before.len()), (before, 1), "{}", compared(&world).await);
}

/// The person takes back what was done after the customer moved: the event goes where the visit is.
#[tokio::test]
async fn event_that_is_as_it_was_goes_with_the_visit_that_moved() {
    let (world, event) = booked().await;
    let mark = world.service.events(ANA)[0].mark.clone();
    for undone in [false, true] {
        world.service.person_changes(ANA, &event, |one| one.mark = mark.clone().filter(|_| undone));
        read_both(&world).await;
        if !undone {
            move_to(&world, "m", "17:00").await;
            world.settle_later(1).await;
            assert_eq!(open(&world).await.len(), 1);
        }
    }
    world.settle_later(1).await;
    read_both(&world).await;
    assert_eq!(
        world.events(),
        world.appointments().await,
        "{:?} {}",
        brief(&open(&world).await),
        compared(&world).await
    );
}

/// The customer moves twice before staff decide: no choice of an outdated conflict brings the visit to a time at which no event is.
#[tokio::test]
async fn customer_moves_twice_before_staff_decide() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    for (name, start) in [("m", "17:00"), ("m2", "16:00")] {
        move_to(&world, name, start).await;
        world.settle_later(1).await;
        read_both(&world).await;
    }
    let all = open(&world).await;
    let is_as_visit = world.events() == world.appointments().await;
    assert_eq!(all.is_empty(), is_as_visit, "{:?} events {:?}", brief(&all), world.events());
}

/// An event is edited while a push waits, and the push leaves it to staff: its time is taken.
#[tokio::test]
async fn time_of_an_event_that_was_edited_while_a_push_waited_is_not_offered() {
    let (world, event) = booked().await;
    let id = world.appointments().await[0].0;
    world.service.suffer([CallFault::Busy]);
    let way = Way::Move { date: DAY, start_min: 17 * 60, professional: None };
    let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
    ways.resolve(world.organization, id.try_into().unwrap(), way, None, Actor::Operator).await.unwrap().unwrap();
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
    read_both(&world).await;
    world.settle_later(2).await;
    read_both(&world).await;
    let other = world.booking().book(world.organization, world.bia.contact, key("bia"), request("15:00")).await;
    let other = other.unwrap().value.map(|one| one.appointment.start);
    assert!(other.is_err(), "{other:?}: two events at one time {:?}", world.events());
}

/// The new calendar is read before the old one.
#[tokio::test]
async fn event_that_went_on_into_another_calendar_is_one_conflict() {
    for first in [[ANA, BRUNO], [BRUNO, ANA]] {
        let (world, event) = booked().await;
        world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 45)));
        read_both(&world).await;
        world.service.person_moves_to(ANA, &event, BRUNO);
        for calendar in first {
            world.work().read(world.organization, calendar.to_owned(), false).await.unwrap();
        }
        let all = brief(&open(&world).await);
        assert_eq!(all.len(), 1, "{first:?} {all:?}");
    }
}

/// Another's event lies on a visit, and the customer goes.
#[tokio::test]
async fn collision_with_a_visit_that_went_ends() {
    let mut left = Vec::new();
    for cancel in [false, true] {
        let (world, _event) = booked().await;
        world.service.person_makes(ANA, "theirs", at("10:00", 60), 5);
        read_both(&world).await;
        assert_eq!(open(&world).await.len(), 1);
        if cancel {
            let gone = world.booking().cancel(world.organization, world.ana.contact, key("c"), None).await;
            gone.unwrap().value.unwrap();
        } else {
            move_to(&world, "m", "17:00").await;
        }
        world.settle_later(1).await;
        world.service.person_changes(ANA, "theirs", |one| one.title = Some("x".to_owned()));
        world.service.forget_tokens();
        read_both(&world).await;
        left.push((cancel, brief(&open(&world).await), compared(&world).await));
    }
    assert!(left.iter().all(|(_, open, _)| open.is_empty()), "{left:?}");
}

/// An ordinary move or cancellation by staff names the time that the customer knows.
#[tokio::test]
async fn ordinary_ways_of_staff_name_the_time_that_the_customer_knows() {
    let mut texts = Vec::new();
    for way in [Way::Move { date: DAY, start_min: 17 * 60, professional: None }, Way::Cancel] {
        let (world, event) = booked().await;
        world.service.person_changes(ANA, &event, |one| one.time = Some(at("15:00", 30)));
        read_both(&world).await;
        world.settle_later(1).await;
        let id = world.appointments().await[0].0;
        let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
        let done = ways.resolve(world.organization, id.try_into().unwrap(), way, None, Actor::Operator).await;
        texts.push(done.unwrap().unwrap().notice.unwrap().text);
    }
    assert!(texts.iter().all(|text| text.contains("10h") && !text.contains("15h")), "{texts:?}");
}
