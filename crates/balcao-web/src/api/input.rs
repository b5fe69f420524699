//! Checks headers, query and body of a request against their schemas, and reports every bad field at once.

use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use balcao_tool::FieldProblem;
use balcao_tool::validate::Schema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::method::{IDEMPOTENCY_KEY, Method};
use crate::limits::BODY_TIME;
use crate::problem::Problem;
use crate::reading::{self, bytes, given_twice, of_type};

/// Longest `Idempotency-Key`, in characters.
const MAX_KEY_CHARS: usize = 200;
/// How long a file may take to come.
const FILE_TIME: Duration = Duration::from_secs(25);
/// The type of a body that is a file.
pub(super) const FILE: &str = "application/octet-stream";

/// The caller takes JSON.
///
/// # Errors
/// 406 if not.
pub(super) fn acceptable(headers: &HeaderMap) -> Result<(), Problem> {
    let mut ranges = headers.get_all(header::ACCEPT).iter().flat_map(|value| value.as_bytes().split(|b| *b == b','));
    let takes = |range: &[u8]| {
        let range = String::from_utf8_lossy(range).to_ascii_lowercase();
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let refused = parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32)));
        !refused && matches!(media, "" | "*/*" | "application/*" | "application/json" | "application/problem+json")
    };
    if !headers.contains_key(header::ACCEPT) || ranges.any(takes) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "everything here is `application/json`"))
}

/// The `Idempotency-Key` of a call that changes something.
///
/// # Errors
/// 400 if it is none.
pub(super) fn idempotency_key(headers: &HeaderMap, method: Method) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(first) = given.next().filter(|_| !method.only_reads()) else { return Ok(None) };
    let text =
        first.to_str().ok().map(str::trim).filter(|text| {
            (1..=MAX_KEY_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
        });
    match (text, given.next()) {
        (Some(text), None) => Ok(Some(text.to_owned())),
        _ => Err(Problem::with_code(
            StatusCode::BAD_REQUEST,
            "bad_idempotency_key",
            format!("`Idempotency-Key` is given once and has 1 to {MAX_KEY_CHARS} visible ASCII characters"),
        )),
    }
}

/// What stands behind the question mark, as an object of the types that the schema wants.
///
/// # Errors
/// 400 with every bad parameter.
pub(super) fn query(schema: &Schema, uri: &Uri) -> Result<Value, Problem> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_unreadable| Problem::with_code(StatusCode::BAD_REQUEST, "bad_query", "the query cannot be read"))?;
    let mut given = Map::new();
    let mut problems = Vec::new();
    for (name, text) in pairs.0 {
        let value = typed(schema, &name, text);
        if given.insert(name.clone(), value).is_some() {
            problems.push(given_twice(format!("/{name}")));
        }
    }
    let given = Value::Object(given);
    problems.extend(bad(schema, &given));
    if problems.is_empty() { Ok(given) } else { Err(bad_query(problems)) }
}

fn bad_query(problems: Vec<FieldProblem>) -> Problem {
    Problem::with_code(StatusCode::BAD_REQUEST, "bad_query", field_problems("query", &problems)).fields(problems)
}

/// A parameter that is right in form and yet means nothing.
pub(super) fn bad_parameter(name: &str, got: &str, expected: String) -> Problem {
    bad_query(vec![meaningless(format!("/{name}"), got, expected)])
}

/// A field that is right in form and yet means nothing.
pub(super) fn bad_field(pointer: &str, got: &str, expected: String) -> Problem {
    unfit(vec![meaningless(pointer.to_owned(), got, expected)])
}

fn meaningless(pointer: String, got: &str, expected: String) -> FieldProblem {
    let got = Some(got.chars().take(80).collect::<String>().into());
    FieldProblem { pointer, problem: "bad_format".to_owned(), expected, got, ..FieldProblem::default() }
}

/// A parameter as the type that the schema wants, if it can be read as that; else as the text it is.
fn typed(schema: &Schema, name: &str, text: String) -> Value {
    let wanted = schema.source().get("properties").and_then(|all| all.get(name)).and_then(|one| one.get("type"));
    let read = match wanted.and_then(Value::as_str) {
        Some("integer") => text.parse::<i64>().ok().map(Value::from),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    read.unwrap_or(Value::String(text))
}

/// The body, if it is JSON and fits.
///
/// # Errors
/// 408, 413, 415; 400 if it is not JSON; 422 with every bad field.
pub(super) async fn body(schema: &Schema, request: Request) -> Result<Value, Problem> {
    if request.body().is_end_stream() && may_be_left_out(schema) {
        return Ok(json!({}));
    }
    of_type(request.headers(), "application/json", "the body must be JSON: `Content-Type: application/json`")?;
    let bytes = bytes(request, BODY_TIME).await?;
    let value = reading::json(&bytes)?;
    let problems = bad(schema, &value);
    if problems.is_empty() { Ok(value) } else { Err(unfit(problems)) }
}

/// Whether nothing in a body is needed, so that none may come.
pub(super) fn may_be_left_out(schema: &Schema) -> bool {
    schema.problems(&json!({})).is_empty()
}

/// No body, or an empty object: a client that sends more expects it to matter.
///
/// # Errors
/// 408, 413; 400 if there is something.
pub(super) async fn nothing(request: Request) -> Result<(), Problem> {
    let bytes = bytes(request, BODY_TIME).await?;
    if bytes.trim_ascii().is_empty() || reading::json(&bytes).is_ok_and(|body| body == json!({})) {
        return Ok(());
    }
    Err(Problem::with_code(StatusCode::BAD_REQUEST, "bad_body", "this takes no body: the path says everything"))
}

/// The body, if it is a file. What it is, its bytes say; of its name and type nothing is believed.
///
/// # Errors
/// 408, 413, 415.
pub(super) async fn file(largest: usize, request: Request) -> Result<Bytes, Problem> {
    of_type(request.headers(), FILE, "the body must be the file itself: `Content-Type: application/octet-stream`")?;
    let bytes = bytes(request, FILE_TIME).await?;
    if bytes.len() > largest {
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"));
    }
    Ok(bytes)
}

/// A body that is JSON and does not fit.
pub(super) fn unfit(problems: Vec<FieldProblem>) -> Problem {
    Problem::with_code(StatusCode::UNPROCESSABLE_ENTITY, "bad_fields", field_problems("body", &problems))
        .fields(problems)
}

/// Reads what was checked into its type.
///
/// # Errors
/// 422, if the schema let through what the type does not hold.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    serde_json::from_value(value).map_err(|error| {
        Problem::with_code(StatusCode::UNPROCESSABLE_ENTITY, "bad_fields", format!("a field does not fit: {error}"))
    })
}

/// What is wrong with a value. No database of ours holds the character NUL in a text.
fn bad(schema: &Schema, value: &Value) -> Vec<FieldProblem> {
    let mut problems = schema.problems(value);
    nul(value, "", &mut problems);
    problems
}

fn nul(value: &Value, pointer: &str, problems: &mut Vec<FieldProblem>) {
    let found = match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                nul(item, &format!("{pointer}/{place}"), problems);
            }
            false
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                nul(field, &format!("{pointer}/{name}"), problems);
            }
            fields.keys().any(|name| name.contains('\0'))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    if found && !problems.iter().any(|problem| problem.pointer == pointer) {
        problems.push(FieldProblem {
            pointer: pointer.to_owned(),
            problem: "bad_format".to_owned(),
            expected: "text without the character NUL".to_owned(),
            ..FieldProblem::default()
        });
    }
}

/// "the body does not fit: `/limit` is out_of_range, expected …".
fn field_problems(what: &str, problems: &[FieldProblem]) -> String {
    let one = |problem: &FieldProblem| {
        let FieldProblem { pointer, problem, expected, .. } = problem;
        let place = if pointer.is_empty() { "it".to_owned() } else { format!("`{pointer}`") };
        format!("{place}: {problem}, expected {expected}")
    };
    format!("the {what} does not fit: {}", problems.iter().map(one).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
