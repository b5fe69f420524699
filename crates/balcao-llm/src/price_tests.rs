use super::*;

fn usage(input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, cached_input_tokens, output_tokens, cost_micro_usd: None }
}

#[test]
fn cached_input_has_its_own_price() {
    let price = Price { input: 150_000, cached_input: 75_000, output: 600_000 };
    assert_eq!(price.cost_micro_usd(&usage(1_000_000, 0, 0)), 150_000);
    assert_eq!(price.cost_micro_usd(&usage(1_000_000, 400_000, 100_000)), 90_000 + 30_000 + 60_000);
    assert_eq!(price.cost_micro_usd(&usage(1, 0, 0)), 1, "rounded up");
    assert_eq!(price.cost_micro_usd(&usage(0, 0, 0)), 0);
}

#[test]
fn wrong_counts_cannot_overflow() {
    let price = Price { input: u64::MAX, cached_input: u64::MAX, output: u64::MAX };
    assert_eq!(price.cost_micro_usd(&usage(u64::MAX, u64::MAX, u64::MAX)), u64::MAX);
    let price = Price { input: 1_000_000, cached_input: 0, output: 0 };
    assert_eq!(price.cost_micro_usd(&usage(5, 9, 0)), 0, "more cached than there was");
}

#[test]
fn dollars_are_read_exactly() {
    for (written, micro) in [("3", 3_000_000), ("0.15", 150_000), ("0.000001", 1), ("12.5", 12_500_000), ("0", 0)] {
        assert_eq!(parse_usd(written), Ok(micro), "{written}");
    }
    for written in ["", "-1", "1,5", "1e3", "0.1234567", ".5", "1.", "US$ 3", "9999999999"] {
        assert!(parse_usd(written).is_err(), "{written}");
    }
}
