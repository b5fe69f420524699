use super::*;

#[test]
fn a_price_is_written_with_four_decimals_and_rounded_there() {
    for (micros, expected) in [
        (0, "R$ 0,0000"),
        (35_000, "R$ 0,0350"),
        (35_049, "R$ 0,0350"),
        (35_050, "R$ 0,0351"),
        (12_345_600, "R$ 12,3456"),
        (999_999, "R$ 1,0000"),
    ] {
        assert_eq!(MessagePrice { micros, currency: Currency::BRL }.to_string(), expected);
    }
}
