//! How slow the body of a request may come: a least speed, whatever its length.
//!
//! One long time for everybody would let a few who send a byte now and then hold every place, and would cut off a telephone that does
//! what it can.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use balcao_app::context::metrics;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::Limits;
use crate::problem::Problem;

/// A body came too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body came too slowly")]
struct TooSlow;

/// A body that is waited for as long as it comes at a least speed. Only the time in which a handler waits for it counts.
struct Coming {
    inner: Body,
    grace: Duration,
    /// Bytes a second.
    least: usize,
    received: usize,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    too_slow: Arc<AtomicBool>,
}

impl Coming {
    /// How long may be waited in all for what has come so far, and for the next of it.
    fn allowed(&self) -> Duration {
        let earned = self.received / self.least.max(1);
        self.grace.saturating_add(Duration::from_secs(u64::try_from(earned).unwrap_or(u64::MAX)))
    }
}

impl HttpBody for Coming {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) {
            if let Some((since, _)) = this.waiting.take() {
                this.waited = this.waited.saturating_add(since.elapsed());
            }
            if let Some(Ok(frame)) = &frame {
                this.received = this.received.saturating_add(frame.data_ref().map_or(0, Bytes::len));
            }
            return Poll::Ready(frame);
        }
        let left = this.allowed().saturating_sub(this.waited);
        let (_, late) = this.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        ready!(late.as_mut().poll(cx));
        this.too_slow.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(TooSlow))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Lets the body of a request come at a least speed, and answers 408 for one that does not.
pub(crate) async fn steadily(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    let too_slow = Arc::new(AtomicBool::new(false));
    let coming = |inner: Body| {
        let (grace, least, too_slow) = (limits.body_grace, limits.body_speed, Arc::clone(&too_slow));
        Body::new(Coming { inner, grace, least, received: 0, waited: Duration::ZERO, waiting: None, too_slow })
    };
    let response = next.run(request.map(coming)).await;
    if !too_slow.load(Ordering::Relaxed) {
        return response;
    }
    metrics::shed("slow_body");
    let words = format!("the body came too slowly; at least {} bytes a second must come", limits.body_speed);
    Problem::new(StatusCode::REQUEST_TIMEOUT, words).into_response()
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
