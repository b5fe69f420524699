//! Who learns of a conflict with an external calendar: staff who answer customers, and webhook endpoints, once.

use balcao_app::admin::webhooks::{Subscriber, Webhooks};
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::calendar_comparison::CalendarComparison;
use balcao_app::scheduling::calendar_conflicts::ConflictChoice;
use balcao_channel::endpoint::Endpoint;
use balcao_domain::Span;
use balcao_domain::outside_event::{ConflictKind, EventMark, EventState, EventTime};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::endpoint::{FakeEndpoint, SECRET};
use jiff::SignedDuration;

use super::scene::{at, letters, open, read_both, resolve, with_letters};
use super::{ANA, BRUNO, DAY, World, key, request, to};

fn whole_day() -> EventTime {
    EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() }
}

/// A booking at ten in a shop whose staff get letters, and whose professional has two calendars.
async fn shop(business: &str) -> World {
    let world = with_letters(business).await;
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    world
}

type Edit = fn(&World, &str);

/// Each kind of edit, and what the letter says of it.
const EDITS: [(ConflictKind, &str, Edit); 13] = [
    (ConflictKind::Deleted, "apagou o evento", |world, event| world.service.person_deletes(ANA, event)),
    (ConflictKind::RefusedMove, "não pode ser marcado", |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("12:00", 30)));
    }),
    (ConflictKind::MovedAndResized, "o evento está agora em 24/11 15:00–15:45", |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("15:00", 45)));
    }),
    (ConflictKind::Shortened, "encurtou", |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("10:00", 15)));
    }),
    (ConflictKind::Lengthened, "alongou", |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(at("10:00", 90)));
    }),
    (ConflictKind::BecameAllDay, "virou um de dia inteiro", |world, event| {
        world.service.person_changes(ANA, event, |event| event.time = Some(whole_day()));
    }),
    (ConflictKind::NoLongerBusy, "não ocupa mais", |world, event| {
        world.service.person_changes(ANA, event, |event| event.state = EventState::Free);
    }),
    (ConflictKind::OtherCalendar, "outro calendário", |world, event| {
        world.service.person_moves_to(ANA, event, BRUNO);
    }),
    (ConflictKind::OwnerChanged, "A marca", |world, event| {
        world.service.person_changes(ANA, event, |event| event.mark = None);
    }),
    (ConflictKind::Copied, "copiou", |world, event| {
        let ours = world.service.events(ANA).into_iter().find(|one| one.id == event).unwrap();
        world.service.person_makes(ANA, "copy", at("16:00", 30), -60);
        world.service.person_changes(ANA, "copy", |copy| copy.mark = ours.mark);
    }),
    (ConflictKind::RecurringException, "virou uma série", |world, event| {
        let series = event.to_owned();
        world.service.person_changes(ANA, event, |event| event.series = Some(series));
    }),
    (ConflictKind::Collision, "Outro evento está", |world, _| {
        world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    }),
    (ConflictKind::AllDayBlock, "dia inteiro está sobre", |world, _| {
        world.service.person_makes(ANA, "holiday", whole_day(), -5);
    }),
];

#[tokio::test]
async fn staff_and_endpoints_learn_of_every_kind_of_conflict_once() {
    let covered: Vec<_> = EDITS.iter().map(|(kind, ..)| *kind).chain([ConflictKind::Moved]).collect();
    assert!(ConflictKind::ALL.iter().all(|kind| covered.contains(kind)), "a move has tests of its own");
    for (kind, says, edit) in EDITS {
        let (world, endpoint) = (shop(BUSINESS).await, FakeEndpoint::start().unwrap());
        let types = ["calendar.conflict".to_owned()].into();
        let at = Endpoint::new(&endpoint.url(), &SECRET.into(), true).unwrap();
        let subscriber = Subscriber { name: "crm".to_owned(), types, endpoint: at };
        let webhooks = Webhooks::new(world.app.clone(), world.organization, [subscriber]);
        webhooks.begin().await.unwrap();
        let event = world.service.events(ANA).remove(0).id;
        edit(&world, &event);
        for _round in 0..2 {
            read_both(&world).await;
            webhooks.work_off().await.unwrap();
            world.service.forget_tokens();
        }
        let letters = letters(&world).await;
        let of_kind: Vec<_> = letters.iter().filter(|(_, text)| text.contains(says)).collect();
        assert_eq!(of_kind.len(), 1, "{kind:?}: {letters:?}");
        let (recipient, text) = of_kind[0];
        assert!(recipient.contains("davi@"), "{kind:?}: whoever answers customers, and nobody else: {recipient}");
        for part in ["24/11 10:00, Ana, Corte (Ana Prado)", "calendar ways-out "] {
            assert!(text.contains(part), "{kind:?}: {part} in {text}");
        }
        let may_take =
            !matches!(kind, ConflictKind::RefusedMove | ConflictKind::MovedAndResized | ConflictKind::OtherCalendar);
        assert_eq!(text.contains("--take --as davi@contrato.example"), may_take, "{kind:?}: {text}");
        assert_eq!(text.contains("--restore"), kind.is_about_ours(), "{kind:?}");
        assert!(text.contains("--move-to 2026-12-01T10:00"), "{kind:?}: a week after the visit: {text}");
        let told: Vec<_> = endpoint.received().into_iter().map(|one| one.body["data"].clone()).collect();
        assert!(told.iter().any(|data| data["kind"] == kind.as_str()), "{kind:?}: {told:?}");
        assert!(told.iter().all(|data| data["id"].as_str().unwrap().starts_with("apt_")), "{told:?}");
        assert_eq!(told.len(), letters.len(), "{kind:?}: {told:?}");
        let is_number = |data: &serde_json::Value| data["conflict_id"].as_str().unwrap().starts_with("conflict_");
        assert!(told.iter().all(is_number) && !format!("{told:?}").contains("Ana"), "{told:?}");
    }
}

#[tokio::test]
async fn letter_is_in_the_language_of_the_business() {
    let world = shop(&BUSINESS.replace("pt-BR", "en-US")).await;
    world.service.person_deletes(ANA, &world.service.events(ANA)[0].id);
    world.read().await;
    let (_, text) = letters(&world).await.remove(0);
    assert!(text.contains("Somebody deleted the event of a visit.") && text.contains("Put ours back"), "{text}");
}

/// What one event hits is one letter, however many bookings that are.
#[tokio::test]
async fn block_of_whole_days_is_one_letter_with_all_its_visits() {
    let world = shop(BUSINESS).await;
    world.book("11:00").await;
    world.book("15:00").await;
    world.service.person_makes(ANA, "holiday", whole_day(), -5);
    world.read().await;
    let letters = letters(&world).await;
    assert_eq!(letters.len(), 1);
    for start in ["10:00", "11:00", "15:00"] {
        assert!(letters[0].1.contains(&format!("24/11 {start}, Ana")), "{letters:?}");
    }
}

/// A push that meets an edit, and the comparison of the night, report as a reading does.
#[tokio::test]
async fn conflict_that_a_push_or_the_comparison_finds_is_told_too() {
    let world = shop(BUSINESS).await;
    let event = world.service.events(ANA).remove(0).id;
    world.read().await;
    world.service.hide_from_listings(true);
    world.service.person_changes(ANA, &event, |event| event.time = Some(at("11:00", 30)));
    let booking = world.booking();
    let moved = booking.reschedule(world.organization, world.ana.contact, key("move"), to("15:00")).await;
    moved.unwrap().value.unwrap();
    let first = letters(&world).await;
    assert!(first.len() == 1 && first[0].1.contains("não pode ser marcado"), "{first:?}");

    let world = shop(BUSINESS).await;
    let event = world.service.events(ANA).remove(0).id;
    world.read().await;
    world.service.hide_from_listings(true);
    world.service.person_deletes(ANA, &event);
    for _night in 0..2 {
        CalendarComparison::new(world.app.clone()).run(world.organization, false).await.unwrap().unwrap();
    }
    let letters = letters(&world).await;
    assert!(letters.len() == 1 && letters[0].1.contains("apagou o evento"), "{letters:?}");
}

/// A person takes an event out of the bin, and all is read and written, also from the beginning.
async fn restore(world: &World, event: &str) {
    world.service.person_changes(ANA, event, |event| event.state = EventState::Busy);
    for _round in 0..2 {
        read_both(world).await;
        world.settle_later(1).await;
        world.service.forget_tokens();
    }
}

/// A person takes the event of a cancelled visit out of the bin: it stays there, staff learn of it, and its time is taken.
#[tokio::test]
async fn restored_event_of_a_cancelled_visit_is_told_and_takes_its_time() {
    let world = shop(BUSINESS).await;
    let event = world.service.events(ANA).remove(0).id;
    let booking = world.booking();
    booking.cancel(world.organization, world.ana.contact, key("cancel"), None).await.unwrap().value.unwrap();
    world.read().await;
    assert_eq!((letters(&world).await, world.service.events(ANA)), (vec![], vec![]));
    restore(&world, &event).await;
    let letters = letters(&world).await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert!(letters[0].0.contains("davi@") && letters[0].1.contains("restaurou o evento"), "{letters:?}");
    assert_eq!(world.service.events(ANA).len(), 1, "it stands");
    let taken = booking.book(world.organization, world.bia.contact, key("bia"), request("10:00")).await;
    assert!(matches!(taken.unwrap().value, Err(BookingRefusal::SlotTaken { .. })));
}

/// The same if a person deleted the event first, and staff said that the visit ends with it.
#[tokio::test]
async fn restored_event_whose_deletion_ended_its_visit_is_told_and_stays() {
    let world = shop(BUSINESS).await;
    let event = world.service.events(ANA).remove(0).id;
    world.service.person_deletes(ANA, &event);
    read_both(&world).await;
    let number = open(&world).await[0].id;
    resolve(&world, number, ConflictChoice::TakeOutside).await.unwrap();
    restore(&world, &event).await;
    let letters = letters(&world).await;
    assert!(letters.len() == 2 && letters[1].1.contains("restaurou o evento"), "{letters:?}");
    assert_eq!(world.service.events(ANA).len(), 1, "it stands");
}

/// It is one of the shop's own events, such as a reminder of the next visit.
#[tokio::test]
async fn copy_of_a_visit_that_has_begun_is_in_no_letter() {
    let world = shop(BUSINESS).await;
    let mark = world.service.events(ANA).remove(0).mark;
    world.clock.advance(SignedDuration::from_mins(26 * 60 + 10));
    world.service.person_makes(ANA, "copy", at("16:00", 30), -60);
    world.service.person_changes(ANA, "copy", |copy| copy.mark = mark.clone());
    read_both(&world).await;
    assert_eq!((letters(&world).await, open(&world).await), (vec![], vec![]));
}

#[tokio::test]
async fn alerts_of_a_day_have_a_limit_and_the_list_has_none() {
    let world = shop(BUSINESS).await;
    for number in 0..60 {
        world.service.person_makes(ANA, &format!("e{number}"), at("10:00", 30), -5);
    }
    world.read().await;
    assert_eq!(letters(&world).await.len(), 50);
    let booked = world.booking().book(world.organization, world.bia.contact, key("bia"), request("15:00")).await;
    assert!(booked.unwrap().value.is_ok(), "nobody else is held up");
}

/// Nothing else tells a person of an event of ours without a booking, of events that vanished, and of a calendar that is not read.
#[tokio::test]
async fn staff_read_once_a_night_what_the_comparison_found() {
    let world = shop(BUSINESS).await;
    let nightly = async || {
        let compared = CalendarComparison::new(world.app.clone()).run_nightly(world.organization).await.unwrap();
        compared.map(|compared| compared.unwrap())
    };
    let ours = world.service.events(ANA).remove(0).mark.unwrap();
    for number in 0..21 {
        let orphan = format!("orphan{number}");
        let span = Span::of_minutes("2026-12-15T13:00:00Z".parse().unwrap(), 30);
        world.service.person_makes(ANA, &orphan, EventTime::Timed(span), 60);
        world
            .service
            .person_changes(ANA, &orphan, |event| event.mark = Some(EventMark { appointment: 999, ..ours.clone() }));
    }
    world.service.set_silent(BRUNO, true);
    read_both(&world).await;
    let before = letters(&world).await.len();
    assert_eq!(nightly().await.map(|compared| compared.differences.len()), Some(21));
    let sent = letters(&world).await.split_off(before);
    let [(to, text)] = sent.as_slice() else { panic!("{sent:?}") };
    assert!(to.contains("davi@contrato.example"), "{to}");
    assert!(text.contains(&format!("{BRUNO}: este calendário não pôde ser lido")), "{text}");
    assert!(text.contains(&format!("orphan0, {ANA}: um evento nosso não mostra nenhuma marcação")), "{text}");
    assert!(text.contains("+ 2 a mais"), "twenty of twenty-two are named: {text}");
    assert!(nightly().await.is_none(), "the night is over");
    world.clock.advance(SignedDuration::from_hours(24));
    nightly().await.unwrap();
    assert_eq!(letters(&world).await.len(), before + 2, "one letter each night");
    world.service.set_silent(BRUNO, false);
    (0..21).for_each(|number| world.service.person_deletes(ANA, &format!("orphan{number}")));
    world.clock.advance(SignedDuration::from_hours(24));
    // So many deletions at once are true.
    world.work().read(world.organization, ANA.to_owned(), true).await.unwrap();
    assert!(nightly().await.unwrap().is_proof());
    assert_eq!(letters(&world).await.len(), before + 2, "a proof makes no letter");
}

/// The letter names the visit whose event vanished by its time and customer.
#[tokio::test]
async fn letter_of_a_night_names_the_visits_whose_events_vanished() {
    let world = shop(BUSINESS).await;
    for start in ["09:00", "09:30", "10:30", "11:00", "11:30"] {
        world.book(start).await;
    }
    read_both(&world).await;
    world.service.hide_from_listings(true);
    for event in world.service.events(ANA).into_iter().take(5) {
        world.service.person_deletes(ANA, &event.id);
    }
    let before = letters(&world).await.len();
    CalendarComparison::new(world.app.clone()).run_nightly(world.organization).await.unwrap();
    let sent = letters(&world).await.split_off(before);
    let [(_, text)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(text.matches("o evento sumiu junto com muitos outros").count(), 5, "{text}");
    assert!(text.contains("24/11 09:00, ") && text.contains("(Ana Prado), apt_"), "{text}");
}
