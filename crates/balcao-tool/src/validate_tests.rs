use serde_json::json;

use super::*;

fn booking() -> Schema {
    Schema::compile(&json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["barber_name", "date"],
        "properties": {
            "barber_name": {"type": "string", "minLength": 1, "maxLength": 80, "examples": ["João"]},
            "date": {"type": "string", "maxLength": 40, "examples": ["2026-11-25"]},
            "service_id": {"type": "integer", "minimum": 1, "maximum": 2147483647},
            "period": {"enum": ["manhã", "tarde", "noite"]}
        }
    }))
    .unwrap()
}

#[test]
fn every_bad_field_has_one_entry_that_says_what_would_be_right() {
    let problems = booking().problems(&json!({"barber": "João", "date": 7, "service_id": 0, "period": "manha"}));
    let rows: Vec<(&str, &str)> = problems.iter().map(|p| (p.pointer.as_str(), p.problem.as_str())).collect();
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            ("/barber", "unknown_field"),
            ("/barber_name", "missing"),
            ("/date", "wrong_type"),
            ("/period", "not_allowed"),
            ("/service_id", "out_of_range")
        ]
    );
    let find = |pointer: &str| problems.iter().find(|p| p.pointer == pointer).unwrap();
    assert_eq!(find("/barber").nearest, Some(json!("barber_name")));
    assert_eq!(find("/period").nearest, Some(json!("manhã")));
    assert_eq!(find("/service_id").expected, "integer from 1 to 2147483647");
    assert_eq!(find("/date").got, Some(json!(7)));
    assert_eq!(find("/date").expected, "string, for example \"2026-11-25\", not integer");
}

#[test]
fn ids_outside_of_the_range_are_refused_before_anything_runs() {
    for id in [json!(0), json!(-1), json!(2_147_483_648_i64), json!(1.5), json!("7"), json!(9e18)] {
        let value = json!({"barber_name": "João", "date": "amanhã", "service_id": id});
        assert_eq!(booking().problems(&value).len(), 1, "{value}");
    }
    for id in [1_i64, 2_147_483_647] {
        assert!(booking().problems(&json!({"barber_name": "João", "date": "x", "service_id": id})).is_empty());
    }
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    assert!(Schema::compile(&json!({"type": "objekt"})).unwrap_err().contains("type"));
}

/// What is wrong with `value` by `schema`: place, problem, what would be right.
fn told(schema: Value, value: Value) -> Vec<(String, String, String)> {
    let problems = Schema::compile(&schema).unwrap().problems(&value);
    problems.into_iter().map(|one| (one.pointer, one.problem, one.expected)).collect()
}

#[test]
fn each_kind_of_mistake_has_its_word_and_what_would_be_right() {
    let table = [
        (json!({"type": "string", "minLength": 3}), json!("ab"), "too_short", "at least 3 characters"),
        (json!({"type": "string", "maxLength": 1}), json!("ab"), "too_long", "at most 1 characters"),
        (json!({"minProperties": 1}), json!({}), "too_few", "at least 1 fields"),
        (json!({"maxProperties": 0}), json!({"a": 1}), "too_many", "at most 0 fields"),
        (json!({"minItems": 2}), json!([1]), "too_few", "at least 2 items"),
        (json!({"maxItems": 1}), json!([1, 2]), "too_many", "at most 1 items"),
        (json!({"type": "string", "pattern": "^a"}), json!("b"), "bad_format", "string"),
        (json!({"type": "string", "format": "date"}), json!("b"), "bad_format", "string"),
        (json!({"type": ["integer", "null"]}), json!("b"), "wrong_type", "integer or null, not string"),
        (json!({"type": "integer", "minimum": 2}), json!(1), "out_of_range", "integer from 2"),
        (json!({"type": "integer", "maximum": 2}), json!(3), "out_of_range", "integer up to 2"),
        (json!({"exclusiveMinimum": 2}), json!(2), "out_of_range", "a value"),
        (json!({"exclusiveMaximum": 2}), json!(2), "out_of_range", "a value"),
        (json!({"type": "integer", "multipleOf": 5}), json!(3), "out_of_range", "integer"),
        (json!({"const": 1}), json!(3), "not_allowed", "a value"),
        (json!({"enum": ["manhã", 2]}), json!("noite"), "not_allowed", "one of [\"manhã\",2]"),
        (json!({"properties": {}, "additionalProperties": false}), json!({"a": 1}), "unknown_field", "no fields"),
    ];
    for (schema, value, problem, expected) in table {
        let told = told(schema.clone(), value);
        assert_eq!(told.len(), 1, "{schema}");
        assert_eq!((told[0].1.as_str(), told[0].2.as_str()), (problem, expected), "{schema}");
    }
}

#[test]
fn fields_within_lists_and_objects_are_described_by_their_own_schema() {
    let schema = json!({"properties": {"people": {"type": "array", "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["age"],
        "properties": {"age": {"type": "integer", "minimum": 0, "examples": [30]}, "role": {"type": "string", "enum": ["a"]}}
    }}}});
    let value = json!({"people": [{"age": "x", "agee": 1}, {"role": 1}]});
    let mut all = told(schema, value);
    all.sort();
    let expected = [
        ("/people/0/age", "wrong_type", "integer from 0, for example 30, not string"),
        ("/people/0/agee", "unknown_field", "one of age, role"),
        ("/people/1/age", "missing", "integer from 0, for example 30"),
        ("/people/1/role", "wrong_type", "string, one of [\"a\"], not integer"),
    ];
    let expected = expected.map(|(place, problem, right)| (place.to_owned(), problem.to_owned(), right.to_owned()));
    assert_eq!(all, expected);
    let hidden = told(json!({"allOf": [{"properties": {"a": {"pattern": "^x"}}}]}), json!({"a": "y"}));
    assert_eq!(hidden[0].2, "a value that fits the schema");
}

#[test]
fn what_came_is_quoted_in_short_and_what_is_allowed_is_shown_from_its_beginning() {
    let got = |schema: Value, value: Value| Schema::compile(&schema).unwrap().problems(&value).remove(0).got;
    let text = |length: usize| "é".repeat(length);
    let number = json!({"type": "integer"});
    assert_eq!(got(number.clone(), json!(text(80))), Some(json!(text(80))));
    assert_eq!(got(number.clone(), json!(text(81))), Some(json!(format!("{}…", text(80)))));
    assert_eq!(got(number.clone(), json!([1, 2])), Some(json!("a list of 2 items")));
    assert_eq!(got(number, json!({"a": 1})), None);
    let options = |length: usize| json!({"enum": ["x".repeat(length)]});
    // `one of `, the brackets and quotes, and 996 letters are the longest list that is shown whole.
    assert_eq!(told(options(996), json!("no"))[0].2.chars().count(), "one of ".len() + 1_000);
    assert!(told(options(996), json!("no"))[0].2.ends_with("\"]"));
    assert!(told(options(997), json!("no"))[0].2.ends_with("x\"…"));
}

#[test]
fn the_nearest_allowed_value_is_named_among_so_many_as_can_be_compared() {
    let nearest = |options: Vec<Value>, value: Value| {
        Schema::compile(&json!({"enum": options})).unwrap().problems(&value).remove(0).nearest
    };
    let words = |count: usize| (0..count).map(|one| json!(format!("horario-{one}"))).collect::<Vec<_>>();
    assert_eq!(nearest(words(200), json!("horario-7x")), Some(json!("horario-7")));
    assert_eq!(nearest(words(201), json!("horario-7x")), None);
    let minutes = || vec![json!("auto"), json!(15), json!(30), json!(60)];
    assert_eq!(nearest(minutes(), json!(50)), Some(json!(60)));
    assert_eq!(nearest(minutes(), json!(44)), Some(json!(30)));
    assert_eq!(nearest(minutes(), json!(45)), Some(json!(30)));
    assert_eq!(nearest(minutes(), json!(null)), None);
}

#[test]
fn as_many_mistakes_are_told_as_are_asked_for_and_one_for_each_field() {
    let schema = Schema::compile(&json!({"additionalProperties": {"type": "integer", "minimum": 5}})).unwrap();
    let value: Value = (0..30).map(|one| (format!("f{one}"), json!("x"))).collect();
    assert_eq!(schema.problems(&value).len(), 20);
    assert_eq!(schema.first_problems(&value, 3).len(), 3);
    assert_eq!(schema.first_problems(&value, 30).len(), 30);
    let closed = Schema::compile(&json!({"properties": {"a": {}}, "additionalProperties": false})).unwrap();
    assert_eq!(closed.first_problems(&value, 3).len(), 3);
    // A text that is too short is not reported a second time for its pattern.
    let twice = json!({"properties": {"a": {"allOf": [{"minLength": 5}, {"pattern": "^z"}]}}});
    assert_eq!(told(twice, json!({"a": "x"})).len(), 1);
}

#[test]
fn a_schema_keeps_its_source_without_copies() {
    let source = json!({"type": "object"});
    let schema = Schema::compile(&source).unwrap();
    assert_eq!((schema.source(), &*schema.shared()), (&source, &source));
    assert!(Arc::ptr_eq(&schema.shared(), &schema.clone().shared()));
    assert!(schema.is_valid(&json!({})) && !schema.is_valid(&json!([])));
}
