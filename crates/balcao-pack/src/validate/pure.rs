//! Checks that need the arguments alone.

use balcao_tool::validate::Schema;
use regex::Regex;
use serde_json::{Value, json};

use super::{Failure, path::FieldPath};
use crate::{
    expression::{Expression, kind},
    manifest::{AssigneeForm, TaskIdForm},
};

/// Milliseconds since 1970 lie in these bounds for all years from 1973 to 5138; seconds do not.
const TIMESTAMP_MS: std::ops::Range<i64> = 100_000_000_000..100_000_000_000_000;

/// At least and at most.
type Bounds = (Option<f64>, Option<f64>);

#[derive(Debug)]
pub(super) enum Pure {
    Required(Vec<FieldPath>),
    OneOf(Vec<FieldPath>),
    Exclusive(Vec<FieldPath>),
    Format(Vec<(FieldPath, Format)>),
    Pattern(Vec<(FieldPath, Regex)>),
    Range(Vec<(FieldPath, Bounds)>),
    Assignees { field: FieldPath, form: AssigneeForm },
    TaskIds { fields: Vec<FieldPath>, forms: Vec<TaskIdForm> },
    Expression { expression: Expression, text: String, field: Option<FieldPath> },
}

#[derive(Debug)]
pub(super) enum Format {
    /// One that JSON Schema knows.
    Named(String, Box<Schema>),
    /// Milliseconds since 1970.
    TimestampMs,
    /// Seconds since 1970.
    TimestampS,
}

impl Pure {
    pub(super) fn judge(&self, args: &Value, failures: &mut Vec<Failure>) {
        match self {
            Self::Required(fields) => {
                for field in fields {
                    field.each(args, &mut |elements, value| {
                        if !given(value) || blank(value) {
                            failures.push(failure(field.pointer(elements), "missing", "a value", value));
                        }
                    });
                }
            }
            Self::OneOf(fields) => {
                if !fields.iter().any(|field| field.first(args).is_some()) {
                    let expected = format!("at least one of {}", names(fields));
                    failures.push(failure(String::new(), "missing", expected, None));
                }
            }
            Self::Exclusive(fields) => {
                let there: Vec<&FieldPath> = fields.iter().filter(|field| field.first(args).is_some()).collect();
                if let [_first, second, ..] = there.as_slice() {
                    let expected = format!("at most one of {}", names(fields));
                    failures.push(failure(second.pointer(&[]), "mutually_exclusive", expected, None));
                }
            }
            Self::Format(fields) => each(fields, args, |(_, format), value| format.judge(value), failures),
            Self::Pattern(fields) => {
                let judge = |(_, pattern): &(FieldPath, Regex), value: &Value| {
                    let fits = value.as_str().is_some_and(|text| pattern.is_match(text));
                    (!fits).then(|| failed("bad_format", format!("text that matches {pattern}")))
                };
                each(fields, args, judge, failures);
            }
            Self::Range(fields) => {
                let judge = |(_, (low, high)): &(FieldPath, Bounds), value: &Value| {
                    let fits = value.as_f64().is_some_and(|number| {
                        low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high)
                    });
                    (!fits).then(|| failed("out_of_range", bounds(*low, *high)))
                };
                each(fields, args, judge, failures);
            }
            Self::Assignees { field, form } => assignees(field, *form, args, failures),
            Self::TaskIds { fields, forms } => {
                for field in fields {
                    field.each(args, &mut |elements, value| {
                        let Some(value) = value.filter(|value| !value.is_null()) else { return };
                        if !value.as_str().is_some_and(|id| forms.iter().any(|form| form.fits(id))) {
                            let expected: Vec<&str> = forms.iter().map(|form| form.words()).collect();
                            let expected = expected.join(", or ");
                            failures.push(failure(field.pointer(elements), "bad_format", expected, Some(value)));
                        }
                    });
                }
            }
            Self::Expression { expression, text, field } => {
                let at = || field.as_ref().map_or(String::new(), |field| field.pointer(&[]));
                match expression.holds(args) {
                    Ok(true) => {}
                    Ok(false) => failures.push(failure(at(), "not_allowed", format!("that {text}"), None)),
                    Err(error) => {
                        let expected = format!("values for which `{text}` can be computed ({error})");
                        failures.push(failure(at(), "not_allowed", expected, None));
                    }
                }
            }
        }
    }
}

impl Format {
    fn judge(&self, value: &Value) -> Option<Failure> {
        match self {
            Self::Named(name, schema) => {
                (!schema.is_valid(value)).then(|| failed("bad_format", format!("text of the format {name}")))
            }
            Self::TimestampMs => {
                let number = value.as_i64();
                if number.is_some_and(|number| TIMESTAMP_MS.contains(&number)) {
                    return None;
                }
                let seconds = number.and_then(|number| number.checked_mul(1000)).filter(|ms| TIMESTAMP_MS.contains(ms));
                let expected = "milliseconds since 1970, as a whole number";
                Some(Failure { nearest: seconds.map(Value::from), ..failed("bad_format", expected) })
            }
            Self::TimestampS => {
                let number = value.as_i64();
                if number.and_then(|number| number.checked_mul(1000)).is_some_and(|ms| TIMESTAMP_MS.contains(&ms)) {
                    return None;
                }
                let ms = number.filter(|number| TIMESTAMP_MS.contains(number)).map(|ms| Value::from(ms / 1000));
                Some(Failure { nearest: ms, ..failed("bad_format", "seconds since 1970, as a whole number") })
            }
        }
    }
}

impl TaskIdForm {
    fn fits(self, id: &str) -> bool {
        match self {
            Self::Regular => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            Self::Custom => {
                let Some((prefix, number)) = id.split_once(['-', '_', '.']) else { return false };
                prefix.starts_with(|first: char| first.is_ascii_uppercase())
                    && prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
                    && !number.is_empty()
                    && number.bytes().all(|byte| byte.is_ascii_digit())
            }
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Regular => "an id of nine lower-case letters and digits, as 86b4bnnny",
            Self::Custom => "a custom id of an upper-case prefix and a number, as DEV-1234",
        }
    }
}

/// Judges every value that is there at the fields; what is missing is for `required_fields` to tell.
fn each<T>(
    fields: &[(FieldPath, T)],
    args: &Value,
    judge: impl Fn(&(FieldPath, T), &Value) -> Option<Failure>,
    failures: &mut Vec<Failure>,
) {
    for entry in fields {
        entry.0.each(args, &mut |elements, value| {
            let Some(value) = value.filter(|value| !value.is_null()) else { return };
            if let Some(found) = judge(entry, value) {
                failures.push(Failure { pointer: entry.0.pointer(elements), got: Some(value.clone()), ..found });
            }
        });
    }
}

fn assignees(field: &FieldPath, form: AssigneeForm, args: &Value, failures: &mut Vec<Failure>) {
    field.each(args, &mut |elements, value| {
        let Some(value) = value.filter(|value| !value.is_null()) else { return };
        let Some((expected, right)) = misformed(form, value) else { return };
        let mended = right.clone().and_then(|right| {
            let mut mended = args.clone();
            field.set(&mut mended, Some(right)).then_some(mended)
        });
        let found = failure(field.pointer(elements), "wrong_form", expected, Some(value));
        failures.push(Failure { nearest: right, mended, ..found });
    });
}

/// What was expected in place of a value, and the value in that form if it is plain what is meant; `None` if it has the form.
fn misformed(form: AssigneeForm, value: &Value) -> Option<(&'static str, Option<Value>)> {
    let ids = |value: &Value| value.as_array().is_some_and(|ids| ids.iter().all(|id| id.is_i64() || id.is_u64()));
    let parts = |value: &Value| {
        value.as_object().is_some_and(|parts| {
            !parts.is_empty() && parts.iter().all(|(name, value)| matches!(name.as_str(), "add" | "rem") && ids(value))
        })
    };
    match form {
        AssigneeForm::UpdateApi if parts(value) => None,
        AssigneeForm::UpdateApi => {
            let right = ids(value).then(|| json!({"add": value, "rem": []}));
            Some(("{\"add\": [ids], \"rem\": [ids]}: whom to add and whom to remove", right))
        }
        AssigneeForm::CreateApi if ids(value) => None,
        AssigneeForm::CreateApi => {
            let removes = value.get("rem").and_then(Value::as_array).is_some_and(|rem| !rem.is_empty());
            let right = (parts(value) && !removes).then(|| value.get("add").cloned()).flatten();
            Some(("[ids]: a list of whom to assign", right))
        }
    }
}

fn given(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

fn blank(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| text.trim().is_empty())
}

fn failed(problem: &'static str, expected: impl Into<String>) -> Failure {
    Failure { problem, expected: expected.into(), ..Failure::default() }
}

fn failure(pointer: String, problem: &'static str, expected: impl Into<String>, got: Option<&Value>) -> Failure {
    let got = got.map(|value| if value.is_object() { Value::from(kind(value)) } else { value.clone() });
    Failure { pointer, problem, expected: expected.into(), got, ..Failure::default() }
}

fn names(fields: &[FieldPath]) -> String {
    fields.iter().map(|field| field.pointer(&[])).collect::<Vec<_>>().join(", ")
}

fn bounds(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("a number from {low} to {high}"),
        (Some(low), None) => format!("a number from {low}"),
        (None, Some(high)) => format!("a number up to {high}"),
        (None, None) => "a number".to_owned(),
    }
}
