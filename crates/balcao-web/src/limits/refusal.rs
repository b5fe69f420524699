//! The answer to what is too much.

use axum::http::StatusCode;
use balcao_app::context::metrics;

use crate::problem::Problem;

pub(crate) fn refusal(reason: &'static str, seconds: u32) -> Problem {
    metrics::shed(reason);
    let detail = format!("too many requests; come again in {seconds} s");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after(seconds)
}
