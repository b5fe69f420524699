//! Canonical JSON: equal values have equal text, so equal calls have equal keys.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Writes `value` with sorted keys, no spaces, and integers without a fraction (`25.0` is `25`), after RFC 8785.
#[must_use]
pub fn text(value: &Value) -> String {
    let mut out = String::with_capacity(64);
    write(value, &mut out);
    out
}

/// The first 40 hexadecimal digits of the SHA-256 of [`text`].
#[must_use]
pub fn hash(value: &Value) -> String {
    hash_text(&text(value))
}

/// The first 40 hexadecimal digits of the SHA-256 of `text`.
#[must_use]
pub fn hash_text(text: &str) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or('0');
    Sha256::digest(text.as_bytes()).iter().take(20).flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (position, (key, value)) in entries.into_iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Number(number) => {
            // Above 2^53 a fraction cannot be distinguished from an integer; such numbers stay as they were written.
            let whole =
                number.as_f64().filter(|n| number.is_f64() && n.fract() == 0.0 && n.abs() < 9_007_199_254_740_992.0);
            match whole {
                Some(n) => out.push_str(&format!("{n:.0}")),
                None => out.push_str(&number.to_string()),
            }
        }
        Value::String(_) | Value::Bool(_) | Value::Null => out.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_equal_text_however_they_were_written() {
        assert_eq!(
            text(&json!({"b": 25.0, "a": [1, {"y": null, "x": "é"}]})),
            r#"{"a":[1,{"x":"é","y":null}],"b":25}"#
        );
        assert_eq!(hash(&json!({"a": 1, "b": 2})), hash(&json!({"b": 2.0, "a": 1})));
        assert_ne!(hash(&json!({"a": 1})), hash(&json!({"a": "1"})));
        assert_eq!(hash(&json!({})).len(), 40);
    }

    #[test]
    fn a_hash_is_the_first_half_of_the_digest_that_every_other_program_computes() {
        assert_eq!(hash_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4");
        assert_eq!(hash_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a3");
        assert_eq!(hash(&json!({"a": 1.0})), "015abd7f5cc57a2dd94b7590f04ad8084273905e");
    }

    #[test]
    fn only_a_whole_number_that_a_double_holds_exactly_loses_its_fraction() {
        assert_eq!(text(&json!([-0.5, 1.5, 3.0, -7.0])), "[-0.5,1.5,3,-7]");
        assert_eq!(text(&json!(9_007_199_254_740_991.0)), "9007199254740991");
        assert_eq!(text(&json!(9_007_199_254_740_992.0)), "9007199254740992.0");
        assert_eq!(text(&json!(1e300)), "1e+300");
        assert_eq!(text(&json!(u64::MAX)), u64::MAX.to_string());
    }
}
