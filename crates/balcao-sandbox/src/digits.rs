//! Whole numbers beyond 2^53 do not pass through JavaScript: its numbers are doubles, and an id would come out as another id.

use serde_json::{Number, Value};

/// The largest whole number that a double tells from its neighbours (`Number.MAX_SAFE_INTEGER`).
const MOST: u64 = (1 << 53) - 1;
/// The same as the double that no smaller whole number rounds to.
const BEYOND: f64 = 9_007_199_254_740_992.0;

/// The first number that would lose its digits, as a JSON pointer.
pub(crate) fn lost(value: &Value) -> Option<String> {
    let mut path = Vec::new();
    walk(value, &mut path).then(|| path.into_iter().rev().flat_map(|step| ["/".to_owned(), step]).collect())
}

/// Whether there is one; `path` is what leads to it, the last step first.
fn walk(value: &Value, path: &mut Vec<String>) -> bool {
    match value {
        Value::Number(number) => is_beyond(number),
        Value::Array(items) => {
            let found = items.iter().position(|item| walk(item, path));
            path.extend(found.map(|at| at.to_string()));
            found.is_some()
        }
        Value::Object(fields) => {
            let found = fields.iter().find(|(_, field)| walk(field, path));
            path.extend(found.map(|(key, _)| key.replace('~', "~0").replace('/', "~1")));
            found.is_some()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn is_beyond(number: &Number) -> bool {
    match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => whole.unsigned_abs() > MOST,
        (None, Some(whole)) => whole > MOST,
        // Of what was written with more digits than fit, the digits are gone already.
        (None, None) => number.as_f64().is_some_and(|number| number.abs() >= BEYOND),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_up_to_two_to_the_53_pass_and_others_are_named() {
        let most = 9_007_199_254_740_991_i64;
        for fine in [json!(most), json!(-most), json!(0.1), json!("9007199254740993"), json!([{ "a": 1.5e15 }])] {
            assert_eq!(lost(&fine), None, "{fine}");
        }
        for (value, pointer) in [
            (json!(most + 1), ""),
            (json!(i64::MIN), ""),
            (json!(u64::MAX), ""),
            (json!([1, { "a/b": [0, -most - 1] }]), "/1/a~1b/1"),
            (json!({ "id": 1e29 }), "/id"),
        ] {
            assert_eq!(lost(&value).as_deref(), Some(pointer), "{value}");
        }
    }
}
