use proptest::prelude::*;

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + second).unwrap()
}

#[test]
fn a_burst_is_answered_three_seconds_after_its_last_message() {
    let rules = BurstRules::default();
    for (first, last, count, expected) in
        [(0, 0, 1, 3), (0, 2, 2, 5), (0, 58, 10, 60), (0, 70, 11, 60), (0, 1, 20, 0), (0, 1, 21, 0), (5, 3, 2, 6)]
    {
        assert_eq!(rules.due_at(at(first), at(last), count), at(expected), "{first} {last} {count}");
    }
}

#[test]
fn without_a_window_each_message_is_answered_at_once() {
    let rules = BurstRules { quiet: Duration::ZERO, ..BurstRules::default() };
    assert_eq!(rules.due_at(at(7), at(7), 1), at(7));
}

#[test]
fn a_turn_does_not_begin_again_for_ever() {
    let rules = BurstRules::default();
    for (count, now, expected) in [(1, 5, true), (19, 59, true), (20, 5, false), (2, 60, false)] {
        assert_eq!(rules.may_grow(at(0), count, at(now)), expected, "{count} {now}");
    }
}

proptest! {
    #[test]
    fn no_message_waits_longer_than_the_bound(gap in -100_i64..1_000, count in 1_u32..50, quiet in 0_u64..100) {
        let rules = BurstRules { quiet: Duration::from_secs(quiet), ..BurstRules::default() };
        let due = rules.due_at(at(0), at(gap), count);
        prop_assert!(due >= at(0) && due <= at(60));
    }

    #[test]
    fn another_message_never_brings_the_answer_forward_but_by_number(gap in 0_i64..60, more in 0_i64..60) {
        let rules = BurstRules::default();
        prop_assert!(rules.due_at(at(0), at(gap + more), 3) >= rules.due_at(at(0), at(gap), 2));
    }
}
