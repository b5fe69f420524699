//! What comes together: edits of a person, moves of the customer and choices of staff, one behind the other.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_comparison::CalendarComparison;
use balcao_app::scheduling::calendar_conflicts::{ConflictChoice, ConflictRefusal};
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::outside_event::{ConflictKind, EventState, EventTime, OutsideEvent};
use balcao_store::StoreError;
use balcao_store::scheduling::calendar_event;
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::calendar_service::CallFault;

use super::scene::{at, book_at_ten, booked, letters, move_to, open, read_both, resolve, with_letters};
use super::{ANA, BRUNO, DAY, World, key, request};

type Edit = fn(&World, &str);

const MOVED_AND_RESIZED: Edit =
    |world, event| world.service.person_changes(ANA, event, |one| one.time = Some(at("15:00", 45)));
const FOLLOWED: Edit = |world, event| world.service.person_changes(ANA, event, |one| one.time = Some(at("15:00", 30)));
const IN_OTHER_CALENDAR: Edit = |world, event| world.service.person_moves_to(ANA, event, BRUNO);

/// A booking at ten whose event a person edited, and the event.
async fn edited(edit: Edit) -> (World, String) {
    let (world, event) = booked().await;
    edit(&world, &event);
    read_both(&world).await;
    (world, event)
}

/// Whether another customer gets that time.
async fn is_offered(world: &World, start: &str) -> bool {
    let other = world.booking().book(world.organization, world.bia.contact, key("bia"), request(start)).await;
    other.unwrap().value.is_ok()
}

async fn count_waiting(world: &World) -> u32 {
    let id = world.organization;
    let waiting: Result<_, StoreError> = world.app.store.read(move |tx| calendar_event::count_waiting(tx, id)).await;
    waiting.unwrap().0
}

async fn is_proven(world: &World) -> bool {
    CalendarComparison::new(world.app.clone()).run(world.organization, false).await.unwrap().unwrap().is_proof()
}

/// Staff change a visit by the ordinary command; what its customer reads.
async fn change_by_staff(world: &World, way: Way) -> String {
    let visit = world.appointments().await[0].0.try_into().unwrap();
    let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
    let done = ways.resolve(world.organization, visit, way, None, Actor::Operator).await;
    done.unwrap().unwrap().notice.unwrap().text
}

fn to_five() -> Way {
    Way::Move { date: DAY, start_min: 17 * 60, professional: None }
}

/// What was chosen was chosen for what the event was. Its time stays taken.
#[tokio::test]
async fn choice_is_refused_if_the_event_went_on_since() {
    let cases: [(Edit, Edit, Option<&str>); 3] = [
        (
            MOVED_AND_RESIZED,
            |world, event| world.service.person_changes(ANA, event, |one| one.time = Some(at("16:00", 45))),
            Some("16:00"),
        ),
        (
            |world, event| {
                world.service.person_moves_to(ANA, event, BRUNO);
                world.service.person_changes(BRUNO, event, |one| one.time = Some(at("15:00", 30)));
            },
            |world, event| world.service.person_changes(BRUNO, event, |one| one.time = Some(at("16:00", 30))),
            Some("16:00"),
        ),
        (MOVED_AND_RESIZED, |world, event| world.service.person_deletes(ANA, event), None),
    ];
    for (number_of_case, (first, then, takes)) in cases.into_iter().enumerate() {
        let (world, event) = edited(first).await;
        let number = open(&world).await[0].id;
        then(&world, &event);
        let done = resolve(&world, number, ConflictChoice::TakeOutside).await;
        assert_eq!(done, Err(ConflictRefusal::Changed { id: number }), "{number_of_case}");
        world.settle_later(1).await;
        read_both(&world).await;
        if let Some(start) = takes {
            assert!(!is_offered(&world, start).await, "{number_of_case}: two events at one time");
        }
    }
}

/// A copy that takes no time makes one letter.
#[tokio::test]
async fn free_copy_makes_one_letter() {
    let world = with_letters(BUSINESS).await;
    let event = book_at_ten(&world).await;
    let ours = world.service.events(ANA).into_iter().find(|one| one.id == event).unwrap();
    world.service.person_makes(ANA, "copy", at("16:00", 30), -60);
    world.service.person_changes(ANA, "copy", |copy| {
        copy.mark = ours.mark;
        copy.state = EventState::Free;
    });
    read_both(&world).await;
    let first = (open(&world).await, letters(&world).await);
    for _reading in 0..3 {
        world.service.forget_tokens();
        read_both(&world).await;
    }
    assert_eq!((open(&world).await, letters(&world).await), first);
    assert_eq!((first.0.len(), first.1.len()), (1, 1));
}

/// After a move that the customer has not read of, they know ten o'clock, whatever staff do then.
#[tokio::test]
async fn message_names_the_time_that_the_customer_knows() {
    let choices: [(Edit, ConflictKind); 2] = [
        (
            |world, event| world.service.person_changes(ANA, event, |one| one.time = Some(at("16:00", 45))),
            ConflictKind::MovedAndResized,
        ),
        (|world, event| world.service.person_deletes(ANA, event), ConflictKind::Deleted),
    ];
    let mut texts = Vec::new();
    for (edit, kind) in choices {
        let (world, event) = edited(FOLLOWED).await;
        world.settle_later(1).await;
        edit(&world, &event);
        read_both(&world).await;
        let number = open(&world).await.iter().find(|one| one.kind == kind).unwrap().id;
        let done = resolve(&world, number, ConflictChoice::TakeOutside).await.unwrap();
        texts.push(done.booking.unwrap().notice.unwrap().text);
    }
    for way in [to_five(), Way::Cancel] {
        let (world, _event) = edited(FOLLOWED).await;
        world.settle_later(1).await;
        texts.push(change_by_staff(&world, way).await);
    }
    assert!(texts.iter().all(|text| text.contains("10h") && !text.contains("15h")), "{texts:#?}");
}

/// The conflict goes with the visit, and whatever staff choose leaves one event, where the visit is.
#[tokio::test]
async fn customer_moves_while_the_event_is_in_another_calendar() {
    for choice in [ConflictChoice::Restore, ConflictChoice::TakeOutside] {
        let (world, _event) = edited(IN_OTHER_CALENDAR).await;
        move_to(&world, "m", "15:00").await;
        world.settle_later(1).await;
        read_both(&world).await;
        let all = open(&world).await;
        let found: Vec<_> = all.iter().map(|one| (one.kind, one.appointment.start.as_str())).collect();
        assert_eq!(found, [(ConflictKind::OtherCalendar, "15:00")]);
        resolve(&world, all[0].id, choice.clone()).await.unwrap();
        world.settle_later(1).await;
        world.service.forget_tokens();
        read_both(&world).await;
        world.settle_later(30).await;
        assert_eq!((open(&world).await, world.service.events(BRUNO)), (Vec::new(), Vec::new()), "{choice:?}");
        assert_eq!(world.events(), world.appointments().await, "{choice:?}");
        assert!(is_proven(&world).await, "{choice:?}");
    }
}

#[tokio::test]
async fn conflict_goes_with_the_visit_that_its_customer_moves() {
    for (start, minutes) in [("10:00", 90), ("15:00", 45), ("12:00", 30)] {
        let (world, event) = booked().await;
        world.service.person_changes(ANA, &event, |one| one.time = Some(at(start, minutes)));
        read_both(&world).await;
        let first = open(&world).await[0].id;
        move_to(&world, "m", "17:00").await;
        world.settle_later(1).await;
        read_both(&world).await;
        let all = open(&world).await;
        assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), [first], "{start} {minutes}");
        resolve(&world, first, ConflictChoice::Restore).await.unwrap();
        world.settle_later(1).await;
        read_both(&world).await;
        assert_eq!(world.events(), world.appointments().await, "{start} {minutes}");
    }
}

/// No choice of an outdated conflict brings the visit to a time at which no event is.
#[tokio::test]
async fn customer_moves_twice_before_staff_decide() {
    let (world, _event) = edited(MOVED_AND_RESIZED).await;
    for (name, start) in [("m", "17:00"), ("m2", "16:00")] {
        move_to(&world, name, start).await;
        world.settle_later(1).await;
        read_both(&world).await;
    }
    let is_as_visit = world.events() == world.appointments().await;
    assert_eq!(open(&world).await.is_empty(), is_as_visit, "{:?}", world.events());
}

/// A title is edited after the customer moved, whether a reading or the push found the conflict.
#[tokio::test]
async fn conflict_stays_if_a_title_is_edited() {
    for is_read in [true, false] {
        let (world, event) = booked().await;
        world.service.hide_from_listings(!is_read);
        MOVED_AND_RESIZED(&world, &event);
        read_both(&world).await;
        move_to(&world, "m", "17:00").await;
        world.service.hide_from_listings(false);
        world.settle_later(1).await;
        let before = open(&world).await;
        world.service.person_changes(ANA, &event, |one| one.title = Some("x".to_owned()));
        read_both(&world).await;
        world.settle_later(1).await;
        assert_eq!((before.len(), open(&world).await), (1, before), "read: {is_read}");
    }
}

/// The person takes back what was done after the customer moved: the event goes where the visit is.
#[tokio::test]
async fn event_that_is_as_it_was_goes_with_the_visit_that_moved() {
    let (world, event) = booked().await;
    let mark = world.service.events(ANA)[0].mark.clone();
    world.service.person_changes(ANA, &event, |one| one.mark = None);
    read_both(&world).await;
    move_to(&world, "m", "17:00").await;
    world.settle_later(1).await;
    assert_eq!(open(&world).await.len(), 1);
    world.service.person_changes(ANA, &event, |one| one.mark = mark.clone());
    read_both(&world).await;
    world.settle_later(1).await;
    read_both(&world).await;
    assert_eq!(world.events(), world.appointments().await);
}

/// Staff let a longer event stand; the person makes it as it was.
#[tokio::test]
async fn event_that_is_as_its_visit_again_has_no_conflict() {
    let (world, event) = booked().await;
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("10:00", 90)));
    read_both(&world).await;
    let number = open(&world).await[0].id;
    resolve(&world, number, ConflictChoice::TakeOutside).await.unwrap();
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("10:00", 30)));
    read_both(&world).await;
    assert_eq!(open(&world).await, []);
}

/// The push leaves the event to staff: its time is taken.
#[tokio::test]
async fn time_of_an_event_that_was_edited_while_a_push_waited_is_not_offered() {
    let (world, event) = booked().await;
    world.service.suffer([CallFault::Busy]);
    change_by_staff(&world, to_five()).await;
    MOVED_AND_RESIZED(&world, &event);
    read_both(&world).await;
    world.settle_later(2).await;
    read_both(&world).await;
    assert!(!is_offered(&world, "15:00").await, "two events at one time {:?}", world.events());
}

/// The first time of the series is that of the visit, until the visit moves.
#[tokio::test]
async fn time_of_a_series_is_not_offered_when_its_visit_moves() {
    let (world, event) = booked().await;
    let mark = world.service.events(ANA).remove(0).mark;
    for (id, start) in [("first", "10:00"), ("second", "11:00")] {
        world.service.person_makes(ANA, id, at(start, 30), -60);
        world.service.person_changes(ANA, id, |one| {
            (one.series, one.mark) = (Some(event.clone()), mark.clone());
        });
    }
    read_both(&world).await;
    change_by_staff(&world, to_five()).await;
    world.settle_later(1).await;
    assert!(!is_offered(&world, "10:00").await && !is_offered(&world, "11:00").await);
}

/// The visit is cancelled, its event is gone, and one of the calendars in which it may be does not answer.
#[tokio::test]
async fn calendar_that_does_not_answer_keeps_a_deletion_waiting_and_one_that_is_gone_does_not() {
    for is_gone in [true, false] {
        let (world, event) = booked().await;
        change_by_staff(&world, Way::Cancel).await;
        world.service.person_deletes(ANA, &event);
        if is_gone {
            world.service.remove_calendar(BRUNO);
        } else {
            world.service.set_silent(BRUNO, true);
        }
        world.settle_later(1).await;
        assert_eq!(count_waiting(&world).await, u32::from(!is_gone), "gone: {is_gone}");
        world.service.set_silent(BRUNO, false);
        world.settle_later(5).await;
        assert_eq!(count_waiting(&world).await, 0);
    }
}

/// The new calendar may be read before the old one.
#[tokio::test]
async fn event_that_went_on_into_another_calendar_is_one_conflict() {
    for first in [[ANA, BRUNO], [BRUNO, ANA]] {
        let (world, event) = edited(MOVED_AND_RESIZED).await;
        IN_OTHER_CALENDAR(&world, &event);
        for calendar in first {
            world.work().read(world.organization, calendar.to_owned(), false).await.unwrap();
        }
        assert_eq!(open(&world).await.len(), 1, "{first:?}");
    }
}

/// Another's event lies on a visit, and the customer goes.
#[tokio::test]
async fn collision_with_a_visit_that_went_ends() {
    for cancels in [false, true] {
        let (world, _event) = booked().await;
        world.service.person_makes(ANA, "theirs", at("10:00", 60), 5);
        read_both(&world).await;
        assert_eq!(open(&world).await.len(), 1);
        if cancels {
            let gone = world.booking().cancel(world.organization, world.ana.contact, key("c"), None).await;
            gone.unwrap().value.unwrap();
        } else {
            move_to(&world, "m", "17:00").await;
        }
        assert_eq!(open(&world).await, [], "cancels: {cancels}");
        world.settle_later(1).await;
        assert!(is_proven(&world).await, "cancels: {cancels}");
        world.service.person_changes(ANA, "theirs", |one| one.title = Some("x".to_owned()));
        world.service.forget_tokens();
        read_both(&world).await;
        assert_eq!(open(&world).await, [], "cancels: {cancels}");
    }
}

/// The letter names commands that can be taken.
#[tokio::test]
async fn letter_offers_no_take_that_is_refused() {
    let world = with_letters(BUSINESS).await;
    let event = book_at_ten(&world).await;
    // Lunch: closed.
    world.service.person_changes(ANA, &event, |one| one.time = Some(at("12:15", 45)));
    read_both(&world).await;
    let all = open(&world).await;
    let take = resolve(&world, all[0].id, ConflictChoice::TakeOutside).await;
    assert!(take.is_err(), "{take:?}");
    let letters = letters(&world).await;
    assert_eq!((all[0].kind, letters.len()), (ConflictKind::MovedAndResized, 1));
    assert!(!letters[0].1.contains("--take"), "{letters:?}");
}

/// What is put back is put back, also if the person did two things at once.
#[tokio::test]
async fn event_that_lost_more_than_its_calendar_is_put_back() {
    type Change = fn(&mut OutsideEvent);
    let changes: [(&str, Change); 4] = [
        ("mark", |one| one.mark = None),
        ("free", |one| one.state = EventState::Free),
        ("day", |one| one.time = Some(EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() })),
        ("longer", |one| one.time = Some(at("10:00", 90))),
    ];
    for (name, change) in changes {
        let (world, event) = booked().await;
        IN_OTHER_CALENDAR(&world, &event);
        world.service.person_changes(BRUNO, &event, change);
        read_both(&world).await;
        let number = open(&world).await.iter().find(|one| one.kind == ConflictKind::OtherCalendar).unwrap().id;
        resolve(&world, number, ConflictChoice::Restore).await.unwrap();
        world.settle_later(1).await;
        read_both(&world).await;
        assert_eq!(open(&world).await, [], "{name}");
        assert_eq!(world.events(), world.appointments().await, "{name}");
    }
}

/// Staff let the event stand in another calendar, at the same time; then a person moves it there, and it is deleted where it was followed to.
#[tokio::test]
async fn event_that_was_let_stand_elsewhere_is_followed_and_its_deletion_is_found() {
    let (world, event) = edited(IN_OTHER_CALENDAR).await;
    let number = open(&world).await[0].id;
    resolve(&world, number, ConflictChoice::TakeOutside).await.unwrap();
    world.settle_later(1).await;
    world.service.person_changes(BRUNO, &event, |one| one.time = Some(at("15:00", 30)));
    read_both(&world).await;
    world.settle_later(1).await;
    read_both(&world).await;
    assert_eq!(world.appointments().await.len(), 1);
    world.service.person_deletes(ANA, &event);
    read_both(&world).await;
    world.settle_later(1).await;
    assert_eq!(open(&world).await.iter().filter(|one| one.kind == ConflictKind::Deleted).count(), 1);
}
