//! Repair of malformed arguments, where only one reading is possible.
//!
//! Mended: code fences, trailing commas, single or typographic quotes, Python literals, unquoted keys, an object given as a
//! string, an object alone in a list, and (by schema) one value where a list of such values is expected. Never mended: cut-off
//! text, repeated keys, anything that is not an object, and the values themselves: every scalar of a repaired object stood in
//! the source.

use serde_json::{Map, Value};

use crate::limits::{MAX_ARGUMENT_BYTES, MAX_ARGUMENT_DEPTH};

/// Arguments that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The arguments: always a JSON object.
    pub value: Value,
    /// What had to be mended, in words for the record. Empty if nothing.
    pub repairs: Vec<String>,
}

/// Reads raw arguments. Empty text means no arguments.
///
/// # Errors
/// What is wrong with the text, in words for the model.
pub fn parse_arguments(raw: &str) -> Result<Parsed, String> {
    if raw.len() > MAX_ARGUMENT_BYTES {
        return Err(format!("the arguments are larger than {MAX_ARGUMENT_BYTES} bytes"));
    }
    let text = raw.trim();
    if text.is_empty() || text == "null" {
        return Ok(Parsed { value: Value::Object(Map::new()), repairs: Vec::new() });
    }
    if let Some(told) = none_at_all(text) {
        return Ok(Parsed { value: Value::Object(Map::new()), repairs: vec![told.to_owned()] });
    }
    let parsed = match only_object_of_list(text) {
        Some(value) => {
            Parsed { value, repairs: vec!["took the arguments out of a list that holds nothing else".to_owned()] }
        }
        None => parse_object(text)?,
    };
    if depth(&parsed.value) > MAX_ARGUMENT_DEPTH {
        return Err(format!("the arguments are nested deeper than {MAX_ARGUMENT_DEPTH} levels"));
    }
    Ok(parsed)
}

/// The one object of a list that holds nothing else.
fn only_object_of_list(text: &str) -> Option<Value> {
    let unfenced = strip_fence(text);
    if !unfenced.starts_with('[') {
        return None;
    }
    let Value::Array(mut items) = strict(unfenced).ok()? else { return None };
    if items.len() == 1 { items.pop().filter(Value::is_object) } else { None }
}

/// Whether a text is `{}` several times: a service that wrote its placeholder and then the arguments, of which there are none.
fn is_empty_objects(text: &str) -> bool {
    let is_plain = text.chars().all(|c| matches!(c, '{' | '}') || c.is_ascii_whitespace());
    let written: String = if is_plain { text.split_ascii_whitespace().collect() } else { String::new() };
    written.len() > 2 && written.replace("{}", "").is_empty()
}

/// Whether a text says that there are no arguments, in another spelling than an object, and what was made of it: the word of a language for
/// nothing, an empty list (PHP has no other word for an empty object), `{}` several times, or any of these in quotes once or twice more.
fn none_at_all(text: &str) -> Option<&'static str> {
    const WORDS: [&str; 4] = ["null", "none", "nil", "undefined"];
    let is_none = |text: &str| text.is_empty() || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_empty_list = |text: &str| matches!(strict(text), Ok(Value::Array(items)) if items.is_empty());
    let unfenced = strip_fence(text);
    if is_empty_objects(unfenced) {
        return Some("read several empty objects as no arguments");
    }
    // Nearly all arguments are an object, which is read once and not looked at here.
    if unfenced.starts_with('{') {
        return None;
    }
    if is_none(unfenced) || is_empty_list(unfenced) {
        return Some("read a value that is not an object as no arguments");
    }
    match strict(unfenced) {
        Ok(Value::String(inner)) => {
            let twice = match strict(inner.trim()) {
                Ok(Value::String(inner)) => Some(inner),
                _ => None,
            };
            let inner = twice.as_deref().unwrap_or(&inner).trim();
            (is_none(inner) || is_empty_list(inner)).then_some("read as no arguments what was given as a string")
        }
        _ => None,
    }
}

/// Reads one object that may hold arguments among other things: however long and deep it is, for what it holds is held against its
/// own limits. Only what is no longer than arguments may be is mended.
///
/// # Errors
/// What is wrong with the text, in words for the model.
pub fn parse_object(raw: &str) -> Result<Parsed, String> {
    let text = raw.trim();
    let mut repairs = Vec::new();
    let value = match strict(text) {
        Ok(value) => value,
        Err(reason) => {
            let unfenced = strip_fence(text);
            if unfenced.len() != text.len() {
                repairs.push("removed a code fence".to_owned());
            }
            match strict(unfenced) {
                Ok(value) => value,
                Err(_) if unfenced.len() > MAX_ARGUMENT_BYTES => return Err(reason),
                Err(_) => {
                    let value = mend(unfenced).ok_or(reason)?;
                    repairs.push("mended malformed JSON".to_owned());
                    value
                }
            }
        }
    };
    let value = if let Value::String(inner) = value {
        repairs.push("read an object that was given as a string".to_owned());
        strict(inner.trim()).map_err(|reason| format!("the arguments are a string that is no object: {reason}"))?
    } else {
        value
    };
    if !value.is_object() {
        return Err(format!("the arguments must be one JSON object, not {}", kind(&value)));
    }
    Ok(Parsed { value, repairs })
}

/// Mends what the schema makes unambiguous: a single value for a list, and a list or object given as a string.
///
/// Returns the repairs in words. Values that need no repair stay untouched.
pub fn fit_to_schema(value: &mut Value, schema: &Value) -> Vec<String> {
    let mut repairs = Vec::new();
    let (Some(map), Some(properties)) = (value.as_object_mut(), schema.get("properties").and_then(Value::as_object))
    else {
        return repairs;
    };
    for (key, field) in map.iter_mut() {
        let Some(schema) = properties.get(key) else { continue };
        let expected = schema.get("type").and_then(Value::as_str);
        if let (Some("array" | "object"), Value::String(text)) = (expected, &*field)
            && let Ok(inner) = strict(text.trim())
            && Some(kind(&inner)) == expected
        {
            *field = inner;
            repairs.push(format!("read `{key}`, which was given as a string"));
        }
        let item_type = schema.pointer("/items/type").and_then(Value::as_str);
        if expected == Some("array") && !field.is_array() && !field.is_null() && item_type == Some(kind(field)) {
            *field = Value::Array(vec![field.take()]);
            repairs.push(format!("put the single value of `{key}` into a list"));
        }
    }
    repairs
}

/// The JSON type's name, as schemas write it.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn strict(text: &str) -> Result<Value, String> {
    balcao_json::read_text(text, balcao_json::MOST_LEVELS).map_err(|fault| format!("the arguments are {fault}"))
}

fn mend(text: &str) -> Option<Value> {
    if !(text.starts_with('{') && text.ends_with('}') && balanced(text)) {
        return None; // cut off or wrapped in prose: what is missing cannot be known
    }
    let repaired = jsonrepair_rs::jsonrepair(text).ok()?;
    let value = strict(&repaired).ok()?;
    (value.is_object() && scalars_stand_in(&value, text)).then_some(value)
}

/// Brackets close in order, outside of strings of either quote.
fn balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' if open.pop() != Some(c) => return false,
                _ => {}
            },
        }
    }
    open.is_empty() && quote.is_none()
}

fn scalars_stand_in(value: &Value, source: &str) -> bool {
    match value {
        Value::Object(map) => {
            map.iter().all(|(key, value)| source.contains(key.as_str()) && scalars_stand_in(value, source))
        }
        Value::Array(items) => items.iter().all(|item| scalars_stand_in(item, source)),
        Value::String(text) => {
            let escaped = Value::from(text.as_str()).to_string();
            source.contains(text.as_str()) || source.contains(escaped.trim_matches('"'))
        }
        Value::Number(number) => source.contains(&number.to_string()),
        Value::Bool(_) | Value::Null => true, // True, None and the like change their spelling only
    }
}

fn strip_fence(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("```") else { return text };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    rest.trim_end().strip_suffix("```").unwrap_or(rest).trim()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
