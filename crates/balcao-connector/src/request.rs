//! Builds a request from arguments, without I/O.
//!
//! Invariants: the host is never templated; a value stays in the place that the author gave it (one segment, one pair of the query, one
//! header, one JSON value), whatever it holds. Credentials are not part of a [`Request`]: they are put in when it leaves.

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{Method, Url};
use serde_json::{Map, Value, json};

use crate::{
    command::{Encoding, Operation},
    problem::Problem,
    template::{Scope, plain},
};

/// A request, ready but for its credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address, query included.
    pub url: Url,
    /// Headers, beside those that the client sets.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// A request's body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// JSON.
    Json(Value),
    /// Pairs.
    Form(Vec<(String, String)>),
    /// Parts.
    Multipart(Vec<Part>),
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub name: String,
    /// The name of the file, if it is one.
    pub file_name: Option<String>,
    /// What it is.
    pub media_type: Option<String>,
    /// What it holds.
    pub content: Vec<u8>,
}

impl Request {
    /// The request in words, for a dry run: what would be sent, without credentials.
    #[must_use]
    pub fn describe(&self) -> Value {
        let body = match &self.body {
            Body::Empty => Value::Null,
            Body::Json(value) => value.clone(),
            Body::Form(pairs) => shown(pairs.iter().map(|(name, value)| (name.clone(), json!(value)))),
            Body::Multipart(parts) => {
                let part = |part: &Part| match &part.file_name {
                    Some(name) => (part.name.clone(), json!({ "file": name, "bytes": part.content.len() })),
                    None => (part.name.clone(), json!(String::from_utf8_lossy(&part.content))),
                };
                shown(parts.iter().map(part))
            }
        };
        json!({ "method": self.method.as_str(), "url": self.url.as_str(), "body": body })
    }
}

/// Pairs as an object; of a name that comes more than once, all values, since all of them are sent.
fn shown(pairs: impl Iterator<Item = (String, Value)>) -> Value {
    let mut fields: Map<String, Value> = Map::new();
    for (name, value) in pairs {
        let several = match fields.remove(&name) {
            None => value,
            Some(Value::Array(mut before)) => {
                before.push(value);
                Value::Array(before)
            }
            Some(before) => json!([before, value]),
        };
        fields.insert(name, several);
    }
    Value::Object(fields)
}

/// Builds the request of an operation below `base`.
///
/// # Errors
/// All arguments that make no request.
pub(crate) fn build(operation: &Operation, base: &Url, scope: Scope<'_>) -> Result<Request, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut url = base.clone();
    let segments = segments(operation, scope, &mut problems);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(&segments);
    }
    let query = query(operation, scope, &mut problems);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let headers = headers(operation, scope, &mut problems);
    let body = body(operation, scope, &mut problems);
    if problems.is_empty() {
        Ok(Request { method: operation.command.method.method(), url, headers, body })
    } else {
        Err(problems)
    }
}

fn segments(operation: &Operation, scope: Scope<'_>, problems: &mut Vec<Problem>) -> Vec<String> {
    let mut segments = Vec::new();
    for text in &operation.path {
        let name = || text.holes().next().map(|hole| format!("/{}", hole.0.join("/"))).unwrap_or_default();
        match text.fill(scope, &without_controls) {
            // An author may end a path with a slash; a value must not be empty, nor lead up.
            Ok(Some(segment)) if text.holes().next().is_some() && matches!(segment.as_str(), "" | "." | "..") => {
                problems.push(Problem::new(name(), format!("`{segment}` cannot be part of an address")));
            }
            Ok(Some(segment)) => segments.push(segment),
            Ok(None) => problems.push(Problem::new(name(), "this argument is missing; the address needs it")),
            Err(problem) => problems.push(problem),
        }
    }
    segments
}

/// No line ends and other controls: they end headers, and addresses silently lose them.
fn without_controls(text: &str) -> Option<String> {
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

fn query(operation: &Operation, scope: Scope<'_>, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, template) in &operation.query {
        match template.fill(scope) {
            Ok(Some(value)) => pairs.extend(spread(name, &value)),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    pairs
}

/// A value in a query or a form: a list is a repeated name, what has parts is its JSON.
fn spread(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => match items.iter().map(plain).collect::<Option<Vec<_>>>() {
            Some(items) => items.into_iter().map(|item| (name.to_owned(), item)).collect(),
            None => vec![(name.to_owned(), value.to_string())],
        },
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![(name.to_owned(), plain(value).unwrap_or_else(|| value.to_string()))]
        }
    }
}

fn headers(operation: &Operation, scope: Scope<'_>, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, text) in &operation.headers {
        match text.fill(scope, &without_controls) {
            Ok(Some(value)) => headers.push((name.clone(), value)),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    headers
}

fn body(operation: &Operation, scope: Scope<'_>, problems: &mut Vec<Problem>) -> Body {
    let Some(template) = &operation.body else { return Body::Empty };
    let value = match template.fill(scope) {
        Ok(value) => value.unwrap_or_else(|| json!({})),
        Err(problem) => {
            problems.push(problem);
            return Body::Empty;
        }
    };
    let fields = || value.as_object().into_iter().flatten();
    match operation.command.encoding {
        Encoding::Json => Body::Json(value),
        Encoding::Form => Body::Form(fields().flat_map(|(name, value)| spread(name, value)).collect()),
        Encoding::Multipart => {
            let mut parts = Vec::new();
            for (name, value) in fields() {
                match part(name, value) {
                    Ok(part) => parts.push(part),
                    Err(problem) => problems.push(problem),
                }
            }
            Body::Multipart(parts)
        }
    }
}

fn part(name: &str, value: &Value) -> Result<Part, Problem> {
    let Some(encoded) = value.get("base64").and_then(Value::as_str) else {
        let content = plain(value).unwrap_or_else(|| value.to_string()).into_bytes();
        return Ok(Part { name: name.to_owned(), file_name: None, media_type: None, content });
    };
    let bad = |what: &str, message: &str| Problem::new(format!("/{name}/{what}"), message);
    let content = STANDARD.decode(encoded).map_err(|_no_base64| bad("base64", "this is no base64"))?;
    let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let file_name = word("name").unwrap_or_else(|| "file".to_owned());
    if file_name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | '"')) {
        return Err(bad("name", "a file's name holds no slashes, quotes or controls"));
    }
    let media_type = word("media_type");
    if media_type.as_ref().is_some_and(|kind| !kind.contains('/') || kind.chars().any(char::is_control)) {
        return Err(bad("media_type", "this is no type of content; write it as `image/png`"));
    }
    Ok(Part { name: name.to_owned(), file_name: Some(file_name), media_type, content })
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
