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
    let words =
        ["None", "NULL", "nil", "undefined", "{}{}", "{ } {}\n{}", "\"undefined\"", "\"\\\"null\\\"\"", "\"\\\"\\\"\""];
    let others = ["[]", "[ ]", "\"\"", "\"null\"", "\" null \"", "\"[]\"", "\"{}\"", "```json\nnull\n```", "[{}]"];
    for raw in words.into_iter().chain(others) {
        let parsed = parse_arguments(raw).unwrap_or_else(|reason| panic!("{raw}: {reason}"));
        assert_eq!((parsed.value, parsed.repairs.len()), (json!({}), 1), "{raw}");
    }
    for raw in ["0", "-", "false", "\"0\"", "[null]", "[[]]", "nulls", "\"nothing\"", "{}}", "{{}}", "{}{\"a\":1}"] {
        assert!(parse_arguments(raw).is_err(), "{raw}");
    }
}

#[test]
fn an_object_alone_in_a_list_is_the_arguments() {
    let parsed = parse_arguments(r#" [ {"a": [1]} ] "#).unwrap();
    assert_eq!((parsed.value, parsed.repairs.len()), (json!({"a": [1]}), 1));
    for raw in [r#"[{"a": 1}, {"a": 2}]"#, r#"[{"a": 1}, null]"#, r#"[{"a": 1, "a": 2}]"#, r#"[[{"a": 1}]]"#] {
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

#[test]
fn the_limits_of_arguments_are_the_last_that_is_read() {
    let of_size = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    assert_eq!(of_size(MAX_ARGUMENT_BYTES).len(), MAX_ARGUMENT_BYTES);
    assert!(parse_arguments(&of_size(MAX_ARGUMENT_BYTES)).is_ok());
    assert!(parse_arguments(&of_size(MAX_ARGUMENT_BYTES + 1)).is_err());
    let nested =
        |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels - 1) + "[", "]".to_owned() + &"}".repeat(levels - 1));
    assert!(parse_arguments(&nested(MAX_ARGUMENT_DEPTH)).is_ok());
    assert!(parse_arguments(&nested(MAX_ARGUMENT_DEPTH + 1)).is_err());
    let listed = |levels: usize| format!("{{\"a\":{}1{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert!(parse_arguments(&listed(MAX_ARGUMENT_DEPTH)).is_ok());
    assert!(parse_arguments(&listed(MAX_ARGUMENT_DEPTH + 1)).is_err());
    assert_eq!((MAX_ARGUMENT_BYTES, MAX_ARGUMENT_DEPTH), (32_768, 16));
    // What is mended is no longer than arguments may be.
    let broken = |bytes: usize| format!("{{\"a\":\"{}\",}}", "x".repeat(bytes - 9));
    assert_eq!(parse_object(&broken(MAX_ARGUMENT_BYTES)).unwrap().repairs, ["mended malformed JSON"]);
    assert!(parse_object(&broken(MAX_ARGUMENT_BYTES + 1)).is_err());
}

#[test]
fn brackets_and_quotes_have_to_close_before_anything_is_mended() {
    for raw in [r#"{'a': '}'}"#, r#"{"a": "\"}", }"#, r#"{a: [1, [2]], }"#, r#"{'a': "it's"}"#] {
        assert!(parse_arguments(raw).is_ok(), "{raw}");
    }
    for raw in [r#"{'a': '}"#, r#"{"a": [1}"#, r#"{a: 1]}"#, r#"{a: (1, }, }"#, r#"{a: "x}"#, r#"{"a": "\"}"#] {
        assert!(parse_arguments(raw).is_err(), "{raw}");
    }
}

#[test]
fn a_fence_is_taken_off_and_told_and_what_is_in_it_is_read() {
    for raw in ["```json\n{\"a\":1}\n```", "```\n{\"a\":1}```", "```tool_call {\"a\":1}", "```{\"a\":1}\n```  "] {
        let parsed = parse_arguments(raw).unwrap_or_else(|reason| panic!("{raw}: {reason}"));
        assert_eq!((parsed.value, parsed.repairs), (json!({"a": 1}), vec!["removed a code fence".to_owned()]), "{raw}");
    }
    let both = parse_arguments("```\n{'a':1}\n```").unwrap();
    assert_eq!(both.repairs, ["removed a code fence", "mended malformed JSON"]);
    let text = parse_arguments(r#""{\"a\":1}""#).unwrap();
    assert_eq!(text.repairs, ["read an object that was given as a string"]);
}

#[test]
fn nothing_is_mended_into_a_value_that_was_not_written() {
    let source = r#"{"name": "João", "n": 12, "t": true, "list": ["a"], "o": {"k": null}}"#;
    assert!(scalars_stand_in(&serde_json::from_str(source).unwrap(), source));
    for other in [
        json!({"name": "Maria"}),
        json!({"other": "João"}),
        json!({"n": 13}),
        json!({"list": ["b"]}),
        json!({"o": {"x": null}}),
    ] {
        assert!(!scalars_stand_in(&other, source), "{other}");
    }
    assert!(scalars_stand_in(&json!("a\nb"), r#""a\nb""#));
}

#[test]
fn kinds_are_named_as_schemas_write_them() {
    let table = [
        (json!(null), "null"),
        (json!(true), "boolean"),
        (json!(-1), "integer"),
        (json!(u64::MAX), "integer"),
        (json!(1.5), "number"),
        (json!("x"), "string"),
        (json!([]), "array"),
        (json!({}), "object"),
    ];
    for (value, name) in table {
        assert_eq!(kind(&value), name);
    }
}

#[test]
fn a_value_that_the_schema_takes_otherwise_stays_as_it_is() {
    let schema = json!({"properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "any": {"type": "array"},
        "extra": {"type": "object"},
        "count": {"type": "integer"}}});
    for value in [
        json!({"tags": null}),
        json!({"tags": ["a"]}),
        json!({"any": "x"}),
        json!({"extra": "[1]"}),
        json!({"extra": "no object"}),
        json!({"count": "1"}),
        json!({"unknown": "[1]"}),
        json!("x"),
    ] {
        let mut same = value.clone();
        assert!(fit_to_schema(&mut same, &schema).is_empty(), "{value}");
        assert_eq!(same, value);
    }
    let mut list = json!({"tags": "[\"a\"]"});
    assert_eq!(fit_to_schema(&mut list, &schema), ["read `tags`, which was given as a string"]);
    assert_eq!(list, json!({"tags": ["a"]}));
    let mut untouched = json!({"a": "1"});
    assert!(fit_to_schema(&mut untouched, &json!({})).is_empty());
}
