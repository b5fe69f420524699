//! Which web pages may hold the chat.
//!
//! A browser says where a request comes from (`Origin`) and keeps the answer from every page that is not allowed here. What
//! is not a browser sends none: the visitor's token is what protects the conversation.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue};

/// The pages' origins, such as `https://shop.example`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(Vec<String>);

/// Why a text is not an origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid origin `{origin}`; expected scheme, host and port only, such as https://shop.example or http://127.0.0.1:8000"
)]
pub struct NotAnOrigin {
    /// As given.
    pub origin: String,
}

impl Origins {
    /// Takes a list of origins; a wildcard is none.
    ///
    /// # Errors
    /// [`NotAnOrigin`] names the first that is none.
    pub fn new(origins: impl IntoIterator<Item = String>) -> Result<Self, NotAnOrigin> {
        let read = |origin: String| {
            let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")).unwrap_or_default();
            let fits =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | ':' | '[' | ']');
            if !host.is_empty() && host.chars().all(fits) { Ok(origin) } else { Err(NotAnOrigin { origin }) }
        };
        origins.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// What a request's origin may see: `Ok(None)` for a request that names none.
    ///
    /// # Errors
    /// The origin is not allowed.
    pub(crate) fn check_origin<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a HeaderValue>, ()> {
        let Some(origin) = headers.get(ORIGIN) else { return Ok(None) };
        let known = origin.to_str().is_ok_and(|origin| self.0.iter().any(|one| one == origin));
        if known { Ok(Some(origin)) } else { Err(()) }
    }
}

/// Lets a page read an answer.
pub(crate) fn allow(headers: &mut HeaderMap, origin: &HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// Says what a page may send.
pub(crate) fn allow_requests(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    let names = HeaderValue::from_static("authorization, content-type, last-event-id");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}

#[cfg(test)]
#[path = "origins_tests.rs"]
mod tests;
