//! What bodies must look like: known keys, of the right type.

use serde_json::Value;

use super::state::{NOW, Refusal};

/// What a key must hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Truth,
    /// Milliseconds since 1970; seconds are refused.
    Time,
    /// A number from 1 to 4, or null.
    Priority,
    Users,
    Texts,
    /// `{add: [...], rem: [...]}`.
    Change,
    Object,
    Any,
}

/// Checks a body: these keys and no others; those with `true` must be there.
pub(super) fn check(body: &Value, keys: &[(&str, Kind, bool)]) -> Result<(), Refusal> {
    let empty = serde_json::Map::new();
    let fields = match body {
        Value::Object(fields) => fields,
        Value::Null => &empty,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(Refusal::input("the body must be an object"));
        }
    };
    if let Some(key) = fields.keys().find(|key| !keys.iter().any(|(known, ..)| known == key)) {
        return Err(Refusal::input(format!("{key} is not a property of this request")));
    }
    for (key, kind, required) in keys {
        match fields.get(*key) {
            None if *required => return Err(Refusal::input(format!("{key} is required"))),
            None => {}
            Some(value) => kind.check(value).map_err(|expected| Refusal::input(format!("{key} must be {expected}")))?,
        }
    }
    Ok(())
}

impl Kind {
    fn check(self, value: &Value) -> Result<(), &'static str> {
        let all = |fine: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(fine));
        let (fine, expected) = match self {
            Self::Text => (value.is_string() || value.is_null(), "a string"),
            Self::Integer => (value.is_i64() || value.is_null(), "an integer"),
            Self::Number => (value.is_number() || value.is_null(), "a number"),
            Self::Truth => (value.is_boolean() || value.is_null(), "a boolean"),
            Self::Time => {
                let near = value.as_u64().is_some_and(|time| time > NOW / 10 && time < NOW * 10);
                (near || value.is_null(), "a time in milliseconds since 1970")
            }
            Self::Priority => {
                (value.as_u64().is_some_and(|level| (1..=4).contains(&level)) || value.is_null(), "1 to 4, or null")
            }
            Self::Users => (all(Value::is_u64), "an array of user ids"),
            Self::Texts => (all(Value::is_string), "an array of strings"),
            Self::Change => {
                let lists = |key: &str| value.get(key).is_none_or(Value::is_array);
                let known = value.as_object().is_some_and(|map| map.keys().all(|key| key == "add" || key == "rem"));
                (known && lists("add") && lists("rem"), "an object with add and rem")
            }
            Self::Object => (value.is_object(), "an object"),
            Self::Any => (true, ""),
        };
        if fine { Ok(()) } else { Err(expected) }
    }
}
