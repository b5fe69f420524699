//! What a schema and a value cost, to the last visit.

use serde_json::{Value, json};

use super::*;

/// Visits, patterns and searching patterns that look at one value of a schema.
fn look(schema: &Value) -> (u64, u64, u64) {
    let look = Cost::from_schema(schema).unwrap_or_else(|reason| panic!("{schema}: {reason}")).look;
    (look.visits, look.patterns, look.searching)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|one| format!("k{one}")).collect()
}

fn properties(count: usize) -> Value {
    names(count).into_iter().map(|name| (name, json!({}))).collect()
}

#[test]
fn each_part_that_looks_at_a_value_is_a_visit_and_long_lists_are_several() {
    let meta = "https://json-schema.org/draft/2020-12/schema";
    let table = [
        (json!({}), (1, 0, 0)),
        (json!(true), (1, 0, 0)),
        (json!({"enum": names(15)}), (1, 0, 0)),
        (json!({"enum": names(32)}), (3, 0, 0)),
        (json!({"required": names(16)}), (2, 0, 0)),
        (json!({"properties": properties(16)}), (2, 0, 0)),
        (json!({"enum": names(6), "required": names(5), "properties": properties(5)}), (2, 0, 0)),
        (json!({"allOf": [{}, {}]}), (3, 0, 0)),
        (json!({"anyOf": [{}, {}]}), (3, 0, 0)),
        (json!({"oneOf": [{}, {}]}), (3, 0, 0)),
        (json!({"not": {}}), (2, 0, 0)),
        (json!({"if": {}, "then": {}, "else": {}}), (4, 0, 0)),
        (json!({"dependentSchemas": {"a": {}, "b": {}}}), (3, 0, 0)),
        (json!({"$ref": meta}), (201, 0, 0)),
        (json!({"unevaluatedProperties": false}), (3, 0, 0)),
        (json!({"unevaluatedItems": false}), (3, 0, 0)),
        (json!({"unevaluatedItems": false, "unevaluatedProperties": false, "not": {}}), (6, 0, 0)),
        (json!({"pattern": "^a$"}), (1, 1, 0)),
        (json!({"pattern": "(?=a)"}), (1, 1, 1)),
        (json!({"patternProperties": {"^a": {}, "(?!b)": {}}, "pattern": "c"}), (2, 3, 1)),
        // By one key: what the key leads to, and what looks at any key.
        (json!({"properties": {"a": {"allOf": [{}, {}]}, "b": {}}, "additionalProperties": {"not": {}}}), (5, 0, 0)),
        (json!({"prefixItems": [{"allOf": [{}, {}, {}]}, {}], "items": {}}), (5, 0, 0)),
        (json!({"properties": {"x": {"$ref": "#"}}}), (2, 0, 0)),
    ];
    for (schema, expected) in table {
        assert_eq!(look(&schema), expected, "{schema}");
    }
}

#[test]
fn visits_multiply_only_where_one_key_leads_back_more_than_once() {
    let growth = |schema: &Value| Cost::from_schema(schema).unwrap().growth;
    let back = json!({"$ref": "#"});
    assert_eq!(growth(&json!({"properties": {"x": back, "y": back}})), 1);
    assert_eq!(growth(&json!({"properties": {"x": back}, "additionalProperties": back})), 2);
    assert_eq!(growth(&json!({"properties": {"x": back}, "additionalProperties": back, "propertyNames": back})), 3);
    // Two that lead to one another, by keys of their own and by the same key twice.
    let pair =
        |b: Value| json!({"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": b}, "$ref": "#/$defs/a"});
    let a = json!({"$ref": "#/$defs/a"});
    assert_eq!(growth(&pair(json!({"properties": {"a": a, "c": a}}))), 1);
    assert_eq!(growth(&pair(json!({"allOf": [{"properties": {"a": a}}, {"properties": {"a": a}}]}))), 2);
}

#[test]
fn values_that_are_small_by_any_count_are_known_by_the_schema() {
    let light = |schema: &Value| Cost::from_schema(schema).unwrap().light;
    assert_eq!(light(&json!({})), MAX_VISITS / 2);
    assert_eq!(light(&json!({"allOf": [{}, {}], "pattern": "a"})), MAX_VISITS / 5);
    assert_eq!(light(&json!({"pattern": "(?=a)"})), 0);
    assert_eq!(light(&json!({"properties": {"x": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}})), 0);
}

/// The visits that checking a value takes.
fn spent(cost: Cost, value: &Value) -> u64 {
    let mut left = MAX_VISITS;
    assert!(cost.spend(value, cost.look, &mut left));
    MAX_VISITS - left
}

#[test]
fn a_value_costs_a_visit_for_each_part_its_texts_and_its_keys_where_patterns_read_them() {
    let plain = Cost::from_schema(&json!({})).unwrap();
    let searching = Cost::from_schema(&json!({"pattern": "(?=a)"})).unwrap();
    let value = json!({"key": "y".repeat(64), "n": [null, 1]});
    assert_eq!(spent(plain, &value), 6);
    // Ten pieces of 64 bytes read by itself and by the pattern, the pattern, and 2,000 steps of five.
    assert_eq!(spent(searching, &json!("x".repeat(640))), 1 + 20 + 1 + 400);
    assert_eq!(spent(searching, &json!({"key": "x"})), 1 + 401 + 1 + 401);
    let twofold = Cost { look: Look { visits: 2, ..Look::default() }, growth: 3, light: 0 };
    assert_eq!(spent(twofold, &json!([[0]])), 2 + 6 + 18);
    assert_eq!(spent(twofold, &json!({"a": {"b": true}})), 2 + 6 + 18);
}

#[test]
fn a_value_that_costs_as_much_as_is_allowed_is_checked_and_one_that_costs_more_is_not() {
    let patterned = Cost { look: Look { visits: 1, patterns: 1, searching: 0, mistakes: 0 }, growth: 1, light: 0 };
    let plain = Cost { look: Look { visits: 1_000, ..Look::default() }, growth: 1, light: 0 };
    let items = |count: usize| Value::from(vec![1; count]);
    assert!(plain.fits(&items(3_999)) && !plain.fits(&items(4_000)));
    assert!(!plain.fits(&json!({"a": items(4_000)})));
    let long = json!({"a": "x".repeat(64 * 2_000_000)});
    assert!(!patterned.fits(&long));
    let keyed: Value = json!({"x".repeat(64 * 2_000_000): 1});
    assert!(!patterned.fits(&keyed) && plain.fits(&keyed));
    // What lies behind the last key counts.
    let behind = Cost { look: Look { visits: 1_000, patterns: 1, searching: 0, mistakes: 0 }, growth: 1, light: 0 };
    assert!(!behind.fits(&json!({"a": items(4_000)})));
}

#[test]
fn a_light_value_is_counted_by_its_parts_and_the_lengths_of_its_texts() {
    let value = json!([null, "x".repeat(64), {"k".repeat(64): 1}, true]);
    for (most, light) in [(9, true), (8, false)] {
        let mut left = most;
        assert_eq!(is_light(&value, &mut left), light);
        assert_eq!(left, 0);
    }
    let mut left = 5;
    assert!(pay(5, &mut left) && left == 0 && !pay(1, &mut left));
    assert!(!is_light(&json!({"a": [1, 2, 3, 4]}), &mut 5));
}

/// Whether a schema is within its budgets.
fn fits(schema: &Value) -> bool {
    match Cost::from_schema(schema) {
        Ok(_) => true,
        Err(reason) => {
            assert!(reason.starts_with("invalid "), "{reason}");
            false
        }
    }
}

#[test]
fn the_last_schema_within_each_budget_compiles_and_the_next_does_not() {
    let nested = |levels: usize| (0..levels).fold(json!({}), |inside, _| json!({"not": inside}));
    assert!(fits(&nested(64)) && !fits(&nested(65)));
    let chain = |length: usize| {
        let mut parts = serde_json::Map::new();
        for one in 0..length {
            parts.insert(format!("a{one}"), json!({"$ref": format!("#/$defs/a{}", one + 1)}));
        }
        parts.insert(format!("a{length}"), json!({}));
        json!({"$defs": parts, "$ref": "#/$defs/a0"})
    };
    assert!(fits(&chain(63)) && !fits(&chain(64)));
    // The whole, the list, and what is in it.
    let values = |count: usize| json!({"x-list": vec![0; count]});
    assert!(fits(&values(9_998)) && !fits(&values(9_999)));
    let patterns = |count: usize| json!({"anyOf": vec![json!({"pattern": "a"}); count]});
    assert!(fits(&patterns(100)) && !fits(&patterns(101)));
    let pattern = |bytes: usize| json!({"pattern": "a".repeat(bytes)});
    assert!(fits(&pattern(1_000)) && !fits(&pattern(1_001)));
    let options = |first: usize| json!({"enum": names(first), "not": {"enum": names(2_500)}});
    assert!(fits(&options(2_500)) && !fits(&options(2_501)));
    // The whole looks once and once more for each 16 properties, and each of them once.
    assert!(fits(&json!({"properties": properties(9_411)})) && !fits(&json!({"properties": properties(9_412)})));
    let eight = json!({"allOf": vec![json!({}); 7]});
    let wide = |count: usize| json!({"$defs": {"a": eight}, "allOf": vec![json!({"$ref": "#/$defs/a"}); count]});
    assert!(fits(&wide(1_111)) && !fits(&wide(1_112)));
}

#[test]
fn a_schema_with_an_id_of_its_own_is_refused_below_the_top_and_what_only_looks_like_one_is_not() {
    for key in ["type", "$ref", "properties", "$defs", "enum", "const", "pattern", "allOf", "not", "items"] {
        let refused = Cost::from_schema(&json!({"x-inside": {"$id": "https://example.com/b", key: {}}})).unwrap_err();
        assert!(refused.contains("`$id`"), "{key}: {refused}");
        assert!(fits(&json!({"$id": "https://example.com/b", "x-inside": {key: {}}})), "{key}");
    }
    assert!(fits(&json!({"x-labels": {"$id": "a name", "title": "x"}})));
    assert!(fits(&json!({"const": {"$id": "a name", "type": "x"}, "default": {"$id": "b", "not": 1}})));
}

#[test]
fn references_to_the_schema_itself_its_parts_and_anchors_are_followed() {
    let own = "https://example.com/own";
    for reference in
        ["#", "#/$defs/a%20b", "#/$defs/100%25", "#here", "#there", own, &format!("{own}#"), &format!("{own}#here")]
    {
        for id in [own, &format!("{own}#")] {
            let schema = json!({
                "$id": id,
                "$defs": {
                    "a b": {}, "100%": {}, "h": {"$anchor": "here"}, "t": {"$dynamicAnchor": "there"}
                },
                "properties": {"x": {"$ref": reference}, "y": {"$dynamicRef": reference}}
            });
            assert!(fits(&schema), "{id}: {reference}");
        }
    }
    for reference in ["#/$defs/no", "#no", "other", "https://example.com/other", "https://example.com/owner#"] {
        assert!(!fits(&json!({"$id": own, "properties": {"x": {"$ref": reference}}})), "{reference}");
    }
    let long = format!("https://example.com/{}", "x".repeat(200));
    let refused = Cost::from_schema(&json!({"$ref": long})).unwrap_err();
    let shown = |chars: usize| refused.contains(&long.chars().take(chars).collect::<String>());
    assert!(shown(100) && !shown(101), "{refused}");
}

#[test]
fn escapes_of_a_reference_are_read_and_what_is_none_stays() {
    for (text, read) in [("/a%20b", "/a b"), ("/100%", "/100%"), ("/%zz", "/%zz"), ("/%2", "/%2"), ("/%C3%A9", "/é")] {
        assert_eq!(decoded(text), read);
    }
}

#[test]
fn a_pattern_searches_if_it_may_look_around_or_back() {
    let signs = ["(?=a)", "(?!a)", "(?<=a)", "(?>a)", "(?P=a)", "(?(1)a)", "a++", "a*+", "a?+", "a{1}+"];
    for pattern in signs.into_iter().chain([r"(a)\1", r"\k<a>", r"\g1", r"a\K", r"\G"]) {
        assert!(may_search(pattern), "{pattern}");
    }
    for pattern in ["^a+$", "(?:a|b)*", r"\d\w", r"\\1", r"a\\", "[+]", ""] {
        assert!(!may_search(pattern), "{pattern}");
    }
}
