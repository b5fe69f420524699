use super::*;

fn said(schema: &Value, dialect: Dialect) -> (Value, Vec<(String, String)>) {
    let (translated, lost) = translate(schema, dialect);
    (translated, lost.into_iter().map(|lost| (lost.pointer, lost.keyword)).collect())
}

fn lost(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(pointer, keyword)| ((*pointer).to_owned(), (*keyword).to_owned())).collect()
}

#[test]
fn a_tools_root_is_a_plain_object_and_the_rest_stays() {
    let schema = json!({"oneOf": [{"required": ["a"]}], "properties": {"a": {"not": {"const": 1}, "minLength": 3}}});
    let expected = json!({"properties": {"a": {"not": {"const": 1}, "minLength": 3}}, "type": "object"});
    assert_eq!(said(&schema, Dialect::ObjectRoot), (expected, lost(&[("", "oneOf")])));
    assert_eq!(said(&json!({}), Dialect::ObjectRoot), (json!({"type": "object", "properties": {}}), lost(&[])));
}

#[test]
fn long_bounds_are_not_passed_on_to_engines_that_write_out_each_repetition() {
    let note =
        |bounds: &Value| json!({"type": "object", "properties": {"maxLength": {"type": "string"}, "note": bounds}});
    let schema = note(&json!({"type": "string", "minLength": 1, "maxLength": 2000}));
    let expected = note(&json!({"type": "string", "minLength": 1}));
    assert_eq!(said(&schema, Dialect::ObjectRoot), (expected, lost(&[("/properties/note", "maxLength")])));
    let short = note(&json!({"type": "string", "maxLength": 80}));
    assert_eq!(said(&short, Dialect::ObjectRoot), (short.clone(), lost(&[])));
}

#[test]
fn gemini_parameters_are_openapi() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["day", "ghost"],
        "properties": {
            "day": {"type": "string", "format": "date", "pattern": "^\\d"},
            "note": {"type": ["string", "null"]},
            "size": {"enum": ["p", "m", null]},
            "count": {"enum": [1, 2]},
            "kind": {"const": "x"},
            "who": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}], "description": "whom"},
            "either": {"type": ["string", "integer"]},
            "list": {"type": "array"},
            "any": true,
        },
        "$defs": {"person": {"type": "object", "properties": {"boss": {"$ref": "#/$defs/person"}}}},
    });
    let expected = json!({
        "type": "OBJECT",
        "required": ["day"],
        "properties": {
            "day": {"type": "STRING", "pattern": "^\\d"},
            "note": {"nullable": true, "type": "STRING"},
            "size": {"nullable": true, "type": "STRING", "enum": ["p", "m"]},
            "count": {},
            "kind": {"type": "STRING", "enum": ["x"]},
            "who": {"nullable": true, "type": "OBJECT", "properties": {"boss": {}}, "description": "whom"},
            "either": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
            "list": {"type": "ARRAY", "items": {}},
            "any": {},
        },
    });
    let (translated, missing) = said(&schema, Dialect::GeminiParameters);
    assert_eq!(translated, expected);
    assert_eq!(
        missing,
        lost(&[
            ("", "additionalProperties"),
            ("/properties/day", "format"),
            ("/properties/count", "enum"),
            ("/properties/who/anyOf/0/properties/boss", "$ref"),
            ("", "required"),
        ])
    );
}

#[test]
fn an_outside_reference_is_lost_and_not_followed() {
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}});
    assert_eq!(said(&schema, Dialect::GeminiParameters).1, lost(&[("/properties/a", "$ref")]));
}

#[test]
fn anthropics_output_closes_objects_and_drops_bounds() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "minItems": 2, "items": {"type": "string", "maxLength": 3}},
            "a/b": {"oneOf": [{"type": "string"}]},
        },
        "required": ["n"],
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "a/b": {"anyOf": [{"type": "string"}]},
        },
        "required": ["n"],
        "additionalProperties": false,
    });
    let missing = lost(&[
        ("/properties/n", "minimum"),
        ("/properties/tags", "minItems"),
        ("/properties/tags/items", "maxLength"),
        ("/properties/a~1b", "oneOf"),
        ("", "additionalProperties"),
    ]);
    assert_eq!(said(&schema, Dialect::AnthropicOutput), (expected, missing));
}

#[test]
fn geminis_response_schema_keeps_what_it_knows() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}, "additionalProperties": {"type": "string"}});
    let expected =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}});
    assert_eq!(said(&schema, Dialect::GeminiResponse), (expected, lost(&[("/properties/a", "minLength")])));
}

#[test]
fn a_very_deep_schema_ends_somewhere() {
    let mut schema = json!({"type": "string"});
    for _ in 0..200 {
        schema = json!({"type": "object", "properties": {"x": schema}});
    }
    let (_, missing) = translate(&schema, Dialect::GeminiParameters);
    assert_eq!(missing.iter().map(|lost| lost.keyword.as_str()).collect::<Vec<_>>(), ["depth"]);
}

#[test]
fn strict_means_closed_and_all_required() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    assert!(is_strict(&closed));
    for (change, value) in [("required", json!([])), ("additionalProperties", json!(true)), ("minProperties", json!(1))]
    {
        let mut open = closed.clone();
        open[change] = value;
        assert!(!is_strict(&open), "{change}");
    }
    let mut nested = closed.clone();
    nested["properties"]["a"] = json!({"type": ["object", "null"]});
    assert!(!is_strict(&nested), "a free object inside");
    nested["properties"]["a"] = json!({"anyOf": [closed, {"type": "null"}]});
    assert!(is_strict(&nested));
}
