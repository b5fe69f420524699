//! What staff do about an edit outside: what was done there holds, ours is put back, or the customer moves.

use balcao_app::context::staff_email::Actor;
use balcao_app::scheduling::calendar_conflicts::{
    BookingEffect, ConflictChoice, ConflictRefusal, ConflictWay, ResolvedConflict,
};
use balcao_app::scheduling::ways_out::ResolveRefusal;
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime, OutsideEvent};

use super::scene::{at, conflicts};
use super::{ANA, BRUNO, DAY, World, in_memory, key};

type Change = fn(&mut OutsideEvent);

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
    let open = conflicts(world).page(world.organization, None, 9).await.unwrap().items;
    conflicts(world).resolve(world.organization, open[0].id, choice, true, Actor::Operator).await.unwrap()
}

async fn starts(world: &World) -> Vec<String> {
    world.appointments().await.into_iter().map(|(_, start)| start.strftime("%H:%M").to_string()).collect()
}

/// Nothing is open, and reading again finds nothing new.
async fn assert_settled(world: &World, story: &str) {
    world.settle_later(1).await;
    world.service.forget_tokens();
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    assert_eq!(conflicts(world).page(world.organization, None, 9).await.unwrap().items, [], "{story}");
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
        let open = conflicts(&world).page(world.organization, None, 9).await.unwrap().items;
        assert_eq!(open.iter().map(|one| one.kind).collect::<Vec<_>>(), [kind]);
        let ways = conflicts(&world).find(world.organization, open[0].id).await.unwrap().unwrap();
        let ends = ways.ways.iter().find(|way| way.effect == BookingEffect::Ends).unwrap();
        assert!(ends.notice.as_ref().unwrap().text.contains("Corte"), "{ends:?}");
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

fn whole_day() -> EventTime {
    EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() }
}

type Deed = fn(&World, &str);

/// One deed of a person for each kind of conflict, and the choices besides a move that are open then.
const DEEDS: [(ConflictKind, &[&str], Deed); 14] = [
    (ConflictKind::Deleted, &["take", "restore"], |world, event| world.service.person_deletes(ANA, event)),
    (ConflictKind::RefusedMove, &["restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("12:00", 30)));
    }),
    (ConflictKind::MovedAndResized, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("15:00", 45)));
    }),
    (ConflictKind::Shortened, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("10:00", 15)));
    }),
    (ConflictKind::Lengthened, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("10:00", 90)));
    }),
    (ConflictKind::BecameAllDay, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(whole_day()));
    }),
    (ConflictKind::NoLongerBusy, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.state = EventState::Free);
    }),
    (ConflictKind::OtherCalendar, &["take", "restore", "cancel"], |world, event| {
        world.service.person_moves_to(ANA, event, BRUNO);
    }),
    (ConflictKind::OwnerChanged, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.mark = None);
    }),
    (ConflictKind::Copied, &["take", "cancel"], |world, event| {
        let ours = world.service.events(ANA).into_iter().find(|one| one.id == event).unwrap();
        world.service.person_makes(ANA, "copy", at("16:00", 30), -60);
        world.service.person_changes(ANA, "copy", |copy| copy.mark = ours.mark);
    }),
    (ConflictKind::RecurringException, &["take", "cancel"], |world, event| {
        let series = event.to_owned();
        world.service.person_changes(ANA, event, |event| event.series = Some(series));
    }),
    (ConflictKind::Collision, &["take", "cancel"], |world, _| {
        world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    }),
    (ConflictKind::AllDayBlock, &["take", "cancel"], |world, _| {
        world.service.person_makes(ANA, "holiday", whole_day(), -5);
    }),
    (ConflictKind::Moved, &["take", "restore", "cancel"], |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("15:00", 30)));
    }),
];

/// A booking at ten on which a person did this, and the number of the conflict.
async fn done_by(deed: Deed, kind: ConflictKind) -> (World, i64) {
    let world = in_memory().await;
    let organization = world.organization;
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    world.work().sync(organization, false).await.unwrap().unwrap();
    let event = world.service.events(ANA).remove(0).id;
    deed(&world, &event);
    world.work().sync(organization, false).await.unwrap().unwrap();
    let open = conflicts(&world).page(world.organization, None, 9).await.unwrap().items;
    let number = open.iter().find(|one| one.kind == kind).unwrap_or_else(|| panic!("{kind:?}: {open:?}")).id;
    (world, number)
}

const fn word(choice: &ConflictChoice) -> &'static str {
    match choice {
        ConflictChoice::TakeOutside => "take",
        ConflictChoice::Restore => "restore",
        ConflictChoice::Cancel => "cancel",
        ConflictChoice::Move { .. } => "move",
    }
}

/// What is shown is what can be done: each way that is listed is taken as it was shown, with the same message at the same price, and
/// a choice that is not listed is refused, or is another way to the same end.
#[tokio::test]
async fn ways_that_are_shown_are_exactly_those_that_can_be_taken() {
    assert!(ConflictKind::ALL.iter().all(|kind| DEEDS.iter().any(|(known, ..)| known == kind)));
    for (kind, open, deed) in DEEDS {
        let (world, number) = done_by(deed, kind).await;
        let ways = conflicts(&world).find(world.organization, number).await.unwrap().unwrap().ways;
        let again = conflicts(&world).find(world.organization, number).await.unwrap().unwrap().ways;
        assert_eq!(ways, again, "{kind:?}: a look changes nothing");
        let words: Vec<_> = ways.iter().map(|way| word(&way.choice)).filter(|word| *word != "move").collect();
        assert_eq!(words, open, "{kind:?}");
        assert!(ways.iter().any(|way| word(&way.choice) == "move") && ways.len() >= 3, "{kind:?}: {ways:?}");
        for way in ways {
            let (world, number) = done_by(deed, kind).await;
            let ConflictWay { choice, effect, appointment, notice } = way;
            let story = format!("{kind:?}, {choice:?}");
            let all = conflicts(&world);
            let done = all.resolve(world.organization, number, choice, true, Actor::Operator).await.unwrap();
            let done = done.unwrap_or_else(|refusal| panic!("{story}: {refusal}"));
            let is_there = starts(&world).await;
            let done = done.booking.map(|booking| (booking.appointment.price, booking.notice));
            let (price, told) = done.unwrap_or((appointment.price, None));
            assert_eq!((price, told), (appointment.price, notice), "{story}");
            if effect == BookingEffect::Ends {
                assert_eq!(is_there, Vec::<String>::new(), "{story}");
            } else {
                let start: jiff::civil::Time = appointment.start.parse().unwrap();
                let utc = start.wrapping_add(jiff::Span::new().hours(3));
                assert_eq!(is_there, [utc.strftime("%H:%M").to_string()], "{story}");
            }
        }
        for choice in [ConflictChoice::TakeOutside, ConflictChoice::Restore] {
            if !open.contains(&word(&choice)) {
                let (world, number) = done_by(deed, kind).await;
                let all = conflicts(&world);
                let refused = all.resolve(world.organization, number, choice.clone(), true, Actor::Operator).await;
                assert!(refused.unwrap().is_err(), "{kind:?}, {choice:?}");
            }
        }
    }
}

/// A cancellation by staff takes our event along, whatever a person made of it.
#[tokio::test]
async fn cancelled_booking_of_a_conflict_leaves_no_event_of_ours() {
    for (kind, deed) in
        DEEDS.into_iter().filter(|(_, open, _)| open.contains(&"cancel")).map(|(kind, _, deed)| (kind, deed))
    {
        if kind == ConflictKind::Copied {
            // The copy is the person's.
            continue;
        }
        let (world, number) = done_by(deed, kind).await;
        let all = conflicts(&world);
        all.resolve(world.organization, number, ConflictChoice::Cancel, true, Actor::Operator).await.unwrap().unwrap();
        world.settle_later(1).await;
        let left = [ANA, BRUNO].map(|calendar| world.service.events(calendar)).concat();
        assert_eq!(left.iter().filter(|event| event.id != "late" && event.id != "holiday").count(), 0, "{kind:?}");
    }
}

#[tokio::test]
async fn customer_who_cancels_takes_the_event_out_of_the_calendar_where_a_person_brought_it() {
    let world = in_memory().await;
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    let event = world.service.events(ANA).remove(0).id;
    world.service.person_moves_to(ANA, &event, BRUNO);
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    let cancelled = world.booking().cancel(world.organization, world.ana.contact, key("cancel"), None).await;
    cancelled.unwrap().value.unwrap();
    assert_eq!((world.service.events(ANA), world.service.events(BRUNO)), (Vec::new(), Vec::new()));
    assert_settled(&world, "cancelled by its customer").await;
}

/// What was done outside holds: the booking is where the event is, also if the person changed its length or its calendar at once.
#[tokio::test]
async fn booking_that_follows_its_event_is_where_the_event_is() {
    for minutes in [15, 60] {
        let (world, event) = changed(match minutes {
            15 => |event| event.time = Some(at("15:00", 15)),
            _ => |event| event.time = Some(at("15:00", 60)),
        })
        .await;
        resolve(&world, ConflictChoice::TakeOutside).await.unwrap();
        assert_eq!(starts(&world).await, ["18:00"]);
        assert_eq!(world.service.events(ANA)[0].id, event, "the same event stays");
        assert_settled(&world, "moved with another length").await;
    }
    // No professional's visits are written there, so the event comes back with its new time.
    let world = in_memory().await;
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.service.person_moves_to(ANA, &event.id, BRUNO);
    world.service.person_changes(BRUNO, &event.id, |event| event.time = Some(at("15:00", 30)));
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    resolve(&world, ConflictChoice::TakeOutside).await.unwrap();
    assert_eq!((starts(&world).await, world.service.events(BRUNO)), (vec!["18:00".to_owned()], Vec::new()));
    assert_settled(&world, "moved in another calendar").await;
}

/// Two instances of a series of theirs.
const SERIES: (ConflictKind, Deed) = (ConflictKind::Collision, |world, _| {
    for (id, start) in [("gym_1", "10:00"), ("gym_2", "10:15")] {
        world.service.person_makes(ANA, id, at(start, 30), -60);
        world.service.person_changes(ANA, id, |event| event.series = Some("gym".to_owned()));
    }
});

/// A calendar that is read from the beginning lists everything again.
#[tokio::test]
async fn what_staff_let_stand_is_not_asked_again() {
    let deeds = DEEDS.into_iter().filter(|(_, open, _)| open.contains(&"take")).map(|(kind, _, deed)| (kind, deed));
    for (kind, deed) in deeds.chain([SERIES]) {
        let (world, number) = done_by(deed, kind).await;
        let all = conflicts(&world);
        let take = all.resolve(world.organization, number, ConflictChoice::TakeOutside, false, Actor::Operator).await;
        take.unwrap().unwrap();
        world.settle_later(1).await;
        for _reading in 0..2 {
            world.service.forget_tokens();
            world.work().sync(world.organization, false).await.unwrap().unwrap();
            let open = all.page(world.organization, None, 9).await.unwrap().items;
            assert_eq!(open, [], "{kind:?}");
        }
    }
}
