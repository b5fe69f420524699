use proptest::prelude::*;

use super::*;

#[test]
fn a_poison_message_costs_three_deaths() {
    let mut history = AttemptHistory::default().count_attempt(false);
    let mut deaths = 0;
    while history.verdict() == Verdict::Answer {
        history = history.count_attempt(true);
        deaths += 1;
    }
    assert_eq!(deaths, 3);
}

#[test]
fn a_neighbour_of_a_poison_message_is_not_blamed_for_one_death() {
    let history = AttemptHistory::default().count_attempt(false).count_attempt(true);
    assert_eq!(history, AttemptHistory { attempts: 2, failures: 0, crashes: 0, poison_suspect: true });
    assert_eq!(history.verdict(), Verdict::Answer);
}

#[test]
fn pauses_double_up_to_a_minute() {
    let pauses: Vec<u64> =
        (1..=8).map(|failures| AttemptHistory { failures, ..AttemptHistory::default() }.pause().as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
}

proptest! {
    #[test]
    fn every_story_without_an_answer_ends_with_a_person(ends in prop::collection::vec(0_u8..3, 12..40)) {
        let mut history = AttemptHistory::default().count_attempt(false);
        let mut leases = 1;
        for end in ends {
            if history.verdict() == Verdict::HandOver {
                break;
            }
            // Died, failed, or given back without a word.
            history = match end { 0 => history.count_attempt(true), 1 => history.failed().count_attempt(false), _ => history.count_attempt(false) };
            leases += 1;
        }
        prop_assert_eq!(history.verdict(), Verdict::HandOver);
        prop_assert!(leases <= MAX_ATTEMPTS + 1);
    }

    #[test]
    fn a_lease_never_lowers_a_count(attempts in 0_u32..20, failures in 0_u32..9, crashes in 0_u32..9, poison_suspect: bool, died: bool) {
        let before = AttemptHistory { attempts, failures, crashes, poison_suspect };
        let after = before.count_attempt(died);
        prop_assert!(after.attempts > before.attempts && after.crashes >= before.crashes && after.poison_suspect >= before.poison_suspect);
    }
}

#[test]
fn a_failure_is_counted_and_nothing_else_changes() {
    let before = AttemptHistory { attempts: 3, failures: 1, crashes: 1, poison_suspect: true };
    assert_eq!(before.failed(), AttemptHistory { failures: 2, ..before });
    assert_eq!(before.count_attempt(false), AttemptHistory { attempts: 4, ..before });
    assert_eq!(before.count_attempt(true), AttemptHistory { attempts: 4, crashes: 2, ..before });
}

#[test]
fn a_conversation_is_handed_over_at_the_last_of_each_count() {
    let none = AttemptHistory::default();
    for (history, verdict) in [
        (AttemptHistory { crashes: 1, ..none }, Verdict::Answer),
        (AttemptHistory { crashes: 2, ..none }, Verdict::HandOver),
        (AttemptHistory { failures: 4, ..none }, Verdict::Answer),
        (AttemptHistory { failures: 5, ..none }, Verdict::HandOver),
        (AttemptHistory { attempts: 10, ..none }, Verdict::Answer),
        (AttemptHistory { attempts: 11, ..none }, Verdict::HandOver),
    ] {
        assert_eq!(history.verdict(), verdict, "{history:?}");
    }
    assert_eq!(none.pause(), Duration::from_secs(1));
}
