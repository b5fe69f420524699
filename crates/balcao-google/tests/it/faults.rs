//! Google answers wrongly, late or not at all at any call of a booking, a move and a cancellation: also after it did what was asked.

use std::fmt::Write as _;

use balcao_testkit::fakes::google::{Call, Fault};

use crate::desk::{Act, Desk, Founded};

/// The answers that a program has to expect. Each is tried once, and of writes several times in a row.
fn faults() -> Vec<Fault> {
    vec![
        Fault::LoseAnswer,
        Fault::Break,
        Fault::NoJson,
        Fault::Cut,
        Fault::Endless,
        Fault::refuse(400, "badRequest"),
        Fault::refuse(429, "rateLimitExceeded"),
        Fault::Refuse { status: 429, reason: "rateLimitExceeded".to_owned(), retry_after_s: Some(31_536_000) },
        Fault::refuse(403, "quotaExceeded"),
        Fault::refuse(403, "forbidden"),
        Fault::refuse(401, "authError"),
        Fault::refuse(404, "notFound"),
        Fault::refuse(409, "duplicate"),
        Fault::refuse(410, "deleted"),
        Fault::refuse(412, "conditionNotMet"),
        Fault::refuse(500, "backendError"),
        Fault::refuse(503, "backendError"),
    ]
}

/// The calls that an act makes.
const fn calls(act: Act) -> &'static [Call] {
    match act {
        Act::Book => &[Call::Token, Call::List, Call::Insert],
        Act::Move => &[Call::Token, Call::List, Call::Patch],
        Act::HandOver => &[Call::Token, Call::List, Call::Move, Call::Patch],
        Act::Cancel => &[Call::Token, Call::List, Call::Delete],
    }
}

/// The last call of an act: the one that changes the event.
const fn write_of(act: Act) -> Call {
    match act {
        Act::Book => Call::Insert,
        Act::Move => Call::Patch,
        Act::HandOver => Call::Move,
        Act::Cancel => Call::Delete,
    }
}

/// Lets calls fail so often, and looks at what stands in the end.
async fn fail_at(founded: &Founded, act: Act, plan: &[(Call, &Fault, usize)]) -> &'static str {
    let story = format!("{act:?}, {plan:?}");
    let desk = Desk::prepare(founded, act).await;
    let program = desk.start(None);
    for (call, fault, times) in plan {
        (0..*times).for_each(|_| desk.google.fail(*call, (*fault).clone()));
    }
    let first = act.try_run(&program).await;
    if let Ok(answer) = &first {
        assert_eq!(answer, act.answer(), "{story}");
    }
    desk.google.clear_faults();
    desk.settle_later(&program).await;
    let events = desk.events().await;
    assert_eq!((events, 0, 0), program.wanted().await, "{story}: events, conflicts, pushes");
    // The same key may try again, and what was done is not done twice.
    assert_eq!(act.run(&program).await, act.answer(), "{story}, again");
    desk.settle_later(&program).await;
    let events = desk.events().await;
    assert_eq!((events.clone(), 0, 0), program.wanted().await, "{story}, again: events, conflicts, pushes");
    assert_eq!(events.len(), usize::from(act.done().is_some()), "{story}");
    if first.is_ok() { "done" } else { "not done" }
}

/// Lets every call of an act fail in every way; returns the table of what came of the first try.
async fn fail_at_every_call(act: Act) -> String {
    let founded = Founded::new().await;
    let mut table = format!("{:<9} {:<7} {:<36} {:<9} {}\n", "act", "call", "answer", "once", "four times");
    for call in calls(act) {
        for fault in faults() {
            let once = Box::pin(fail_at(&founded, act, &[(*call, &fault, 1)])).await;
            // A reading that fails again and again does nothing more than one that fails twice.
            let often = if matches!(call, Call::Token | Call::List) {
                ""
            } else {
                Box::pin(fail_at(&founded, act, &[(*call, &fault, 4)])).await
            };
            let answer = if let Fault::Refuse { status, reason, .. } = &fault {
                format!("{status} {reason}")
            } else {
                format!("{fault:?}")
            };
            writeln!(table, "{:<9} {:<7} {answer:<36} {once:<9} {often}", format!("{act:?}"), format!("{call:?}"))
                .unwrap();
        }
    }
    table
}

/// The answer of the write is lost, or the write did not arrive, and the look for it fails: once, and again. What does not exist for a
/// moment is not deleted.
async fn survives_any_look_for_a_lost_write(act: Act) {
    let founded = Founded::new().await;
    for lost in [Fault::LoseAnswer, Fault::Break] {
        for fault in faults() {
            for times in [1, 4] {
                let plan = [(write_of(act), &lost, 1), (Call::Get, &fault, times)];
                Box::pin(fail_at(&founded, act, &plan)).await;
            }
        }
    }
}

#[tokio::test]
async fn booking_survives_any_look_for_a_lost_write() {
    Box::pin(survives_any_look_for_a_lost_write(Act::Book)).await;
}

#[tokio::test]
async fn move_survives_any_look_for_a_lost_write() {
    Box::pin(survives_any_look_for_a_lost_write(Act::Move)).await;
}

#[tokio::test]
async fn change_of_professional_survives_any_look_for_a_lost_write() {
    Box::pin(survives_any_look_for_a_lost_write(Act::HandOver)).await;
}

#[tokio::test]
async fn cancellation_survives_any_look_for_a_lost_write() {
    Box::pin(survives_any_look_for_a_lost_write(Act::Cancel)).await;
}

#[tokio::test]
async fn booking_survives_any_answer_at_any_call() {
    eprintln!("{}", Box::pin(fail_at_every_call(Act::Book)).await);
}

/// The event is written, and the look for an earlier one fails: an uncertain answer confirms nothing, and leaves nothing.
async fn is_not_confirmed_by_a_look_that_fails(act: Act) {
    let founded = Founded::new().await;
    for fault in faults() {
        let story = format!("{act:?}, {fault:?}");
        let desk = Desk::prepare(&founded, act).await;
        let program = desk.start(None);
        let before =
            desk.events().await.iter().map(|(calendar, _, start)| (calendar.clone(), *start)).collect::<Vec<_>>();
        // The first listings read what changed, one of each calendar, and the next one looks; it may be sent twice.
        desk.google.fail_later(Call::List, if act == Act::HandOver { 2 } else { 1 }, fault.clone());
        (0..3).for_each(|_| desk.google.fail(Call::List, fault.clone()));
        let first = act.try_run(&program).await;
        assert!(first.is_err(), "{story}: {first:?}");
        desk.google.clear_faults();
        desk.settle_later(&program).await;
        let events = desk.events().await;
        assert_eq!((events.clone(), 0, 0), program.wanted().await, "{story}");
        let after: Vec<_> = events.into_iter().map(|(calendar, _, start)| (calendar, start)).collect();
        assert_eq!(after, before, "{story}");
        assert_eq!(act.run(&program).await, act.answer(), "{story}, again");
        desk.settle_later(&program).await;
        let events = desk.events().await;
        assert_eq!((events.clone(), 0, 0), program.wanted().await, "{story}, again");
        assert_eq!(events.len(), 1, "{story}");
    }
}

#[tokio::test]
async fn booking_is_not_confirmed_by_a_look_that_fails() {
    Box::pin(is_not_confirmed_by_a_look_that_fails(Act::Book)).await;
}

#[tokio::test]
async fn move_is_not_confirmed_by_a_look_that_fails() {
    Box::pin(is_not_confirmed_by_a_look_that_fails(Act::Move)).await;
}

#[tokio::test]
async fn change_of_professional_is_not_confirmed_by_a_look_that_fails() {
    Box::pin(is_not_confirmed_by_a_look_that_fails(Act::HandOver)).await;
}

#[tokio::test]
async fn move_survives_any_answer_at_any_call() {
    eprintln!("{}", Box::pin(fail_at_every_call(Act::Move)).await);
}

#[tokio::test]
async fn change_of_professional_survives_any_answer_at_any_call() {
    eprintln!("{}", Box::pin(fail_at_every_call(Act::HandOver)).await);
}

#[tokio::test]
async fn cancellation_survives_any_answer_at_any_call() {
    eprintln!("{}", Box::pin(fail_at_every_call(Act::Cancel)).await);
}
