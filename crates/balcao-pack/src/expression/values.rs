//! What expressions ask of single values.

use serde_json::Value;

/// As JavaScript decides it; an object or a list is true, also an empty one.
pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(bool) => *bool,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Equal JSON; numbers by value, so that `1` is `1.0`.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| equal(value, other)))
        }
        (left, right) => left == right,
    }
}

pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// About how many bytes a value takes; counting stops behind `most`.
pub(super) fn weight(value: &Value, most: usize) -> usize {
    let mut open = vec![value];
    let mut bytes = 0_usize;
    while let Some(value) = open.pop() {
        bytes += match value {
            Value::String(text) => text.len() + 8,
            Value::Array(items) => {
                open.extend(items);
                8
            }
            Value::Object(fields) => {
                open.extend(fields.values());
                fields.keys().map(|name| name.len() + 8).sum::<usize>() + 8
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        };
        if bytes > most {
            break;
        }
    }
    bytes
}
