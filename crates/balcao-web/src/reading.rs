//! The bodies of requests, read in one way everywhere: whole and of their type, and JSON as `balcao_json` reads it, so that no two handlers
//! see two things in one text.

use std::time::Duration;

use axum::RequestExt;
use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use balcao_json::Fault;
use balcao_tool::FieldProblem;
use serde_json::Value;

use crate::limits::BODY_TIME;
use crate::problem::Problem;

/// A body that is JSON.
#[derive(Debug)]
pub(crate) struct Json(pub(crate) Value);

impl<S: Send + Sync> FromRequest<S> for Json {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        of_type(request.headers(), "application/json", "the body must be JSON: `Content-Type: application/json`")?;
        json(&bytes(request, BODY_TIME).await?).map(Self)
    }
}

/// JSON.
///
/// # Errors
/// 400, where a key stands twice with its place: of two values, one would be lost without a word.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Problem> {
    balcao_json::read_within(bytes, balcao_json::MOST_LEVELS, balcao_json::MOST_VALUES).map_err(|fault| {
        let problem = Problem::with_code(StatusCode::BAD_REQUEST, "bad_json", format!("the body is {fault}"));
        match fault {
            Fault::KeyTwice { pointer } => problem.fields(vec![given_twice(pointer)]),
            Fault::Malformed { .. } | Fault::TooDeep { .. } | Fault::TooMany { .. } | Fault::TooLarge { .. } => problem,
        }
    })
}

/// The body is of this type, and not compressed.
///
/// # Errors
/// 415.
pub(crate) fn of_type(headers: &HeaderMap, wanted: &str, detail: &str) -> Result<(), Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case(wanted) {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes().to_ascii_lowercase());
    if encoding.is_some_and(|encoding| encoding != b"identity") {
        let detail = "the body must not be compressed";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    Ok(())
}

/// The whole body. What is announced to be larger than it may be is not waited for.
///
/// # Errors
/// 408, 413; 400 for what is cut short.
pub(crate) async fn bytes(request: Request, within: Duration) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    let announced = request.body().size_hint().lower();
    // The limit is the route's; what it leaves of the body tells how large that may be.
    let request = request.with_limited_body();
    if request.body().size_hint().upper().is_some_and(|most| most < announced) {
        return Err(too_large());
    }
    let bytes = tokio::time::timeout(within, Bytes::from_request(request, &())).await;
    let bytes = bytes.map_err(|_elapsed| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long"))?;
    bytes.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => Problem::with_code(StatusCode::BAD_REQUEST, "bad_body", "the body was cut short"),
    })
}

/// That a field is given twice.
pub(crate) fn given_twice(pointer: String) -> FieldProblem {
    let problem = "given_twice".to_owned();
    FieldProblem { pointer, problem, expected: "one value".to_owned(), ..FieldProblem::default() }
}
