//! Headers of every answer, unless a handler sets its own.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

pub(crate) async fn with_security_headers(request: Request, next: Next) -> Response {
    secured(next.run(request).await)
}

/// Nothing that is answered here is a page: nothing in it may run, be framed, be guessed at, or be kept; a handler that answers
/// with a page or a file says so itself.
pub(crate) fn secured(mut response: Response) -> Response {
    const HEADERS: [(&str, &str); 5] = [
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
    ];
    for (name, value) in HEADERS {
        let place = response.headers_mut().entry(HeaderName::from_static(name));
        place.or_insert(HeaderValue::from_static(value));
    }
    response
}
