//! Webhooks, one file per channel, and one for the services of packs.

pub(crate) mod evolution;
pub(crate) mod packs;
pub(crate) mod whatsapp;

use axum::http::StatusCode;
use balcao_app::metrics;

use crate::problem::Problem;

/// Counts what came of a webhook.
fn counted(channel: &'static str, received: Result<&'static str, Problem>) -> Result<&'static str, Problem> {
    let result = match received.as_ref().map_err(Problem::status) {
        Ok(_) => "accepted",
        Err(StatusCode::UNAUTHORIZED) => "bad_signature",
        Err(StatusCode::PAYLOAD_TOO_LARGE) => "too_large",
        Err(StatusCode::BAD_REQUEST) => "malformed",
        Err(StatusCode::NOT_FOUND) => "not_ours",
        Err(StatusCode::REQUEST_TIMEOUT) => "too_slow",
        // Counted with everything else that is turned away.
        Err(StatusCode::TOO_MANY_REQUESTS) => return received,
        Err(_) => "unavailable",
    };
    metrics::webhook(channel, result);
    received
}
