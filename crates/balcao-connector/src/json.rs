//! JSON from strangers: no key twice in one object, no more than so many levels.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Levels of an answer.
const MAX_DEPTH: u8 = 64;

/// Reads a whole text.
///
/// # Errors
/// What keeps it from being JSON that means one thing. Quotes nothing of it.
pub(crate) fn parse(text: &[u8]) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let words = |error: serde_json::Error| {
        // Keys are quoted by nobody but us, and ours is told apart by its beginning.
        let own = error.to_string();
        let own = own.split(" at line ").next().unwrap_or_default();
        if OWN.contains(&own) {
            own.to_owned()
        } else {
            format!("no JSON (line {}, column {})", error.line(), error.column())
        }
    };
    let value = Strict(MAX_DEPTH).deserialize(&mut reader).map_err(words)?;
    reader.end().map_err(words)?;
    Ok(value)
}

const TOO_DEEP: &str = "nested too deeply";
const TWICE: &str = "a key stands twice in one object";
const OWN: [&str; 2] = [TOO_DEEP, TWICE];

/// Reads a value with so many levels left.
struct Strict(u8);

impl Strict {
    fn deeper<E: Error>(&self) -> Result<Self, E> {
        self.0.checked_sub(1).map(Self).ok_or_else(|| E::custom(TOO_DEEP))
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut read = Vec::new();
        while let Some(item) = items.next_element_seed(self.deeper()?)? {
            read.push(item);
        }
        Ok(Value::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let field = fields.next_value_seed(self.deeper()?)?;
            if read.insert(key, field).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Value::Object(read))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_they_are() {
        let text = r#" {"a": [1, -2, 2.5, null, true, "é"], "b": {}, "big": 18446744073709551615} "#;
        let value = json!({ "a": [1, -2, 2.5, null, true, "é"], "b": {}, "big": u64::MAX });
        assert_eq!(parse(text.as_bytes()), Ok(value));
    }

    #[test]
    fn what_means_two_things_or_is_bottomless_is_refused_without_being_quoted() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(deep(64).as_bytes()).is_ok());
        assert_eq!(parse(deep(66).as_bytes()), Err(TOO_DEEP.to_owned()));
        assert!(parse(deep(1_000_000).as_bytes()).is_err());
        assert_eq!(parse(br#"{"a": {"secret": 1, "secret": 2}}"#), Err(TWICE.to_owned()));
        assert_eq!(parse(b"<html>secret"), Err("no JSON (line 1, column 1)".to_owned()));
        assert!(parse(b"{} {}").is_err());
        assert!(parse(b"\"\xff\"").is_err());
    }
}
