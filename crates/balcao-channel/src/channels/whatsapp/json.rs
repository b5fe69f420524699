//! Looks into JSON from outside that never fail.

use jiff::Timestamp;
use serde_json::Value;

/// The value at the end of a path of keys.
pub(crate) fn value_at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key)).filter(|found| !found.is_null())
}

/// The text there, unless it is empty.
pub(crate) fn text<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    value_at(value, path)?.as_str().filter(|text| !text.is_empty())
}

/// The text there, as an own one.
pub(crate) fn owned(value: &Value, path: &[&str]) -> Option<String> {
    text(value, path).map(str::to_owned)
}

/// The id there: a text, or the digits of one that was written as a number.
pub(crate) fn id(value: &Value, path: &[&str]) -> Option<String> {
    owned(value, path).or_else(|| Some(value_at(value, path)?.as_u64()?.to_string()))
}

/// The whole number there, written as a number or as a text.
pub(crate) fn integer(value: &Value, path: &[&str]) -> Option<i64> {
    let found = value_at(value, path)?;
    found.as_i64().or_else(|| found.as_str()?.trim().parse().ok())
}

/// The number there, written as a number or as a text.
pub(crate) fn decimal(value: &Value, path: &[&str]) -> Option<f64> {
    let found = value_at(value, path)?;
    found.as_f64().or_else(|| found.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

/// Whether `true` stands there.
pub(crate) fn flag(value: &Value, path: &[&str]) -> bool {
    value_at(value, path).and_then(Value::as_bool).unwrap_or(false)
}

/// The items of the array there; none if there is no array.
pub(crate) fn items<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    value_at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The Unix seconds there, as an instant.
pub(crate) fn instant(value: &Value, path: &[&str]) -> Option<Timestamp> {
    Timestamp::from_second(integer(value, path)?).ok()
}
