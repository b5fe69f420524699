//! JSON from outside: a limit of depth, no key twice, and looks into it that never fail.

use std::cell::Cell;

use jiff::Timestamp;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why bytes are no JSON that we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No JSON at all.
    Malformed,
    /// Objects in objects beyond the limit.
    TooDeep,
    /// One key twice in one object: two readers could see two things.
    KeyTwice,
}

/// Reads one JSON value; arrays and objects may be nested up to `depth` times.
pub(crate) fn parse(bytes: &[u8], depth: usize) -> Result<Value, Fault> {
    let fault = Cell::new(Fault::Malformed);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { depth, fault: &fault }.deserialize(&mut deserializer).map_err(|_source| fault.get())?;
    deserializer.end().map_err(|_source| Fault::Malformed)?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    fault: &'a Cell<Fault>,
}

impl<'a> Strict<'a> {
    fn deeper<E: de::Error>(self) -> Result<Strict<'a>, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(self.fail(Fault::TooDeep)),
        }
    }

    fn fail<E: de::Error>(self, fault: Fault) -> E {
        self.fault.set(fault);
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(inner)?;
            if object.insert(key, value).is_some() {
                return Err(self.fail(Fault::KeyTwice));
            }
        }
        Ok(Value::Object(object))
    }
}

/// The value at the end of a path of keys.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key)).filter(|found| !found.is_null())
}

/// The text there, unless it is empty.
pub(crate) fn text<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    at(value, path)?.as_str().filter(|text| !text.is_empty())
}

/// The text there, as an own one.
pub(crate) fn owned(value: &Value, path: &[&str]) -> Option<String> {
    text(value, path).map(str::to_owned)
}

/// The whole number there, written as a number or as a text.
pub(crate) fn integer(value: &Value, path: &[&str]) -> Option<i64> {
    let found = at(value, path)?;
    found.as_i64().or_else(|| found.as_str()?.trim().parse().ok())
}

/// The number there, written as a number or as a text.
pub(crate) fn decimal(value: &Value, path: &[&str]) -> Option<f64> {
    let found = at(value, path)?;
    found.as_f64().or_else(|| found.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

/// Whether `true` stands there.
pub(crate) fn flag(value: &Value, path: &[&str]) -> bool {
    at(value, path).and_then(Value::as_bool).unwrap_or(false)
}

/// The items of the array there; none if there is no array.
pub(crate) fn items<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The Unix seconds there, as an instant.
pub(crate) fn instant(value: &Value, path: &[&str]) -> Option<Timestamp> {
    Timestamp::from_second(integer(value, path)?).ok()
}
