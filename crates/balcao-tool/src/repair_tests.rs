use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn arguments_with_one_possible_reading_are_mended_and_the_repair_is_recorded() {
    let table = [
        (r#"{"a": 1,}"#, json!({"a": 1})),
        (r#"{'a': 'x'}"#, json!({"a": "x"})),
        (r#"{"a": True, "b": None}"#, json!({"a": true, "b": null})),
        (r#"{a: "x"}"#, json!({"a": "x"})),
        ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
        (r#""{\"a\": 1}""#, json!({"a": 1})),
        ("{“a”: “sexta às 15h”}", json!({"a": "sexta às 15h"})),
    ];
    for (raw, expected) in table {
        let parsed = parse_arguments(raw).unwrap_or_else(|reason| panic!("{raw}: {reason}"));
        assert_eq!(parsed.value, expected, "{raw}");
        assert!(!parsed.repairs.is_empty(), "{raw}");
    }
}

#[test]
fn well_formed_or_absent_arguments_need_no_repair() {
    for raw in ["{}", "", "  ", "null", r#"{"a":{"b":[1,2]}}"#] {
        assert_eq!(parse_arguments(raw).unwrap().repairs, Vec::<String>::new(), "{raw}");
    }
}

#[test]
fn no_arguments_in_any_spelling_are_none_and_the_repair_is_recorded() {
    for raw in ["None", "[]", "[ ]", "\"\"", "\"null\"", "\" null \"", "\"[]\"", "\"{}\"", "```json\nnull\n```"] {
        let parsed = parse_arguments(raw).unwrap_or_else(|reason| panic!("{raw}: {reason}"));
        assert_eq!((parsed.value, parsed.repairs.len()), (json!({}), 1), "{raw}");
    }
    for raw in ["0", "false", "\"0\"", "[null]", "\"\\\"null\\\"\"", "nulls", "\"nothing\""] {
        assert!(parse_arguments(raw).is_err(), "{raw}");
    }
}

#[test]
fn half_a_character_in_the_arguments_costs_that_character() {
    let parsed = parse_arguments(r#"{"note": "oi \ud83d", "other": "\ud83d\ude00"}"#).unwrap();
    assert_eq!(parsed.value, json!({"note": "oi \u{fffd}", "other": "\u{1f600}"}));
}

#[test]
fn what_has_several_readings_is_refused() {
    let table = [
        (r#"{"date": "2026-11-2"#, "not valid JSON"),
        (r#"{"a": 1"#, "not valid JSON"),
        (r#"{"path":"a","path":"b"}"#, "given twice"),
        (r#"{"a":{"x":1,"x":2}}"#, "given twice"),
        ("[1,2]", "one JSON object, not array"),
        ("42", "one JSON object, not integer"),
        ("\"oi\"", "string that is no object"),
        ("claro! {\"a\": 1}", "not valid JSON"),
        ("{bad", "not valid JSON"),
    ];
    for (raw, reason) in table {
        let got = parse_arguments(raw).unwrap_err();
        assert!(got.contains(reason), "{raw}: {got}");
    }
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    assert!(parse_arguments(&deep).unwrap_err().contains("nested deeper"));
    assert!(parse_arguments(&"x".repeat(40_000)).unwrap_err().contains("larger than"));
}

#[test]
fn an_object_around_arguments_is_read_however_large_and_deep_and_mended_where_it_is_short() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    let large = json!({"a": "x".repeat(100_000)}).to_string();
    for whole in [&deep, &large] {
        assert!(parse_arguments(whole).is_err());
        assert_eq!(parse_object(whole).unwrap().value.to_string(), *whole);
    }
    assert_eq!(parse_object("{'a': 1,}").unwrap().value, json!({"a": 1}));
    let broken = large.replace('}', ",}");
    assert!(parse_object(&broken).unwrap_err().contains("not valid JSON"));
    for nothing in ["", "null", "[1]"] {
        assert!(parse_object(nothing).is_err(), "{nothing}");
    }
}

#[test]
fn a_single_value_becomes_a_list_only_where_the_schema_wants_a_list_of_that_kind() {
    let schema = json!({"properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "extra": {"type": "object"},
        "name": {"type": "string"}}});
    let mut value = json!({"tags": "vip", "ids": "7", "extra": "{\"a\":1}", "name": "[1]"});
    let repairs = fit_to_schema(&mut value, &schema);
    assert_eq!(value, json!({"tags": ["vip"], "ids": "7", "extra": {"a": 1}, "name": "[1]"}));
    assert_eq!(repairs.len(), 2);
}

proptest! {
    #[test]
    fn no_prefix_of_arguments_is_completed(cut in 1usize..60) {
        let whole = r#"{"date":"2026-11-25","start_hour":"15:00","n":[1,2]}"#;
        let prefix: String = whole.chars().take(cut).collect();
        prop_assume!(prefix.len() < whole.len());
        prop_assert!(parse_arguments(&prefix).is_err());
    }

    #[test]
    fn any_text_gives_an_object_or_a_reason(raw in "\\PC{0,80}") {
        if let Ok(parsed) = parse_arguments(&raw) {
            prop_assert!(parsed.value.is_object());
        }
    }
}
