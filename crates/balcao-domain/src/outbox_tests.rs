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
        Just(AttemptOutcome::TooFast),
        Just(AttemptOutcome::TooManyToOne),
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

#[test]
fn a_customer_who_got_too_many_is_left_alone_four_times_as_long_each_time() {
    let pauses = [1, 2, 3, 4, 5, 9].map(|attempt| {
        let next = after_attempt(AttemptOutcome::TooManyToOne, attempt, 7, SETTLE, now());
        next.not_before.duration_since(now()).as_secs()
    });
    assert_eq!(pauses, [1, 4, 16, 64, 256, 300]);
    assert_eq!(after_attempt(AttemptOutcome::TooManyToOne, MAX_ATTEMPTS, 7, SETTLE, now()).state, OutboxState::Dead);
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
        let of_account = matches!(outcome, AttemptOutcome::Misconfigured | AttemptOutcome::TooFast);
        let of_message = matches!(outcome, AttemptOutcome::Retry { .. } | AttemptOutcome::TooManyToOne);
        prop_assert_eq!(next.state == OutboxState::Pending, of_account || (of_message && attempt < MAX_ATTEMPTS));
        let waits = next.not_before > now() || outcome == AttemptOutcome::TooFast;
        prop_assert!(next.state != OutboxState::Pending || waits);
        prop_assert!(next.state != OutboxState::Sending);
    }
}

#[test]
fn each_outcome_leads_to_its_state_after_its_pause() {
    let table = [
        (AttemptOutcome::Accepted, OutboxState::Sent, 0),
        (AttemptOutcome::Refused, OutboxState::Dead, 0),
        (AttemptOutcome::Unknown, OutboxState::Unknown, 60_000),
        (AttemptOutcome::Retry { after: None }, OutboxState::Pending, 4_007),
        (AttemptOutcome::TooManyToOne, OutboxState::Pending, 16_000),
        (AttemptOutcome::TooFast, OutboxState::Pending, 0),
        (AttemptOutcome::Misconfigured, OutboxState::Pending, 60_000),
    ];
    for (outcome, state, millis) in table {
        let expected = Next { state, not_before: later(now(), Duration::from_millis(millis)) };
        assert_eq!(after_attempt(outcome, 3, 1_007, SETTLE, now()), expected, "{outcome:?}");
    }
}

#[test]
fn a_pause_doubles_and_is_spread_over_a_quarter_of_it() {
    let millis = |attempt, spread| pause(attempt, spread).as_millis();
    assert_eq!(
        [1, 2, 3, 9, 10, 99].map(|attempt| millis(attempt, 0)),
        [1_000, 2_000, 4_000, 256_000, 300_000, 300_000]
    );
    assert_eq!([0, 249, 250, 251].map(|spread| millis(1, spread)), [1_000, 1_249, 1_000, 1_001]);
    assert_eq!(later(now(), Duration::MAX), Timestamp::MAX);
}
