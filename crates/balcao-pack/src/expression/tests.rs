use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ErrorKind, Expression, MAX_BYTES, MAX_ELEMENTS};

fn value(text: &str, over: &Value) -> Value {
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).value(over).unwrap()
}

#[test]
fn conditions_and_paths_are_read_as_authors_write_them() {
    let standard = json!({"body": {"payload": {"id": "86b4bnnny"}}});
    let automation = json!({"event": "automation_webhook", "payload": {"id": "a"}});
    let legacy = json!({"id": 1, "trigger_id": "t", "payload": {"id": "b"}});
    for (text, over, expected) in [
        ("!event && !trigger_id", &standard, json!(true)),
        ("!event && !trigger_id", &legacy, json!(false)),
        ("event === 'automation_webhook'", &automation, json!(true)),
        ("event === 'automation_webhook'", &standard, json!(false)),
        ("id && trigger_id && !event", &legacy, json!(true)),
        ("payload || body.payload", &standard, json!({"id": "86b4bnnny"})),
        ("payload || body.payload.payload", &automation, json!({"id": "a"})),
        ("body.payload.none.at.all", &standard, json!(null)),
        ("body?.payload?.id", &standard, json!("86b4bnnny")),
        ("$", &json!([1]), json!([1])),
        ("$['a-b'][1]", &json!({"a-b": [1, 2]}), json!(2)),
        ("1 + 2 * 3 - -1", &json!(null), json!(8)),
        ("(1 + 2) * 3 / 2", &json!(null), json!(4.5)),
        ("'a' + 'b' === \"ab\"", &json!(null), json!(true)),
        ("n === 1.0 && n == 1 && n !== 2", &json!({"n": 1}), json!(true)),
        ("a ?? 'x'", &json!({"a": 0}), json!(0)),
        ("a || 'x'", &json!({"a": 0}), json!("x")),
        ("{add: assignees, rem: []}", &json!({"assignees": [4]}), json!({"add": [4], "rem": []})),
        ("fields[*].id", &json!({"fields": [{"id": 1}, {"x": 0}]}), json!([1, null])),
        (
            "groups[*].members[*].id",
            &json!({"groups": [{"members": [{"id": 1}]}, {"members": [{"id": 2}]}]}),
            json!([1, 2]),
        ),
        ("includes(['a', 'b'], kind)", &json!({"kind": "b"}), json!(true)),
        ("size(name) <= 3 && type(name) === 'string'", &json!({"name": "ção"}), json!(true)),
        ("matches(id, '^[A-Z]+-\\d+$')", &json!({"id": "DEV-12"}), json!(true)),
        ("matches(id, '^x')", &json!({}), json!(false)),
        ("lower('ÁB') + string(1)", &json!(null), json!("áb1")),
        ("number(' 12 ') > 3", &json!(null), json!(true)),
        ("starts_with(id, 'a') && defined(id) && !defined(x)", &json!({"id": "ab"}), json!(true)),
    ] {
        assert_eq!(value(text, over), expected, "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, expected) in [
        ("event = 'x'", "at character 7: `=` means nothing here"),
        ("event === ", "at character 11: expected a value, found the end"),
        ("(a", "at character 3: expected `)`, found the end"),
        ("a b", "at character 3: expected an operator or the end, found `b`"),
        ("'a", "at character 1: the text has no closing quote"),
        ("frobnicate(a)", "unknown function `frobnicate`; expected one of size, type"),
        ("size()", "`size` takes 1 arguments"),
        ("matches(a, '(')", "invalid regular expression `(`"),
        ("matches(a, b)", "a value and a pattern in quotes"),
        ("a.1", "expected the name of a field"),
        ("a; b", "`;` means nothing here"),
        ("", "expected a value, found the end"),
    ] {
        let error = Expression::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    for (text, expected) in [
        ("a < 1", "at character 3: `<` takes two numbers or two texts, not string and number"),
        ("1 - a", "at character 3: `-` takes two numbers, not string"),
        ("1 / 0", "invalid result; expected a number"),
        ("number(a)", "invalid result; expected a number"),
        ("a[{}]", "takes a name or a place from 0, not object"),
        ("size(true)", "`size` takes a text, a list or an object, not boolean"),
    ] {
        let error = Expression::parse(text).unwrap().value(&json!({"a": "x"})).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn nothing_is_longer_deeper_or_larger_than_it_may_be() {
    let cases = [
        "a".repeat(MAX_BYTES + 1),
        format!("{}a{}", "(".repeat(40), ")".repeat(40)),
        "!".repeat(200),
        "-".repeat(200),
        vec!["a"; 300].join("+"),
        format!("{}{}", "[".repeat(100), "]".repeat(100)),
        format!("a{}", "[*]".repeat(100)),
    ];
    for text in cases {
        let error = Expression::parse(&text).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::TooLarge { .. }), "{text}: {error}");
    }
    let many = json!({"a": vec![0; MAX_ELEMENTS + 1]});
    let error = Expression::parse("a[*]").unwrap().value(&many).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::TooLarge { .. }), "{error}");
    let long = json!({"a": "x".repeat(100_000)});
    let text = vec!["a"; 30].join("+");
    let error = Expression::parse(&text).unwrap().value(&long).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::TooLarge { .. }), "{error}");
}

#[test]
fn a_69_names_of_prototypes_are_names_like_any_other() {
    for name in ["__proto__", "constructor", "toString", "hasOwnProperty"] {
        assert_eq!(value(&format!("{name} || a.{name} || $['{name}']"), &json!({"a": {}})), json!(null));
        assert_eq!(value(name, &json!({ name: 1 })), json!(1));
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Text that looks like an expression, right or wrong.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        prop::sample::select(vec![
            "a", "b", "c", "$", ".", "?.", "[", "]", "[*]", "(", ")", "{", "}", ",", ":", "!", "-", "+", "*", "/",
            "&&", "||", "??", "===", "!==", "<", ">=", "'x'", "\"", "1", "2.5", "size(", "matches(", "'^a$'", "null",
            "true", " ",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ];
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_text_and_no_value_make_it_panic(text in words(), over in json_value()) {
        if let Ok(expression) = Expression::parse(&text) {
            drop(expression.value(&over));
            drop(expression.holds(&over));
        }
    }

    #[test]
    fn what_is_printed_reads_as_the_same(text in words(), over in json_value()) {
        if let Ok(expression) = Expression::parse(&text) {
            let printed = expression.to_string();
            // Every parenthesis is written, which may be more than fits.
            if let Ok(again) = Expression::parse(&printed) {
                prop_assert_eq!(&expression, &again, "{}", printed);
                let (one, two) = (expression.value(&over), again.value(&over));
                prop_assert_eq!(one.map_err(|error| error.kind), two.map_err(|error| error.kind));
            } else {
                prop_assert!(printed.len() > text.len());
            }
        }
    }

    #[test]
    fn logic_is_javascripts(a in json_value(), b in json_value()) {
        let over = json!({"a": a, "b": b});
        let truth = |text: &str| Expression::parse(text).unwrap().holds(&over).unwrap();
        prop_assert_eq!(truth("!(a && b)"), truth("!a || !b"));
        prop_assert_eq!(truth("a === b"), truth("b === a"));
        prop_assert!(truth("a === a"));
    }
}

#[test]
fn the_fields_that_an_expression_looks_at_are_told() {
    let roots = |text: &str| {
        let read = Expression::parse(text).unwrap();
        let told = |(root, field): &(&str, Option<&str>)| format!("{root}/{}", field.unwrap_or_default());
        read.roots().iter().map(told).collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        ("result.checklist.id", "result/checklist"),
        ("input.a || size(b[*].c) > 1 && $", "input/a b/ $/"),
        ("{x: input, y: [-z.w]}", "input/ z/w"),
        ("'text'", ""),
    ] {
        assert_eq!(roots(text), expected, "{text}");
    }
}
