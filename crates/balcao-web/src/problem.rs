//! The answer to a request that is refused or that failed (RFC 9457).

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use balcao_tool::FieldProblem;
use serde_json::{Map, Value, json};

/// What a problem's `type` begins with, where it has a name of its own. It is a name and leads nowhere.
const TYPE: &str = "urn:balcao:problem:";

/// An answer of a failed request. Its words are for the caller: what was wrong, and what would be right.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    status: StatusCode,
    told: Box<Told>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Told {
    /// What programs tell it by: `slot_taken`, …; `None` if the status says all.
    code: Option<String>,
    detail: String,
    /// One entry per bad field.
    errors: Vec<FieldProblem>,
    /// What more is known, for programs.
    facts: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem in words.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, told: Box::new(Told { detail: detail.into(), ..Told::default() }) }
    }

    /// A problem that programs tell from others of its status by `code`, in snake case.
    pub fn with_code(status: StatusCode, code: impl Into<String>, detail: impl Into<String>) -> Self {
        let mut problem = Self::new(status, detail);
        problem.told.code = Some(code.into());
        problem
    }

    /// Something of ours does not work now: come again after a moment.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(5)
    }

    /// This problem with the number of seconds after which a retry makes sense.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The same with what is wrong with each field.
    pub(crate) fn fields(mut self, errors: Vec<FieldProblem>) -> Self {
        self.told.errors = errors;
        self
    }

    /// The same with something that is known besides.
    pub(crate) fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.told.facts.insert(name.to_owned(), value.into());
        self
    }

    /// The same with a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.told.headers.push((name, value));
        self
    }

    /// Its status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, told } = self;
        let Told { code, detail, errors, facts, headers } = *told;
        let phrase = status.canonical_reason().unwrap_or("Error");
        let mut body = match &code {
            // RFC 9457, 4.2.1: `about:blank` has the status' own phrase as its title.
            None => json!({ "type": "about:blank", "title": phrase }),
            Some(code) => json!({ "type": format!("{TYPE}{code}"), "title": title(code), "code": code }),
        };
        if let Some(fields) = body.as_object_mut() {
            fields.insert("status".to_owned(), status.as_u16().into());
            fields.insert("detail".to_owned(), detail.into());
            if !errors.is_empty() {
                fields.insert("errors".to_owned(), json!(errors));
            }
            if !facts.is_empty() {
                fields.insert("facts".to_owned(), facts.into());
            }
        }
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"))];
        let mut response = (status, kind, body.to_string()).into_response();
        response.headers_mut().extend(headers);
        response
    }
}

/// `slot_taken` as a title: "Slot taken".
fn title(code: &str) -> String {
    let mut letters = code.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).map(|letter| if letter == '_' { ' ' } else { letter }).collect()
}
