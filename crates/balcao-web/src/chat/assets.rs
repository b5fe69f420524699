//! The widget's script.

use axum::http::header;
use axum::response::IntoResponse;

const WIDGET: &str = include_str!("../../assets/widget.js");

/// `GET /chat/widget.js`: any page may load it, and keep it for a while.
pub(super) async fn widget() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
    ];
    (headers, WIDGET)
}
