use balcao_tool::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn result(class: ResultClass) -> CallResult {
    let code = match class {
        ResultClass::Success | ResultClass::Refusal => None,
        ResultClass::Correction => Some(ErrorCode::InvalidArguments),
        ResultClass::Fault => Some(ErrorCode::Unavailable),
    };
    CallResult {
        class,
        code,
        value: json!({}),
        receipts: vec![],
        internal: None,
        confirm: None,
        uncertain: false,
        duration_ms: 0,
    }
}

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn classes() -> impl Strategy<Value = ResultClass> {
    prop_oneof![
        Just(ResultClass::Success),
        Just(ResultClass::Refusal),
        Just(ResultClass::Correction),
        Just(ResultClass::Fault)
    ]
}

#[test]
fn two_failures_of_one_tool_withdraw_it_and_a_third_anywhere_opens_the_breaker() {
    let (mut breaker, rules) = (Breaker::default(), BreakerRules::default());
    let mut record = |tool: &str, class| breaker.record(&rules, tool, &result(class), NOW);
    assert_eq!(record("a", ResultClass::Fault), Verdict::Continue);
    assert_eq!(record("a", ResultClass::Fault), Verdict::Withdrawn);
    assert_eq!(record("b", ResultClass::Fault), Verdict::Open);
    assert!(breaker.is_withdrawn("a") && !breaker.is_withdrawn("b"));
}

#[test]
fn a_success_clears_the_overall_count_and_its_own_tools_count_only() {
    let (mut breaker, rules) = (Breaker::default(), BreakerRules::default());
    breaker.record(&rules, "a", &result(ResultClass::Fault), NOW);
    breaker.record(&rules, "b", &result(ResultClass::Success), NOW);
    assert_eq!(breaker.failures(), 0);
    assert_eq!(breaker.record(&rules, "a", &result(ResultClass::Fault), NOW), Verdict::Withdrawn);
}

#[test]
fn long_idleness_forgets_and_short_idleness_does_not() {
    let rules = BreakerRules::default();
    let mut breaker = Breaker::default();
    breaker.record(&rules, "a", &result(ResultClass::Fault), NOW);
    breaker.wake(&rules, NOW + Duration::from_secs(24 * 3600 - 1));
    assert_eq!(breaker.failures(), 1);
    breaker.wake(&rules, NOW + Duration::from_secs(24 * 3600));
    assert_eq!(breaker, Breaker::default());
}

proptest! {
    #[test]
    fn the_breaker_opens_exactly_when_the_last_three_counted_results_are_failures(
        results in prop::collection::vec((0..4u8, classes()), 0..40),
    ) {
        let (mut breaker, rules) = (Breaker::default(), BreakerRules::default());
        let mut in_a_row = 0u32;
        for (tool, class) in results {
            let verdict = breaker.record(&rules, &format!("t{tool}"), &result(class), NOW);
            match class {
                ResultClass::Success => in_a_row = 0,
                ResultClass::Fault => in_a_row += 1,
                ResultClass::Refusal | ResultClass::Correction => {}
            }
            prop_assert_eq!(verdict == Verdict::Open, class == ResultClass::Fault && in_a_row >= 3);
        }
    }

    #[test]
    fn refusals_and_corrections_never_change_the_counts(results in prop::collection::vec(classes(), 0..30)) {
        let rules = BreakerRules::default();
        let (mut all, mut counted) = (Breaker::default(), Breaker::default());
        for class in results {
            all.record(&rules, "t", &result(class), NOW);
            if matches!(class, ResultClass::Success | ResultClass::Fault) {
                counted.record(&rules, "t", &result(class), NOW);
            }
        }
        prop_assert_eq!((all.failures, all.per_tool, all.withdrawn), (counted.failures, counted.per_tool, counted.withdrawn));
    }

    #[test]
    fn the_tally_survives_being_saved_at_any_point(results in prop::collection::vec((0..3u8, classes()), 0..20), cut in 0usize..20) {
        let rules = BreakerRules { count: Counting::AllErrors, ..BreakerRules::default() };
        let (mut whole, mut saved) = (Breaker::default(), Breaker::default());
        for (position, (tool, class)) in results.into_iter().enumerate() {
            if position == cut {
                saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
            }
            let tool = format!("t{tool}");
            prop_assert_eq!(
                whole.record(&rules, &tool, &result(class), NOW),
                saved.record(&rules, &tool, &result(class), NOW)
            );
        }
        prop_assert_eq!(whole, saved);
    }
}
