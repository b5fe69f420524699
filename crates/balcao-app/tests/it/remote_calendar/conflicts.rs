//! What staff do about an edit outside: what was done there holds, ours is put back, or the customer moves.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_conflicts::{
    CalendarConflicts, ConflictChoice, ConflictRefusal, ResolvedConflict,
};
use balcao_app::scheduling::ways_out::ResolveRefusal;
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime, OutsideEvent};

use super::{ANA, BRUNO, DAY, World, in_memory};

type Change = fn(&mut OutsideEvent);

fn at(start: &str, minutes: u32) -> EventTime {
    EventTime::Timed(Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), minutes))
}

fn conflicts(world: &World) -> CalendarConflicts {
    CalendarConflicts::new(world.app.clone(), AccountPolicies::default())
}

/// A booking at 10:00 whose event a person changed.
async fn changed(change: Change) -> (World, String) {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.person_changes(ANA, &event.id, change);
    world.read().await;
    (world, event.id)
}

async fn resolve(world: &World, choice: ConflictChoice) -> Result<ResolvedConflict, ConflictRefusal> {
    let open = conflicts(world).list(world.organization, 9).await.unwrap();
    conflicts(world).resolve(world.organization, open[0].id, choice, true, Actor::Operator).await.unwrap()
}

async fn starts(world: &World) -> Vec<String> {
    world.appointments().await.into_iter().map(|(_, start)| start.strftime("%H:%M").to_string()).collect()
}

/// Nothing is open, and reading again finds nothing new.
async fn assert_settled(world: &World, story: &str) {
    world.settle_later(1).await;
    world.service.forget_tokens();
    world.read().await;
    assert_eq!(conflicts(world).list(world.organization, 9).await.unwrap(), [], "{story}");
    world.assert_equal(story).await;
}

#[tokio::test]
async fn ours_is_put_back_as_it_was() {
    let cases: [(Change, ConflictKind); 6] = [
        (|event| event.state = EventState::Cancelled, ConflictKind::Deleted),
        (|event| event.time = Some(at("12:00", 30)), ConflictKind::RefusedMove),
        (|event| event.time = Some(at("10:00", 90)), ConflictKind::Lengthened),
        (
            |event| event.time = Some(EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() }),
            ConflictKind::BecameAllDay,
        ),
        (|event| event.state = EventState::Free, ConflictKind::NoLongerBusy),
        (|event| event.mark = None, ConflictKind::OwnerChanged),
    ];
    for (change, kind) in cases {
        let (world, _) = changed(change).await;
        let open = conflicts(&world).list(world.organization, 9).await.unwrap();
        assert_eq!(open.iter().map(|one| one.kind).collect::<Vec<_>>(), [kind]);
        let ways = conflicts(&world).find(world.organization, open[0].id).await.unwrap().unwrap();
        assert!(ways.may_restore && ways.ways.iter().any(|way| way.way == "cancel" && way.text.contains("Corte")));
        let resolved = resolve(&world, ConflictChoice::Restore).await.unwrap();
        assert_eq!(resolved.booking, None);
        assert_eq!(starts(&world).await, ["13:00"], "{kind:?}");
        assert_settled(&world, &format!("{kind:?} put back")).await;
    }
}

#[tokio::test]
async fn a_deleted_event_cancels_its_booking_if_staff_say_so() {
    let (world, _) = changed(|event| event.state = EventState::Cancelled).await;
    let resolved = resolve(&world, ConflictChoice::TakeOutside).await.unwrap();
    assert!(resolved.booking.unwrap().notice.is_some());
    assert_eq!(starts(&world).await, Vec::<String>::new());
    assert_settled(&world, "cancelled").await;
    let all = conflicts(&world);
    let again = all.resolve(world.organization, resolved.id, ConflictChoice::Restore, true, Actor::Operator).await;
    assert_eq!(again.unwrap(), Err(ConflictRefusal::NotFound { id: resolved.id }));
}

/// The rules of booking hold for staff as for the person who moved it.
#[tokio::test]
async fn a_move_that_the_rules_refuse_stays_refused_and_the_customer_moves_elsewhere() {
    let (world, event) = changed(|event| event.time = Some(at("12:00", 30))).await;
    let refused = resolve(&world, ConflictChoice::TakeOutside).await;
    assert!(matches!(refused, Err(ConflictRefusal::Booking(ResolveRefusal::Booking(_)))), "{refused:?}");
    let to = ConflictChoice::Move { date: DAY, start_min: 15 * 60, professional: None };
    let resolved = resolve(&world, to).await.unwrap();
    assert!(resolved.booking.unwrap().changed);
    assert_eq!(starts(&world).await, ["18:00"]);
    assert_eq!(world.service.events(ANA)[0].id, event, "the same event goes along");
    assert_settled(&world, "moved elsewhere").await;
}

#[tokio::test]
async fn a_foreign_event_is_not_ours_to_change() {
    let world = in_memory().await;
    world.book("10:00").await;
    world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    world.read().await;
    let refused = resolve(&world, ConflictChoice::Restore).await;
    assert!(matches!(refused, Err(ConflictRefusal::NotOurs { .. })), "{refused:?}");
    let to = ConflictChoice::Move { date: DAY, start_min: 15 * 60, professional: None };
    resolve(&world, to).await.unwrap();
    assert_settled(&world, "moved away").await;
}

#[tokio::test]
async fn an_event_in_another_calendar_comes_back() {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.person_moves_to(ANA, &event.id, BRUNO);
    world.read().await;
    resolve(&world, ConflictChoice::Restore).await.unwrap();
    assert_settled(&world, "back in its calendar").await;
}
