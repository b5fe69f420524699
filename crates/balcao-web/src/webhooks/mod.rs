//! Webhooks, one file per channel, and one for the services of packs.

pub(crate) mod calendar;
pub(crate) mod evolution;
pub(crate) mod packs;
pub(crate) mod whatsapp;

use std::time::Duration;

use axum::http::StatusCode;
use balcao_app::context::metrics;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::limits::body_budget::BufferedBody;
use crate::problem::Problem;

/// A body up to this is read where it came in; a larger one keeps a thread busy that others wait for.
const SMALL: usize = 32 * 1024;
/// Larger bodies that are read at the same time, in the whole program: each becomes a tree of many times its size.
static READERS: Semaphore = Semaphore::const_new(2);
/// How long one may take, the wait for its turn included.
const READ_TIME: Duration = Duration::from_secs(10);

/// Reads the body of a webhook, a large one beside the threads that serve others. Its room is given back only once the reader is through
/// with it and the caller lets go of it, also if no caller waits for the result any more.
///
/// # Errors
/// 503 where that takes too long.
async fn aside<T: Send + 'static>(
    held: BufferedBody,
    read: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> Result<(T, BufferedBody), Problem> {
    if held.body.len() <= SMALL {
        return Ok((read(&held.body), held));
    }
    let work = async {
        let turn = READERS.acquire().await.ok();
        let read = move || {
            let read = read(&held.body);
            drop(turn);
            (read, held)
        };
        tokio::task::spawn_blocking(read).await
    };
    match timeout(READ_TIME, work).await {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) => {
            tracing::error!(%error, "the reader of a webhook broke");
            Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke here; it was logged"))
        }
        Err(_elapsed) => Err(Problem::unavailable("the body took too long to read; send it again")),
    }
}

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

#[cfg(test)]
#[path = "webhooks_tests.rs"]
mod tests;
