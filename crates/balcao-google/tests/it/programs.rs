//! The program over Google in bad weather: two programs on one slot, a grant that ends in the middle of a booking, a calendar that is
//! deleted, many events, calendars of another zone.

use balcao_app::UseCaseError;
use balcao_app::context::calendar_service::RemoteCalendarError;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::booking::{Booking, BookingRefusal};
use balcao_app::scheduling::calendar_comparison::{CalendarComparison, Comparison};
use balcao_app::scheduling::calendar_links::CalendarLinks;
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_store::scheduling::calendar_mirror;
use balcao_store::{StoreError, Tx};
use balcao_testkit::fakes::google::ProgramEnd;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::desk::{Act, DAY, Desk, Founded, Program, key, request};
use crate::interrupted::Side;
use crate::world::{BIA, RAFA, SCOPES, grant};

/// The free times of a day, professional by professional.
async fn free(program: &Program) -> Vec<(String, Vec<String>)> {
    let query = AvailabilityQuery { date: Some(DAY), ..AvailabilityQuery::default() };
    let found = Availability::new(program.app.clone()).on(program.organization, None, query).await.unwrap().unwrap();
    found.results.into_iter().map(|one| (one.professional, one.slots)).collect()
}

async fn free_of(program: &Program, who: &str) -> Vec<String> {
    free(program).await.into_iter().filter(|(name, _)| name == who).flat_map(|(_, slots)| slots).collect()
}

async fn count_known(program: &Program) -> u32 {
    let organization = program.organization;
    let count = move |tx: &mut Tx<'_>| calendar_mirror::count(tx, organization, RAFA, Timestamp::MIN);
    let known: Result<u32, StoreError> = program.app.store.read(count).await;
    known.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_that_want_one_slot_leave_one_event() {
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    let (first, second) = (desk.start(None), desk.start(None));
    for (round, hour) in [9, 10, 11, 14, 16].into_iter().enumerate() {
        let (one, other) = (Booking::new(first.app.clone()), Booking::new(second.app.clone()));
        let keys = [format!("a{round}"), format!("b{round}")];
        let (a, b) = tokio::join!(
            one.book(desk.organization, desk.ana, key(&keys[0]), request(hour * 60)),
            other.book(desk.organization, desk.bia, key(&keys[1]), request(hour * 60)),
        );
        let (a, b) = (a.unwrap().value, b.unwrap().value);
        assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{a:?} {b:?}");
        assert!(matches!(a.err().or(b.err()), Some(BookingRefusal::SlotTaken { .. })));
        assert_eq!(desk.google.count_events(RAFA), round + 1);
    }
    assert_eq!((desk.events().await, 0, 0), first.wanted().await);
}

/// Two installations know nothing of each other but the calendar. One of them waits before each of its calls, and after each, until the other
/// one has booked.
#[tokio::test]
async fn two_installations_that_want_one_slot_leave_one_event_at_every_interleaving() {
    let founded = (Founded::new().await, Founded::new().await);
    let mut held = 0;
    for (call, side) in (0..9).flat_map(|call| [(call, Side::Before), (call, Side::After)]) {
        let ours = Desk::prepare(&founded.0, Act::Book).await;
        let theirs = ours.beside(&founded.1).await;
        let (program, other) = (ours.start(Some((call, side))), theirs.start(None));
        let meanwhile = async {
            program.plan.program_ended().await;
            ours.clock.advance(SignedDuration::from_millis(1));
            let booking = Booking::new(other.app.clone());
            let booked = booking.book(theirs.organization, theirs.bia, key("act"), request(600)).await.unwrap().value;
            ours.clock.advance(SignedDuration::from_millis(1));
            program.plan.go_on();
            booked
        };
        let booking = Booking::new(program.app.clone());
        let book = booking.book(ours.organization, ours.ana, key("act"), request(600));
        let (mut book, mut meanwhile) = (std::pin::pin!(book), std::pin::pin!(meanwhile));
        let (a, b) = tokio::select! {
            // The booking has fewer calls.
            biased;
            booked = &mut book => {
                assert!(booked.unwrap().value.is_ok() && held > 0, "{call} {side:?}");
                break;
            }
            b = &mut meanwhile => (book.await.unwrap().value, b),
        };
        held += 1;
        assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{call} {side:?}: {a:?} {b:?}");
        let is_taken = matches!(a.as_ref().err().or(b.as_ref().err()), Some(BookingRefusal::SlotTaken { .. }));
        assert!(is_taken, "{call} {side:?}: {a:?} {b:?}");
        ours.settle_later(&program).await;
        theirs.settle_later(&other).await;
        assert_eq!(ours.google.count_events(RAFA), 1, "{call} {side:?}");
        let events = if a.is_ok() { program.wanted().await } else { other.wanted().await };
        assert_eq!((ours.events().await, 0, 0), events, "{call} {side:?}");
    }
    assert!(held >= 8, "{held}");
}

#[tokio::test]
async fn event_that_a_person_made_first_during_a_booking_has_the_time() {
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    // Both calendars were read, and nothing is written yet.
    let program = desk.start(Some((2, Side::Before)));
    let meanwhile = async {
        program.plan.program_ended().await;
        let at = |time: &str| json!({ "dateTime": format!("2026-11-24T{time}:00-03:00") });
        let theirs =
            json!({ "id": "dentist", "created": "2026-11-23T10:00:00Z", "start": at("10:00"), "end": at("11:00") });
        desk.google.put_event(RAFA, theirs);
        program.plan.go_on();
    };
    let booking = Booking::new(program.app.clone());
    let (booked, ()) = tokio::join!(booking.book(desk.organization, desk.ana, key("act"), request(600)), meanwhile);
    let refused = booked.unwrap().value.unwrap_err();
    let BookingRefusal::SlotTaken { alternatives } = refused else { panic!("{refused:?}") };
    assert!(alternatives.iter().all(|slot| slot.start != "10:00"), "{alternatives:?}");
    desk.settle_later(&program).await;
    assert_eq!((desk.events().await, 0, 0), (vec![], 0, 0));
    assert_eq!(program.wanted().await, (vec![], 0, 0));
    assert_eq!(desk.google.count_events(RAFA), 1, "theirs");
}

#[tokio::test]
async fn grant_that_is_revoked_in_the_middle_of_a_booking_leaves_nothing_and_the_same_key_books_later() {
    for act in [Act::Book, Act::Move, Act::Cancel] {
        let desk = Desk::prepare(&Founded::new().await, act).await;
        let write = if act == Act::Book { 2 } else { 1 };
        let program = desk.start(Some((write, Side::Before)));
        let meanwhile = async {
            program.plan.program_ended().await;
            desk.google.kill_grants("Token has been expired or revoked.");
            desk.google.end_access_tokens();
            program.plan.go_on();
        };
        let (answer, ()) = tokio::join!(act.try_run(&program), meanwhile);
        if act == Act::Book {
            let disconnected = matches!(
                &answer,
                Err(UseCaseError::RemoteCalendar(RemoteCalendarError::Disconnected { reason, .. }))
                    if reason.contains("revoked")
            );
            assert!(disconnected, "{answer:?}");
            assert_eq!(program.wanted().await, (vec![], 0, 0), "nothing was booked");
        }
        *desk.known.credential.lock().unwrap() = Some(grant(desk.google.grant(&SCOPES)));
        assert_eq!(act.run(&program).await, act.answer(), "{act:?}");
        desk.settle_later(&program).await;
        let events = desk.events().await;
        assert_eq!(events.len(), usize::from(act != Act::Cancel), "{act:?}");
        assert_eq!((events, 0, 0), program.wanted().await, "{act:?}");
    }
}

/// Its events are not "all deleted": no booking changes, nothing is offered, and staff read why.
#[tokio::test]
async fn calendar_that_is_deleted_offers_nothing_and_cancels_nothing() {
    let desk = Desk::prepare(&Founded::new().await, Act::Move).await;
    let program = desk.start(None);
    let before = program.wanted().await.0;
    desk.google.remove_calendar(RAFA);
    let work = CalendarWork::new(program.app.clone());
    let read = work.read(desk.organization, RAFA.to_owned(), false).await.unwrap();
    assert!(matches!(read, Reading::Failed(_)), "{read:?}");
    desk.clock.advance(SignedDuration::from_mins(31));
    let others = work.read(desk.organization, BIA.to_owned(), false).await.unwrap();
    assert!(matches!(others, Reading::Read { .. }), "{others:?}");
    assert_eq!(free_of(&program, "Ana Prado").await, Vec::<String>::new());
    assert!(!free_of(&program, "Caio Reis").await.is_empty());
    let refused = Act::Move.try_run(&program).await;
    let disconnected = matches!(refused, Err(UseCaseError::RemoteCalendar(RemoteCalendarError::Disconnected { .. })));
    assert!(disconnected, "{refused:?}");
    assert_eq!(program.wanted().await, (before, 0, 0));
    let status = CalendarLinks::new(program.app.clone()).status(desk.organization).await.unwrap();
    let failed: Vec<_> = status.links.iter().map(|one| (one.calendar.as_str(), one.failure.is_some())).collect();
    assert!(failed.contains(&(RAFA, true)) && failed.contains(&(BIA, false)), "{failed:?}");
}

pub(crate) fn put_many(desk: &Desk, from: usize, count: usize) {
    for number in from..from + count {
        let at = |minute: usize| {
            let start: Timestamp = "2026-11-25T03:00:00Z".parse().unwrap();
            let minutes = i64::try_from(number * 5 + minute).unwrap();
            json!({ "dateTime": start.checked_add(SignedDuration::from_mins(minutes)).unwrap().to_string() })
        };
        desk.google.put_event(RAFA, json!({ "id": format!("many{number}"), "start": at(0), "end": at(5) }));
    }
}

/// A page is stored before the next one is asked for, so that the memory of a reading does not grow with the calendar.
#[tokio::test]
async fn ten_thousand_events_are_read_page_by_page() {
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    put_many(&desk, 0, 10_000);
    for pages in [1, 17] {
        let program = desk.start(None);
        // The token comes first.
        desk.google.end_program_at(1 + pages, ProgramEnd::RequestLost);
        tokio::select! {
            () = program.read_all() => panic!("there are more pages"),
            () = desk.google.program_ended() => {}
        }
        assert_eq!(count_known(&program).await, u32::try_from(250 * pages).unwrap());
        desk.clock.advance(SignedDuration::from_mins(3));
    }
    let program = desk.start(None);
    program.read_all().await;
    assert_eq!(count_known(&program).await, 10_000);
    put_many(&desk, 10_000, 1_000);
    let before = desk.google.asked().len();
    program.read_all().await;
    assert_eq!(count_known(&program).await, 11_000);
    assert_eq!(desk.google.asked().len() - before, 5, "four pages of what changed, and the other calendar");
}

/// A list of more pages than a call reads is asked for in halves, and no event that is listed as it was last seen is asked for by itself.
#[tokio::test]
async fn comparison_proves_a_calendar_with_very_many_events_with_few_requests() {
    let desk = Desk::prepare(&Founded::new().await, Act::Move).await;
    put_many(&desk, 0, 10_000);
    let program = desk.start(None);
    program.read_all().await;
    let before = desk.google.asked().len();
    let compared = CalendarComparison::new(program.app.clone()).run(desk.organization, false).await.unwrap().unwrap();
    assert_eq!(compared, Comparison { equal: 1, ..Comparison::default() });
    let asked = desk.google.asked().split_off(before);
    assert!(asked.len() < 120, "{}", asked.len());
    let is_list = |target: &str| target.contains("/events?");
    assert_eq!(asked.iter().find(|one| one.method == "GET" && !is_list(&one.target)), None);
}

#[tokio::test]
async fn synchronising_twice_writes_nothing() {
    let desk = Desk::prepare(&Founded::new().await, Act::Move).await;
    let program = desk.start(None);
    let (writes, event) = (desk.writes(), desk.events().await);
    for _round in 0..2 {
        let work = CalendarWork::new(program.app.clone());
        work.sync(desk.organization, false).await.unwrap().unwrap();
        desk.google.expire_sync_tokens();
    }
    assert_eq!((desk.writes(), desk.events().await), (writes, event));
    assert_eq!(program.wanted().await.1, 0);
}

/// Whole days are the days of the business, and a time is an instant, whatever the zone of the calendar.
#[tokio::test]
async fn calendar_in_another_zone_takes_the_days_and_hours_that_it_says() {
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    let program = desk.start(None);
    desk.google.add_calendar("manaus@example.test", "America/Manaus", "owner").unwrap();
    let links = CalendarLinks::new(program.app.clone());
    let link = links.link(desk.organization, "Ana Prado".to_owned(), "manaus@example.test".to_owned(), false).await;
    link.unwrap().unwrap();
    let read = async || {
        program.read_all().await;
        let work = CalendarWork::new(program.app.clone());
        work.read(desk.organization, "manaus@example.test".to_owned(), false).await.unwrap()
    };
    read().await;
    let before = free_of(&program, "Ana Prado").await;
    // Nine o'clock there is ten o'clock here.
    let at = |time: &str| json!({ "dateTime": format!("2026-11-24T{time}:00"), "timeZone": "America/Manaus" });
    desk.google.put_event("manaus@example.test", json!({ "id": "class", "start": at("09:00"), "end": at("09:30") }));
    read().await;
    let expected: Vec<_> = before.iter().filter(|slot| *slot != "10:00").cloned().collect();
    assert_eq!(free_of(&program, "Ana Prado").await, expected);
    desk.google.block_days("manaus@example.test", "holiday", "2026-11-24", "2026-11-25");
    read().await;
    assert_eq!(free_of(&program, "Ana Prado").await, Vec::<String>::new());
    desk.google.delete_event("manaus@example.test", "holiday");
    desk.google.block_days("manaus@example.test", "holiday2", "2026-11-25", "2026-11-26");
    read().await;
    assert_eq!(free_of(&program, "Ana Prado").await, expected, "the day ends with the business's day");
}
