use proptest::prelude::*;

use super::*;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn told(remaining: u64, reset: u64) -> RateLimitReport {
    RateLimitReport { remaining: Some(remaining), reset: Some(s(reset)), refused: None }
}

#[test]
fn what_the_author_stated_is_never_passed_in_any_span() {
    let mut budget = Budget::new(Some((2, s(60))));
    assert_eq!(budget.admit(s(0)), Ok(()));
    assert_eq!(budget.admit(s(50)), Ok(()));
    assert_eq!(budget.admit(s(55)), Err(s(5)));
    assert_eq!(budget.admit(s(60)), Ok(()));
    assert_eq!(budget.admit(s(61)), Err(s(49)));
}

#[test]
fn what_the_service_tells_holds_until_its_span_ends() {
    let mut budget = Budget::new(None);
    budget.admit(s(0)).unwrap();
    budget.settle(told(1, 30), s(0));
    assert_eq!(budget.admit(s(1)), Ok(()));
    assert_eq!(budget.admit(s(2)), Err(s(28)));
    assert_eq!(budget.admit(s(30)), Ok(()));
}

#[test]
fn requests_under_way_count_as_used_and_late_answers_do_not_raise_what_is_left() {
    let mut budget = Budget::new(None);
    for _ in 0..3 {
        budget.admit(s(0)).unwrap();
    }
    // The service had counted one of the three.
    budget.settle(told(4, 60), s(1));
    budget.settle(told(3, 59), s(2));
    budget.settle(told(9, 58), s(3));
    assert_eq!(budget.admit(s(3)), Ok(()));
    assert_eq!(budget.admit(s(3)), Ok(()));
    assert_eq!(budget.admit(s(3)), Err(s(58)));
}

#[test]
fn a_refusal_closes_for_all_calls_of_the_account() {
    let mut budget = Budget::new(Some((100, s(60))));
    budget.admit(s(0)).unwrap();
    budget.settle(RateLimitReport { refused: Some(Some(s(7))), ..RateLimitReport::default() }, s(1));
    assert_eq!(budget.admit(s(2)), Err(s(6)));
    budget.settle(RateLimitReport { refused: Some(None), reset: Some(s(20)), remaining: None }, s(8));
    assert_eq!(budget.admit(s(9)), Err(s(19)));
    assert_eq!(budget.admit(s(28)), Ok(()));
}

proptest! {
    #[test]
    fn no_span_sees_more_than_the_limit(limit in 1_usize..6, span in 1_u64..20, steps in prop::collection::vec(0_u64..7, 1..80)) {
        let mut budget = Budget::new(Some((limit, s(span))));
        let (mut now, mut sent) = (Duration::ZERO, Vec::new());
        for step in steps {
            now += s(step);
            match budget.admit(now) {
                Ok(()) => sent.push(now),
                Err(wait) => {
                    prop_assert!(wait > Duration::ZERO && wait <= s(span));
                    // Who waits as told is let in.
                    now += wait;
                    prop_assert_eq!(budget.admit(now), Ok(()));
                    sent.push(now);
                }
            }
        }
        for first in &sent {
            let within = sent.iter().filter(|other| **other >= *first && **other < *first + s(span)).count();
            prop_assert!(within <= limit);
        }
    }
}
