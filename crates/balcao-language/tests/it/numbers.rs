//! Numbers, ordinals and percentages of the recogniser's cases: all of them that its reference program reads.
//!
//! Left out, so "all of the numbers" is without them: the 51 cases of `NumberRangeModel` (three of its four programs leave them out by
//! design), and 6 of the 17 of `OrdinalModel`, "último", "anterior" and the like, which it counts among the ordinals though they name no
//! number. Of the same words told not to be read, `OrdinalModelSuppressExtendedTypes`, all 7 count.

use balcao_language::quantities::{NumberMatch, find_numbers, find_ordinals, find_percentages};
use serde_json::Value;

use crate::{cases, supported};

/// What the source expects: the place of the first character (not byte) where it says so, and the value.
fn expected(case: &Value, sign: char) -> Vec<(Option<u64>, f64)> {
    let results = case["Results"].as_array().unwrap();
    let value = |result: &Value| {
        let written = result["Resolution"]["value"].as_str().unwrap();
        let value = written.trim_end_matches(sign).replace(',', ".").parse().unwrap();
        (result["Start"].as_u64(), value)
    };
    results.iter().map(value).collect()
}

fn is_relative(case: &Value) -> bool {
    let results = case["Results"].as_array().unwrap();
    results
        .iter()
        .any(|result| result["Resolution"]["value"].as_str().is_some_and(|value| value.parse::<f64>().is_err()))
}

fn alike(text: &str, found: &[NumberMatch], want: &[(Option<u64>, f64)]) -> bool {
    let one = |(found, (start, value)): (&NumberMatch, &(Option<u64>, f64))| {
        let place = u64::try_from(text.get(..found.start).unwrap().encode_utf16().count()).unwrap();
        // Fifteen digits are what the source prints.
        (found.value - value).abs() <= value.abs() * 1e-13 && start.is_none_or(|start| start == place)
    };
    found.len() == want.len() && found.iter().zip(want).all(one)
}

fn measure(file: &str, sign: char, read: fn(&str) -> Vec<NumberMatch>, total: usize) {
    let Some(cases) = cases(file) else { return };
    let counted: Vec<&Value> = cases.iter().filter(|case| supported(case)).collect();
    let before = counted.len();
    let counted: Vec<&Value> =
        counted.into_iter().filter(|case| !file.ends_with("OrdinalModel.json") || !is_relative(case)).collect();
    assert_eq!(
        before - counted.len(),
        if file.ends_with("OrdinalModel.json") { 6 } else { 0 },
        "more is left out than is said"
    );
    let misses = |case: &&&Value| {
        let text = case["Input"].as_str().unwrap();
        !alike(text, &read(text), &expected(case, sign))
    };
    let missed: Vec<_> =
        counted.iter().filter(misses).map(|case| (&case["Input"], read(case["Input"].as_str().unwrap()))).collect();
    eprintln!("{file}: {} of {} alike", counted.len() - missed.len(), counted.len());
    assert!(missed.is_empty(), "missed: {missed:#?}");
    assert_eq!(counted.len(), total);
}

#[test]
fn all_numbers() {
    measure("Number/NumberModel.json", ' ', find_numbers, 82);
}

#[test]
fn all_ordinals() {
    measure("Number/OrdinalModel.json", ' ', find_ordinals, 11);
}

#[test]
fn all_ordinals_where_words_of_order_are_none() {
    measure("Number/OrdinalModelSuppressExtendedTypes.json", ' ', find_ordinals, 7);
}

#[test]
fn all_percentages() {
    measure("Number/PercentModel.json", '%', find_percentages, 26);
}
