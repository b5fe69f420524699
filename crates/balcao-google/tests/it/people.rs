//! What people do to our events in their calendars, from their hands to the list of conflicts, over real HTTP.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_conflicts::{CalendarConflicts, ConflictChoice};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_domain::outside_event::ConflictKind;
use balcao_store::scheduling::calendar_conflict;
use balcao_store::{StoreError, Tx};
use balcao_testkit::fakes::google::{Call, Fault};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::desk::{Act, Desk, Founded, Program, booked, business};
use crate::interrupted::Side;
use crate::world::{BIA, RAFA, instant};

async fn kinds(program: &Program) -> Vec<ConflictKind> {
    let organization = program.organization;
    let list = move |tx: &mut Tx<'_>| calendar_conflict::list_open(tx, organization, 0, 99);
    let open: Result<_, StoreError> = program.app.store.read(list).await;
    let mut kinds: Vec<_> = open.unwrap().into_iter().map(|one| one.found.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

type Edit = fn(&Desk, &str);

/// Each kind of edit that staff have to decide about.
const EDITS: [(Edit, ConflictKind); 13] = [
    (|desk, event| desk.google.delete_event(RAFA, event), ConflictKind::Deleted),
    (|desk, event| desk.google.move_event(RAFA, event, 120), ConflictKind::RefusedMove),
    (
        |desk, event| {
            desk.google.move_event(RAFA, event, 300);
            desk.google.shorten_event(RAFA, event, -15);
        },
        ConflictKind::MovedAndResized,
    ),
    (|desk, event| desk.google.shorten_event(RAFA, event, 15), ConflictKind::Shortened),
    (|desk, event| desk.google.shorten_event(RAFA, event, -30), ConflictKind::Lengthened),
    (
        |desk, event| {
            desk.google.set_field(RAFA, event, "start", json!({ "date": "2026-11-24" }));
            desk.google.set_field(RAFA, event, "end", json!({ "date": "2026-11-25" }));
        },
        ConflictKind::BecameAllDay,
    ),
    (
        |desk, event| desk.google.set_field(RAFA, event, "transparency", json!("transparent")),
        ConflictKind::NoLongerBusy,
    ),
    (|desk, event| desk.google.transfer_event(RAFA, BIA, event), ConflictKind::OtherCalendar),
    (|desk, event| desk.google.set_property(RAFA, event, "balcaoAppointment", None), ConflictKind::OwnerChanged),
    (|desk, event| drop(desk.google.copy_event(RAFA, event)), ConflictKind::Copied),
    (
        |desk, event| desk.google.set_field(RAFA, event, "recurrence", json!(["RRULE:FREQ=WEEKLY;COUNT=3"])),
        ConflictKind::RecurringException,
    ),
    (
        |desk, _| {
            let at = |time: &str| json!({ "dateTime": format!("2026-11-24T{time}:00-03:00") });
            desk.google.put_event(RAFA, json!({ "id": "dentist", "start": at("10:15"), "end": at("11:00") }));
        },
        ConflictKind::Collision,
    ),
    (|desk, _| desk.google.block_days(RAFA, "holiday", "2026-11-24", "2026-11-25"), ConflictKind::AllDayBlock),
];

#[tokio::test]
async fn every_kind_of_edit_is_in_the_list_of_conflicts_once_and_the_booking_stands() {
    let founded = Founded::new().await;
    let covered: Vec<_> = EDITS.iter().map(|(_, kind)| *kind).collect();
    let missing: Vec<_> = ConflictKind::ALL.into_iter().filter(|kind| !covered.contains(kind)).collect();
    assert_eq!(missing, [ConflictKind::Moved], "a move is followed");
    for (edit, kind) in EDITS {
        let (desk, program, event) = booked(&founded).await;
        let before = program.wanted().await.0;
        edit(&desk, &event);
        program.read_all().await;
        let found = kinds(&program).await;
        assert_eq!(found, [kind]);
        let (stands, conflicts, _) = program.wanted().await;
        assert_eq!(stands, before, "{kind:?}: the booking stands until staff decide");
        desk.google.expire_sync_tokens();
        // The other way round, too.
        for calendar in [BIA, RAFA] {
            let work = CalendarWork::new(program.app.clone());
            work.read(program.organization, calendar.to_owned(), false).await.unwrap();
        }
        assert_eq!((kinds(&program).await, program.wanted().await.1), (found, conflicts), "{kind:?}: read again");
    }
}

#[tokio::test]
async fn moved_event_takes_its_appointment_along_and_is_not_written_again() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    desk.google.move_event(RAFA, &event, 60);
    let written = desk.writes();
    program.read_all().await;
    program.settle().await;
    let (stands, ..) = program.wanted().await;
    assert_eq!(stands[0].2, instant("2026-11-24T14:00:00Z"));
    assert_eq!(desk.events().await.iter().map(|one| one.2).collect::<Vec<_>>(), [instant("2026-11-24T14:00:00Z")]);
    assert_eq!(kinds(&program).await, [ConflictKind::Moved]);
    // The appointment has another number now, which its event has to name. After that nothing is left to write.
    assert!(desk.writes() <= written + 1);
    let written = desk.writes();
    for _round in 0..3 {
        desk.google.expire_sync_tokens();
        program.read_all().await;
        program.settle().await;
    }
    assert_eq!(desk.writes(), written, "reading writes nothing");
}

/// The act of a customer, and what a person does in the calendar between our reading and our write.
async fn edited_meanwhile(act: Act, edit: Edit) -> (Desk, Program) {
    let (desk, _, event) = booked(&Founded::new().await).await;
    // A change of professional reads both calendars.
    let readings = if act == Act::HandOver { 2 } else { 1 };
    let program = desk.start(Some((readings, Side::Before)));
    let meanwhile = async {
        program.plan.program_ended().await;
        edit(&desk, &event);
        program.plan.go_on();
    };
    let (answer, ()) = tokio::join!(act.run(&program), meanwhile);
    assert_eq!(answer, act.answer(), "{act:?}: our tables decide");
    desk.settle_later(&program).await;
    (desk, program)
}

/// What staff would see of an event that a person left.
fn look_of(desk: &Desk, event: &str) -> Vec<Value> {
    let event = desk.google.event(RAFA, event).unwrap();
    ["status", "start", "end", "transparency"].iter().map(|field| event[field].clone()).collect()
}

/// Our write arrived, its answer did not, and a person edits the event before the program starts again: neither what looks the write up nor
/// a reading that comes first takes the edit for the write. (Without its mark the event is anybody's: then nothing is confirmed.)
#[tokio::test]
async fn edit_behind_a_write_without_an_answer_is_for_staff_and_stays() {
    let founded = Founded::new().await;
    let kinds_of_edit = EDITS.iter().filter(|(_, kind)| {
        use ConflictKind::{BecameAllDay, Deleted, Lengthened, MovedAndResized, NoLongerBusy, RefusedMove, Shortened};
        matches!(kind, Deleted | RefusedMove | MovedAndResized | Shortened | Lengthened | BecameAllDay | NoLongerBusy)
    });
    for ((edit, kind), act) in kinds_of_edit.flat_map(|edit| [(edit, Act::Book), (edit, Act::Move)]) {
        for reads_first in [false, true] {
            let story = format!("{kind:?} {act:?}, read first: {reads_first}");
            let desk = Desk::prepare(&founded, act).await;
            // A booking reads the calendars of both professionals before.
            let write = if act == Act::Book { 2 } else { 1 };
            let program = desk.start(Some((write, Side::After)));
            tokio::select! {
                answer = act.try_run(&program) => panic!("{story}: {answer:?}"),
                () = program.plan.program_ended() => {}
            }
            let sent = desk.google.asked().into_iter().rev().find(|asked| asked.body["extendedProperties"].is_object());
            let sent = sent.unwrap();
            let patched = sent.target.split(['/', '?']).skip_while(|part| *part != "events").nth(1);
            let event = sent.body["id"].as_str().or(patched).unwrap().to_owned();
            edit(&desk, &event);
            let left = look_of(&desk, &event);
            let program = desk.start(None);
            desk.clock.advance(SignedDuration::from_mins(3));
            if reads_first {
                program.read_all().await;
            }
            drop(act.try_run(&program).await);
            assert_eq!(act.run(&program).await, act.answer(), "{story}: our tables decide");
            desk.settle_later(&program).await;
            let found = kinds(&program).await;
            assert_eq!(found, [*kind], "{story}");
            assert_eq!(look_of(&desk, &event), left, "{story}");
            let is_there = usize::from(*kind != ConflictKind::Deleted);
            assert_eq!(desk.google.count_events(RAFA), is_there, "{story}");
        }
    }
}

/// The service does not say what was there first, so the move is taken back: the person's edit stays, and so does its conflict.
#[tokio::test]
async fn edit_during_a_move_that_is_taken_back_stays_for_staff() {
    let (desk, _, event) = booked(&Founded::new().await).await;
    let program = desk.start(Some((1, Side::Before)));
    let meanwhile = async {
        program.plan.program_ended().await;
        desk.google.move_event(RAFA, &event, 60);
        (0..4).for_each(|_| desk.google.fail(Call::List, Fault::refuse(503, "backendError")));
        program.plan.go_on();
    };
    let (answer, ()) = tokio::join!(Act::Move.try_run(&program), meanwhile);
    assert!(answer.is_err(), "{answer:?}");
    desk.google.clear_faults();
    let left = look_of(&desk, &event);
    desk.settle_later(&program).await;
    assert_eq!(kinds(&program).await, [ConflictKind::RefusedMove]);
    assert_eq!(look_of(&desk, &event), left);
    assert_eq!(program.wanted().await.0[0].2, instant("2026-11-24T13:00:00Z"), "the visit is where it was");
}

async fn starts(desk: &Desk) -> Vec<Timestamp> {
    desk.events().await.into_iter().map(|(_, _, start)| start).collect()
}

#[tokio::test]
async fn event_that_a_person_moves_during_our_move_is_for_staff() {
    let (desk, program) = edited_meanwhile(Act::Move, |desk, event| desk.google.move_event(RAFA, event, 30)).await;
    assert_eq!(kinds(&program).await, [ConflictKind::RefusedMove]);
    assert_eq!(starts(&desk).await, [instant("2026-11-24T13:30:00Z")], "what the person did is not overwritten");
    assert_eq!(program.wanted().await.0[0].2, instant("2026-11-24T18:00:00Z"));
}

#[tokio::test]
async fn event_that_a_person_moves_during_our_change_of_professional_is_for_staff() {
    let move_it: Edit = |desk, event| desk.google.move_event(RAFA, event, 30);
    let (desk, program) = edited_meanwhile(Act::HandOver, move_it).await;
    assert_eq!(kinds(&program).await, [ConflictKind::RefusedMove]);
    assert_eq!(starts(&desk).await, [instant("2026-11-24T13:30:00Z")], "what the person did is not overwritten");
    assert_eq!((desk.google.count_events(RAFA), desk.google.count_events(BIA)), (0, 1));
}

#[tokio::test]
async fn harmless_edit_during_our_move_changes_nothing() {
    let title: Edit = |desk, event| desk.google.set_field(RAFA, event, "colorId", json!("5"));
    let (desk, program) = edited_meanwhile(Act::Move, title).await;
    assert_eq!(kinds(&program).await, []);
    assert_eq!(starts(&desk).await, [instant("2026-11-24T18:00:00Z")]);
}

#[tokio::test]
async fn event_that_a_person_moves_during_our_cancellation_goes_all_the_same() {
    let (desk, program) = edited_meanwhile(Act::Cancel, |desk, event| desk.google.move_event(RAFA, event, 30)).await;
    assert_eq!((kinds(&program).await, starts(&desk).await), (vec![], vec![]));
}

/// Everything that was sent to the service: addresses and bodies.
fn sent(desk: &Desk) -> String {
    desk.google.asked().iter().map(|asked| format!("{} {}\n", asked.target, asked.body)).collect()
}

#[tokio::test]
async fn event_of_a_booking_says_nothing_of_its_customer() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    let stored = desk.google.event(RAFA, &event).unwrap();
    assert_eq!((&stored["summary"], &stored["description"]), (&json!("Corte"), &json!("")));
    assert_eq!(Act::Move.run(&program).await, Act::Move.answer());
    let sent = sent(&desk);
    assert!(sent.contains("Corte"), "{sent}");
    assert!(["Ana", "99640", "1177"].iter().all(|said| !sent.contains(said)), "{sent}");
    assert!(desk.google.send_updates().iter().all(|said| said == "none"));
}

#[tokio::test]
async fn event_names_its_customer_if_the_business_says_so_and_never_their_phone() {
    let business = business().replace("scheduling: {", "scheduling: {calendar_event_title: service_and_name, ");
    let (desk, program, event) = booked(&Founded::with(&business).await).await;
    assert_eq!(desk.google.event(RAFA, &event).unwrap()["summary"], "Corte: Ana");
    assert_eq!(Act::Move.run(&program).await, Act::Move.answer());
    assert_eq!(desk.google.event(RAFA, &event).unwrap()["summary"], "Corte: Ana");
    let sent = sent(&desk);
    assert!(["99640", "1177"].iter().all(|said| !sent.contains(said)), "{sent}");
}

/// Staff let stand that the event is in the calendar of another professional: the booking goes there, and the event stays.
#[tokio::test]
async fn booking_follows_its_event_into_the_calendar_of_another_professional() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    desk.google.transfer_event(RAFA, BIA, &event);
    program.read_all().await;
    let conflicts = CalendarConflicts::new(program.app.clone(), AccountPolicies::default());
    let open = conflicts.page(program.organization, None, 9).await.unwrap().items;
    let take = conflicts.resolve(program.organization, open[0].id, ConflictChoice::TakeOutside, true, Actor::Operator);
    let booking = take.await.unwrap().unwrap().booking.unwrap().appointment;
    assert_eq!((booking.professional.as_str(), booking.start.as_str()), ("Caio Reis", "10:00"));
    desk.settle_later(&program).await;
    assert_eq!((desk.events().await, 0, 0), program.wanted().await);
    assert_eq!(desk.google.event(BIA, &event).unwrap()["status"], "confirmed", "the same event stays");
}

/// An event that cannot be read is put aside by the reading and by the look after the insert alike.
#[tokio::test]
async fn unreadable_event_of_a_day_refuses_no_booking_that_is_offered() {
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    let program = desk.start(None);
    let mixed =
        json!({ "id": "mixed", "start": { "date": "2026-11-24" }, "end": { "dateTime": "2026-11-24T11:00:00-03:00" } });
    desk.google.put_event(RAFA, mixed);
    program.read_all().await;
    assert_eq!(Act::Book.run(&program).await, Act::Book.answer());
    desk.settle_later(&program).await;
    assert_eq!((desk.events().await, 0, 0), program.wanted().await);
}

/// Also of our event that became a series, each instance of which comes again.
#[tokio::test]
async fn what_staff_let_stand_is_not_asked_again_when_the_calendar_is_read_from_the_beginning() {
    let founded = Founded::new().await;
    for (edit, kind) in EDITS.into_iter().filter(|(_, kind)| *kind != ConflictKind::RefusedMove) {
        let (desk, program, event) = booked(&founded).await;
        edit(&desk, &event);
        program.read_all().await;
        let conflicts = CalendarConflicts::new(program.app.clone(), AccountPolicies::default());
        for one in conflicts.page(program.organization, None, 9).await.unwrap().items {
            let take = ConflictChoice::TakeOutside;
            let done = conflicts.resolve(program.organization, one.id, take, false, Actor::Operator).await.unwrap();
            done.unwrap_or_else(|refusal| panic!("{kind:?}: {refusal}"));
        }
        desk.settle_later(&program).await;
        desk.google.expire_sync_tokens();
        program.read_all().await;
        assert_eq!(kinds(&program).await, [], "{kind:?}");
    }
}
