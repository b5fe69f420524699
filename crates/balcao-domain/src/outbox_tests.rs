use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).unwrap()
}

fn outcomes() -> impl Strategy<Value = AttemptOutcome> {
    prop_oneof![
        Just(AttemptOutcome::Accepted),
        prop::option::of(0_u64..10_000)
            .prop_map(|after| AttemptOutcome::Retry { after: after.map(Duration::from_secs) }),
        Just(AttemptOutcome::Misconfigured),
        Just(AttemptOutcome::Refused),
        Just(AttemptOutcome::Unknown),
    ]
}

#[test]
fn a_message_of_unknown_outcome_is_never_pending_again() {
    for attempt in 1..100 {
        let next = after_attempt(AttemptOutcome::Unknown, attempt, 7, SETTLE, now());
        assert_eq!(next, Next { state: OutboxState::Unknown, not_before: later(now(), SETTLE) });
    }
}

#[test]
fn the_last_attempt_that_fails_is_a_dead_letter() {
    let retry = AttemptOutcome::Retry { after: None };
    assert_eq!(after_attempt(retry, MAX_ATTEMPTS - 1, 0, SETTLE, now()).state, OutboxState::Pending);
    assert_eq!(after_attempt(retry, MAX_ATTEMPTS, 0, SETTLE, now()).state, OutboxState::Dead);
}

#[test]
fn a_wait_that_the_provider_asks_for_is_kept() {
    let after = Some(Duration::from_mins(30));
    let next = after_attempt(AttemptOutcome::Retry { after }, 1, 0, SETTLE, now());
    assert_eq!(next.not_before, later(now(), Duration::from_mins(30)));
}

proptest! {
    #[test]
    fn pauses_grow_are_bounded_and_spread(attempt in 1_u32..60, one: u64, other: u64) {
        prop_assert!(pause(attempt, one) >= Duration::from_secs(1) && pause(attempt, one) <= LONGEST_PAUSE);
        prop_assert!(pause(attempt + 1, one) >= pause(attempt, other));
    }

    #[test]
    fn nothing_is_tried_again_but_what_was_certainly_not_sent(outcome in outcomes(), attempt in 1_u32..20, spread: u64) {
        let next = after_attempt(outcome, attempt, spread, SETTLE, now());
        let certain = matches!(outcome, AttemptOutcome::Retry { .. } | AttemptOutcome::Misconfigured);
        let left = attempt < MAX_ATTEMPTS || outcome == AttemptOutcome::Misconfigured;
        prop_assert_eq!(next.state == OutboxState::Pending, certain && left);
        prop_assert!(next.state != OutboxState::Pending || next.not_before > now());
        prop_assert!(next.state != OutboxState::Sending);
    }
}
