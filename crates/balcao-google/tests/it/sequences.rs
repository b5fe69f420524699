//! Edits of people, acts of customers and choices of staff one behind the other, over real HTTP.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_conflicts::{
    CalendarConflict, CalendarConflicts, ConflictChoice, ConflictRefusal,
};
use balcao_domain::outside_event::ConflictKind;
use balcao_testkit::fakes::google::{Call, Fault};
use jiff::SignedDuration;
use serde_json::json;

use crate::desk::{Act, Desk, Founded, Program, booked};
use crate::interrupted::Side;
use crate::world::{BIA, RAFA};

fn conflicts(program: &Program) -> CalendarConflicts {
    CalendarConflicts::new(program.app.clone(), AccountPolicies::default())
}

async fn open(program: &Program) -> Vec<CalendarConflict> {
    conflicts(program).page(program.organization, None, 9).await.unwrap().items
}

fn brief(all: &[CalendarConflict]) -> Vec<String> {
    let one = |one: &CalendarConflict| {
        let a = &one.appointment;
        format!("#{} {:?} {} {} {:?} {:?}", one.id, one.kind, a.id, a.start, a.status, one.event_from)
    };
    all.iter().map(one).collect()
}

#[tokio::test]
async fn customer_moves_while_the_event_is_in_another_calendar() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    desk.google.transfer_event(RAFA, BIA, &event);
    program.read_all().await;
    assert_eq!(Act::Move.run(&program).await, Act::Move.answer());
    desk.settle_later(&program).await;
    let all = open(&program).await;
    let kinds: Vec<_> = all.iter().map(|one| one.kind).collect();
    // What staff read in the letters of either.
    for one in all.iter().rev() {
        conflicts(&program)
            .resolve(program.organization, one.id, ConflictChoice::Restore, true, Actor::Operator)
            .await
            .unwrap()
            .unwrap();
    }
    desk.settle_later(&program).await;
    desk.google.expire_sync_tokens();
    program.read_all().await;
    desk.settle_later(&program).await;
    assert_eq!((desk.events().await, 0, 0), program.wanted().await);
    assert_eq!(kinds, [ConflictKind::OtherCalendar]);
}

type Edit = fn(&Desk, &str);

const EDITS: [(&str, Edit); 3] = [
    ("other calendar", |desk, event| desk.google.transfer_event(RAFA, BIA, event)),
    ("other calendar and time", |desk, event| {
        desk.google.transfer_event(RAFA, BIA, event);
        desk.google.move_event(BIA, event, 300);
    }),
    ("moved and resized", |desk, event| {
        desk.google.move_event(RAFA, event, 300);
        desk.google.shorten_event(RAFA, event, -15);
    }),
];

fn faults() -> Vec<Fault> {
    vec![
        Fault::LoseAnswer,
        Fault::Break,
        Fault::refuse(429, "rateLimitExceeded"),
        Fault::refuse(404, "notFound"),
        Fault::refuse(410, "deleted"),
        Fault::refuse(412, "conditionNotMet"),
        Fault::refuse(503, "backendError"),
    ]
}

async fn take(program: &Program) -> Option<Result<(), String>> {
    let number = open(program).await.first()?.id;
    let done = conflicts(program)
        .resolve(program.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await;
    Some(match done {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(refusal)) => Err(refusal.to_string()),
        Err(error) => Err(error.to_string()),
    })
}

#[tokio::test]
async fn take_survives_any_answer_at_any_call() {
    let founded = Founded::new().await;
    let mut wrong = Vec::new();
    for (name, edit) in EDITS {
        for call in [Call::List, Call::Patch, Call::Get, Call::Move] {
            for fault in faults() {
                for times in [1, 4] {
                    let (desk, program, event) = booked(&founded).await;
                    edit(&desk, &event);
                    program.read_all().await;
                    (0..times).for_each(|_| desk.google.fail(call, fault.clone()));
                    let first = take(&program).await;
                    desk.google.clear_faults();
                    desk.settle_later(&program).await;
                    let left = brief(&open(&program).await);
                    let wanted = program.wanted().await;
                    let events = desk.events().await;
                    if (events.clone(), 0, 0) != wanted {
                        wrong.push(format!(
                            "{name} {call:?} {fault:?} {times}: {first:?} {left:?} {events:?} {wanted:?}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn take_that_is_cut_off_leaves_neither_an_orphan_nor_a_double() {
    let founded = Founded::new().await;
    let mut wrong = Vec::new();
    for (name, edit) in EDITS {
        for call in 0..6 {
            for side in [Side::Before, Side::After] {
                let (desk, program, event) = booked(&founded).await;
                edit(&desk, &event);
                program.read_all().await;
                let dying = desk.start(Some((call, side)));
                tokio::select! {
                    biased;
                    () = dying.plan.program_ended() => {}
                    _ = take(&dying) => {}
                }
                let program = desk.start(None);
                desk.clock.advance(SignedDuration::from_mins(4));
                desk.settle_later(&program).await;
                desk.google.expire_sync_tokens();
                program.read_all().await;
                desk.settle_later(&program).await;
                let left = brief(&open(&program).await);
                let (wanted, count, waiting) = program.wanted().await;
                let events = desk.events().await;
                if events.len() != 1 || waiting != 0 || (count == 0 && events != wanted) {
                    wrong.push(format!("{name} {call} {side:?}: {left:?} {events:?} {wanted:?} {waiting}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The person moved the event again while it lay in the other calendar, and staff put it back.
#[tokio::test]
async fn event_that_lost_its_mark_in_another_calendar_is_put_back() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    desk.google.transfer_event(RAFA, BIA, &event);
    desk.google.set_property(BIA, &event, "balcaoAppointment", None);
    desk.google.set_field(BIA, &event, "transparency", json!("transparent"));
    program.read_all().await;
    let all = open(&program).await;
    conflicts(&program)
        .resolve(program.organization, all[0].id, ConflictChoice::Restore, true, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    desk.settle_later(&program).await;
    assert_eq!(brief(&open(&program).await), Vec::<String>::new());
    assert_eq!((desk.events().await, 0, 0), program.wanted().await);
}

async fn book_bia(desk: &Desk, program: &Program) -> bool {
    let booking = balcao_app::scheduling::booking::Booking::new(program.app.clone());
    let wish = crate::desk::request(16 * 60);
    booking.book(desk.organization, desk.bia, crate::desk::key("bia"), wish).await.unwrap().value.is_ok()
}

#[tokio::test]
async fn time_of_an_event_that_went_on_is_not_given_away_by_a_take() {
    let (desk, program, event) = booked(&Founded::new().await).await;
    desk.google.move_event(RAFA, &event, 300);
    desk.google.shorten_event(RAFA, &event, -15);
    program.read_all().await;
    let number = open(&program).await[0].id;
    desk.google.move_event(RAFA, &event, 60);
    let refused = conflicts(&program)
        .resolve(program.organization, number, ConflictChoice::TakeOutside, true, Actor::Operator)
        .await
        .unwrap();
    assert_eq!(refused.map(drop), Err(ConflictRefusal::Changed { id: number }));
    desk.settle_later(&program).await;
    program.read_all().await;
    let got = book_bia(&desk, &program).await;
    assert!(!got, "two events of ours at one time");
}

#[tokio::test]
async fn time_of_an_event_that_a_person_moved_during_our_move_is_not_offered() {
    let (desk, _, event) = booked(&Founded::new().await).await;
    let program = desk.start(Some((1, Side::Before)));
    let meanwhile = async {
        program.plan.program_ended().await;
        desk.google.move_event(RAFA, &event, 360);
        desk.google.shorten_event(RAFA, &event, -15);
        program.plan.go_on();
    };
    let (answer, ()) = tokio::join!(Act::Move.run(&program), meanwhile);
    assert_eq!(answer, Act::Move.answer());
    desk.settle_later(&program).await;
    program.read_all().await;
    let got = book_bia(&desk, &program).await;
    assert!(!got, "two events of ours at one time");
}
