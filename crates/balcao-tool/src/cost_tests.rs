use serde_json::{Value, json};

use super::{Cost, is_light};
use crate::limits::MAX_VISITS;
use crate::validate::Schema;

/// `a0` asks `a1` four times, and so on: 4^20 visits of one value.
fn fan(word: &str, levels: usize) -> Value {
    let mut parts = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/a{}", level + 1)});
        parts.insert(format!("a{level}"), json!({word: [next, next, next, next]}));
    }
    parts.insert(format!("a{levels}"), json!({"type": "object"}));
    json!({"$defs": parts, "$ref": "#/$defs/a0"})
}

#[test]
fn references_that_fan_out_are_refused_before_anything_is_checked() {
    for word in ["allOf", "anyOf", "oneOf"] {
        let refused = Schema::compile(&fan(word, 20)).unwrap_err();
        assert!(refused.contains("stand for more than 10000 parts"), "{refused}");
    }
    // 4^5 visits are few.
    let schema = Schema::compile(&fan("allOf", 5)).unwrap();
    assert!(schema.is_valid(&json!({})));
    assert!(!schema.is_valid(&json!([])));
}

#[test]
fn parts_that_fan_out_inside_of_values_are_refused_as_well() {
    let mut parts = serde_json::Map::new();
    for level in 0..20 {
        let next = json!({"properties": {"x": {"$ref": format!("#/$defs/a{}", level + 1)}}});
        parts.insert(format!("a{level}"), json!({"allOf": [next, next]}));
    }
    parts.insert("a20".to_owned(), json!({}));
    let refused = Schema::compile(&json!({"$defs": parts, "$ref": "#/$defs/a0"})).unwrap_err();
    assert!(refused.contains("stand for more than"), "{refused}");
}

#[test]
fn a_schema_has_so_many_values_as_it_is_written_and_so_many_levels() {
    let wide = |count: usize| {
        let properties: serde_json::Map<String, Value> = (0..count).map(|one| (format!("p{one}"), json!({}))).collect();
        Schema::compile(&json!({"type": "object", "properties": properties})).err()
    };
    assert_eq!(wide(9_000), None);
    assert_eq!(wide(10_000).as_deref(), Some("invalid schema: more than 10000 values; expected a smaller one"));
    // Each holds two levels.
    let deep = |count: usize| (0..count).fold(json!({}), |inside, _| json!({"properties": {"x": inside}}));
    assert!(Schema::compile(&deep(31)).is_ok());
    let refused = Schema::compile(&deep(33)).unwrap_err();
    assert!(refused.contains("nested deeper than 64 levels"), "{refused}");
}

#[test]
fn references_lead_through_so_many_levels() {
    let chain = |count: usize| {
        let mut parts = serde_json::Map::new();
        for level in 0..count {
            parts.insert(format!("a{level}"), json!({"$ref": format!("#/$defs/a{}", level + 1)}));
        }
        parts.insert(format!("a{count}"), json!({"type": "null"}));
        Schema::compile(&json!({"$defs": parts, "$ref": "#/$defs/a0"}))
    };
    assert!(chain(60).unwrap().is_valid(&Value::Null));
    let refused = chain(70).unwrap_err();
    assert!(refused.contains("references lead deeper than 64 levels"), "{refused}");
}

#[test]
fn a_reference_to_itself_beside_itself_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}),
        json!({"$defs": {"a": {"$anchor": "me", "not": {"$ref": "#me"}}}, "$ref": "#me"}),
    ] {
        let refused = Schema::compile(&schema).unwrap_err();
        assert!(refused.contains("leads back to itself"), "{schema}: {refused}");
    }
}

#[test]
fn a_tree_is_checked_and_one_that_doubles_with_each_level_only_as_far_as_it_is_cheap() {
    let tree =
        json!({"type": "object", "required": ["left"], "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    let cost = Cost::from_schema(&tree).unwrap();
    // The reference and what it leads to look at each value.
    assert_eq!((cost.growth, cost.look.visits), (1, 2));
    let twice = json!({"$defs": {"node": {"allOf": [
        {"properties": {"x": {"$ref": "#/$defs/node"}}},
        {"properties": {"x": {"$ref": "#/$defs/node"}}}
    ]}}, "$ref": "#/$defs/node"});
    assert_eq!(Cost::from_schema(&twice).unwrap().growth, 2);
    let nested = |levels: usize| (0..levels).fold(json!({}), |inside, _| json!({"x": inside}));
    let schema = Schema::compile(&twice).unwrap();
    assert!(schema.is_valid(&nested(10)));
    let told = schema.problems(&nested(40));
    assert_eq!(told[0].problem, "too_large");
}

#[test]
fn ways_back_that_are_found_over_others_count_as_well() {
    // By one key `b` leads to `a` and to the whole, of which `a` is known by then.
    let schema = json!({
        "$defs": {
            "a": {"properties": {"x": {"$ref": "#/$defs/r"}}},
            "b": {"allOf": [{"properties": {"x": {"$ref": "#/$defs/a"}}}, {"properties": {"x": {"$ref": "#/$defs/r"}}}]},
            "r": {"properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}}}
        },
        "$ref": "#/$defs/r"
    });
    assert_eq!(Cost::from_schema(&schema).unwrap().growth, 2);
}

#[test]
fn what_a_value_costs_grows_with_the_value_and_the_parts_that_look_at_it() {
    let parts: Vec<Value> = (0..500).map(|least| json!({"minimum": least})).collect();
    let schema = Schema::compile(&json!({"type": "array", "items": {"allOf": parts}})).unwrap();
    assert!(schema.is_valid(&Value::Array(vec![json!(1_000); 5_000])));
    let large = Value::Array(vec![json!(1_000); 10_000]);
    assert!(!schema.is_valid(&large));
    assert_eq!(schema.problems(&large)[0].problem, "too_large");
}

#[test]
fn patterns_are_few_short_and_small() {
    let many: Vec<Value> = (0..101).map(|one| json!({"pattern": format!("^{one}$")})).collect();
    let refused = Schema::compile(&json!({"anyOf": many})).unwrap_err();
    assert!(refused.contains("more than 100 patterns"), "{refused}");
    let refused = Schema::compile(&json!({"pattern": "a".repeat(1_001)})).unwrap_err();
    assert!(refused.contains("at most 1000 bytes"), "{refused}");
    let refused = Schema::compile(&json!({"pattern": "^[\\p{L}\\p{N}]{400}$"})).unwrap_err();
    assert!(refused.contains("pattern") || refused.contains("regex"), "{refused}");
    assert!(Schema::compile(&json!({"pattern": "^(?!x)[\\p{L} ]{1,4}$"})).is_ok());
}

#[test]
fn a_text_that_takes_a_pattern_more_than_2000_steps_does_not_fit() {
    let schema = Schema::compile(&json!({"type": "string", "pattern": r"^(?:(?:(a+)\1?)+x|a+!)$"})).unwrap();
    assert!(schema.is_valid(&json!("aa!")));
    // The second branch fits this text, too, but the first one does not end before.
    let long = json!(format!("{}!", "a".repeat(30)));
    assert!(!schema.is_valid(&long));
    let told = schema.problems(&long);
    assert_eq!((told.len(), told[0].problem.as_str()), (1, "bad_format"), "{told:?}");
}

#[test]
fn mistakes_behind_the_first_hundred_are_not_looked_at() {
    let places = |mistakes: usize| {
        let mut parts: Vec<Value> =
            (1..=mistakes).map(|least| json!({"properties": {"a": {"minimum": least}}})).collect();
        parts.push(json!({"required": ["b"]}));
        let told = Schema::compile(&json!({"allOf": parts})).unwrap().problems(&json!({"a": 0}));
        told.into_iter().map(|one| one.pointer).collect::<Vec<_>>()
    };
    assert_eq!(places(50), ["/a", "/b"]);
    assert_eq!(places(150), ["/a"]);
}

#[test]
fn mistakes_beyond_the_first_are_not_put_into_words() {
    let words: Vec<Value> = (0..3_000).map(|one| json!(format!("known-{one}"))).collect();
    let schema = Schema::compile(&json!({"type": "array", "items": {"enum": words}})).unwrap();
    let value: Value = (0..5_000).map(|one| json!(format!("other-{one}"))).collect();
    let told = schema.problems(&value);
    assert_eq!(told.len(), 20);
    assert!(told[0].expected.len() < 2_000, "{}", told[0].expected.len());
}

#[test]
fn of_a_value_that_may_have_very_many_mistakes_the_first_is_told() {
    let names: Vec<String> = (0..20).map(|one| format!("name-{one}")).collect();
    let required = json!({"type": "array", "items": {"required": names}});
    let lengths = json!({"type": "array", "items": {"allOf": (2..17).map(|least| json!({"minLength": least})).collect::<Value>()}});
    for (schema, item) in [(required, json!({})), (lengths, json!("a"))] {
        let schema = Schema::compile(&schema).unwrap();
        let all = |many: usize| schema.problems(&Value::Array(vec![item.clone(); many]));
        assert_eq!(all(190_000).len(), 1);
        assert!(all(190_000)[0].pointer.starts_with("/0"), "{:?}", all(190_000));
        assert!(all(1_000).len() > 1);
    }
}

#[test]
fn references_out_of_the_schema_are_refused_where_they_stand() {
    for reference in ["other.json", "https://example.com/schema", "#/nowhere", "#nobody"] {
        let refused = Schema::compile(&json!({"properties": {"a": {"$ref": reference}}})).unwrap_err();
        assert!(refused.contains(reference), "{refused}");
    }
    let named = json!({"$id": "https://example.com/own", "$defs": {"a": {"type": "null"}}, "$ref": "https://example.com/own#/$defs/a"});
    assert!(Schema::compile(&named).unwrap().is_valid(&Value::Null));
    let within = json!({"properties": {"a": {"$id": "https://example.com/b", "type": "object"}}});
    assert!(Schema::compile(&within).unwrap_err().contains("`$id`"));
    // A property may have that name.
    let property = json!({"properties": {"$id": {"type": "string"}, "type": {"type": "string"}}});
    assert!(Schema::compile(&property).is_ok());
}

#[test]
fn a_pattern_that_looks_back_is_tried_on_few_texts() {
    let of = |pattern: &str| json!({"type": "array", "items": {"type": "string", "pattern": pattern}});
    let texts = |count: usize| Value::from(vec!["aaaaaaaaaaaa!"; count]);
    for pattern in [r"^(?:(?:(a+)\1?)+x|a+!)$", r"^(?:(?:(?=a)a+)+x|a+!)$"] {
        let schema = Schema::compile(&of(pattern)).unwrap();
        assert_eq!(schema.problems(&texts(45_000))[0].problem, "too_large", "{pattern}");
        assert!(schema.problems(&texts(1_000)).iter().all(|one| one.problem != "too_large"), "{pattern}");
    }
    // One that goes through a text once is tried on many.
    assert!(Schema::compile(&of(r"^\\1a+!$|^a+!$")).unwrap().is_valid(&texts(45_000)));
    let keys = json!({"patternProperties": {r"^(?!x)": {"type": "integer"}}});
    let object = |count: usize| (0..count).map(|one| (format!("k{one}"), json!(one))).collect::<Value>();
    assert_eq!(Schema::compile(&keys).unwrap().problems(&object(20_000))[0].problem, "too_large");
    assert!(Schema::compile(&keys).unwrap().is_valid(&object(100)));
    // Two parts that look at one text are two patterns.
    let twice =
        json!({"allOf": [{"properties": {"a": {"pattern": "a"}}}, {"properties": {"a": {"pattern": "(?=b)"}}}]});
    let look = Cost::from_schema(&twice).unwrap().look;
    assert_eq!((look.patterns, look.searching), (2, 1));
}

#[test]
fn what_is_counted_quickly_fits_by_the_exact_count_too() {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "pattern": "^a+$"}, "all": {"type": "array", "items": {"type": "string"}}},
    });
    let cost = Cost::from_schema(&schema).unwrap();
    for texts in [0, 10, 100_000, 2_000_000] {
        let value = json!({"name": "a".repeat(100), "all": vec!["text"; texts]});
        let (mut light, mut left) = (cost.light, MAX_VISITS);
        let quick = is_light(&value, &mut light);
        assert!(!quick || cost.spend(&value, cost.look, &mut left), "{texts}");
        assert_eq!(quick, texts <= 100_000, "{texts}");
    }
}
