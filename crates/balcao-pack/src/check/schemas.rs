//! What is wrong inside of a command's schemas, at its own place: what compiling a schema tells is the schema as a whole.

use balcao_tool::validate::Schema;
use balcao_yaml::{escape, nearest};
use serde_json::{Map, Value};

use crate::{manifest::Command, validate::Compiler};

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];
/// Keywords that hold a schema, a list of schemas, and schemas by name.
const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const BY_NAME: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords through which an object may have properties that stand elsewhere.
const ELSEWHERE: [&str; 7] = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties"];

/// Tells of both schemas of the command at `at` what makes them none, and what no value can satisfy.
pub(super) fn check(compiler: &mut Compiler<'_>, command: &Command, at: &str) {
    for (name, schema) in [("input_schema", &command.input_schema), ("output_schema", &command.output_schema)] {
        let place = format!("{at}/{name}");
        let before = compiler.problems.len();
        walk(schema, &place, &mut |schema, place| {
            types(compiler, schema, place);
            required(compiler, schema, place);
        });
        if compiler.problems.len() > before {
            continue;
        }
        if let Err(reason) = Schema::compile(schema) {
            let suggestion = "a JSON Schema 2020-12 is expected, with references within itself only".to_owned();
            compiler.complain(&place, format!("{name} of `{}` {reason}", command.id), Some(suggestion));
        }
    }
}

/// Visits a schema and all schemas within it, each with its place.
fn walk(schema: &Value, at: &str, visit: &mut impl FnMut(&Map<String, Value>, &str)) {
    let Some(keywords) = schema.as_object() else { return };
    visit(keywords, at);
    for (keyword, value) in keywords {
        let at = format!("{at}/{}", escape(keyword));
        if ONE.contains(&keyword.as_str()) {
            walk(value, &at, visit);
        } else if LISTS.contains(&keyword.as_str()) {
            for (place, inner) in value.as_array().into_iter().flatten().enumerate() {
                walk(inner, &format!("{at}/{place}"), visit);
            }
        } else if BY_NAME.contains(&keyword.as_str()) {
            for (name, inner) in value.as_object().into_iter().flatten() {
                walk(inner, &format!("{at}/{}", escape(name)), visit);
            }
        }
    }
}

/// A type that is none.
fn types(compiler: &mut Compiler<'_>, schema: &Map<String, Value>, at: &str) {
    let complain = |compiler: &mut Compiler<'_>, place: String, name: &str| {
        let suggestion = match nearest(name, TYPES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the types are {}", TYPES.join(", ")),
        };
        compiler.complain(&place, format!("invalid type `{name}`"), Some(suggestion));
    };
    match schema.get("type") {
        Some(Value::String(name)) if !TYPES.contains(&name.as_str()) => {
            complain(compiler, format!("{at}/type"), name);
        }
        Some(Value::Array(names)) => {
            for (place, name) in names.iter().enumerate() {
                if let Some(name) = name.as_str().filter(|name| !TYPES.contains(name)) {
                    complain(compiler, format!("{at}/type/{place}"), name);
                }
            }
        }
        Some(_) | None => {}
    }
}

/// What a closed object demands and does not let in: no value could satisfy it.
fn required(compiler: &mut Compiler<'_>, schema: &Map<String, Value>, at: &str) {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if !closed || ELSEWHERE.iter().any(|keyword| schema.contains_key(*keyword)) {
        return;
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let demanded = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for (place, name) in demanded.enumerate() {
        let Some(name) = name.as_str().filter(|name| !known.contains(name)) else { continue };
        let suggestion = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add `{name}` to `properties`, or take it out of `required`"),
        };
        let message = format!("`{name}` is required and `properties` does not define it, so every value is invalid");
        compiler.complain(&format!("{at}/required/{place}"), message, Some(suggestion));
    }
}
