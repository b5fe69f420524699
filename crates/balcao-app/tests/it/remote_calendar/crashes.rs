//! The program ends at every step of a booking, a move and a cancellation, with and without a service that loses answers.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use balcao_testkit::fakes::calendar_service::CallFault;

use super::{World, in_memory, key, request, to};

/// Polls a future so often and drops it then: the program ended there. `None` if it had not come to its end.
async fn end_after<T>(polls: u32, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Book,
    Move,
    Cancel,
}

impl Act {
    /// The start that the customer knows, if any.
    async fn run(self, world: &World) -> String {
        self.run_or_fail(world).await.unwrap()
    }

    /// As [`Self::run`]; `None` if the service did not answer, so that nothing was done.
    async fn run_or_fail(self, world: &World) -> Option<String> {
        let (booking, organization, contact) = (world.booking(), world.organization, world.ana.contact);
        Some(match self {
            Self::Book => {
                let booked = booking.book(organization, contact, key("act"), request("10:00")).await.ok()?;
                let booked = booked.value.unwrap();
                format!("{} {} {}", booked.appointment.start, booked.appointment.status, booked.already_booked)
            }
            Self::Move => {
                let moved = booking.reschedule(organization, contact, key("act"), to("15:00")).await.ok()?;
                let moved = moved.value.unwrap();
                format!("{} {}", moved.old.start, moved.new.appointment.start)
            }
            Self::Cancel => {
                let cancelled = booking.cancel(organization, contact, key("act"), None).await.unwrap();
                cancelled.value.unwrap().status.to_string()
            }
        })
    }

    const fn answer(self) -> &'static str {
        match self {
            Self::Book => "10:00 confirmed false",
            Self::Move => "10:00 15:00",
            Self::Cancel => "cancelled",
        }
    }
}

async fn prepared(act: Act, fault: Option<CallFault>) -> World {
    let world = in_memory().await;
    if act != Act::Book {
        world.book("10:00").await;
    }
    world.service.suffer(fault);
    world
}

/// For each step: a second run under the same key gets the answer, and without a second run nothing is left in between.
async fn end_at_every_step(act: Act) {
    let faults =
        [None, Some(CallFault::AnswerLost), Some(CallFault::RequestLost), Some(CallFault::Late), Some(CallFault::Busy)];
    let mut table = String::from("act      fault          steps  came back  stayed away\n");
    for fault in faults {
        let mut steps = 0;
        while !Box::pin(end_at(act, fault, steps)).await {
            steps += 1;
        }
        assert!(steps > 5, "{act:?} has steps");
        let fault = fault.map_or_else(|| "none".to_owned(), |fault| format!("{fault:?}"));
        table.push_str(&format!("{:<8} {fault:<13} {steps:>6}  {:>9}  {:>11}\n", format!("{act:?}"), "equal", "equal"));
    }
    eprintln!("{table}");
}

/// Ends the program at one step; returns whether the act had come to its end.
async fn end_at(act: Act, fault: Option<CallFault>, steps: u32) -> bool {
    let story = format!("{act:?}, {fault:?}, ended after step {steps}");
    let world = prepared(act, fault).await;
    let ended = end_after(steps, act.run_or_fail(&world)).await;
    if let Some(answer) = &ended
        && fault != Some(CallFault::Busy)
    {
        assert_eq!(answer.as_deref(), Some(act.answer()), "{story}");
    }
    world.service.deliver_late();
    world.clock.advance(jiff::SignedDuration::from_secs(5));
    // The limit may strike only now. And the push of the program that ended may still hold the event: then nothing confirms the act.
    let may_fail = fault == Some(CallFault::Busy) || (act != Act::Cancel && ended.is_none());
    let first = act.run_or_fail(&world).await;
    assert!(first.as_deref() == Some(act.answer()) || (may_fail && first.is_none()), "{story}: {first:?}");
    // The limit may strike after that.
    let again = act.run_or_fail(&world).await;
    assert!(again.is_some() || fault == Some(CallFault::Busy), "{story}");
    assert_eq!(act.run(&world).await, act.answer(), "{story}");
    world.service.deliver_late();
    world.settle_later(30).await;
    world.assert_equal(&format!("{story}, and came back")).await;

    let world = prepared(act, fault).await;
    let _left = end_after(steps, act.run_or_fail(&world)).await;
    world.service.deliver_late();
    world.settle_later(30).await;
    world.service.deliver_late();
    world.settle_later(30).await;
    world.assert_equal(&format!("{story}, and stayed away")).await;
    ended.is_some()
}

#[tokio::test]
async fn a_booking_that_is_cut_off_anywhere_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Book)).await;
}

#[tokio::test]
async fn a_move_that_is_cut_off_anywhere_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Move)).await;
}

#[tokio::test]
async fn a_cancellation_that_is_cut_off_anywhere_leaves_neither_an_orphan_nor_a_double() {
    Box::pin(end_at_every_step(Act::Cancel)).await;
}
