//! The body of a webhook, or a file, as far as there is room for it.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::StatusCode;
use futures::StreamExt;
use tokio::time::timeout;

use crate::limits::caller::ClientKey;
use crate::limits::fair_quota::{FairQuota, Permit, QuotaExceeded};
use crate::limits::refusal::refusal;
use crate::problem::Problem;

/// Where the body of a request may be put. [`crate::limits::load_shedding`] gives one to each webhook, and the web chat has one for files.
#[derive(Debug, Clone)]
pub(crate) struct BodyBudget {
    bodies: FairQuota,
    /// The client that the bytes are counted for.
    of: ClientKey,
    time: Duration,
}

/// A body, and the room it takes until this is dropped: hold it until the answer is known.
#[derive(Debug)]
pub(crate) struct BufferedBody {
    pub(crate) body: Bytes,
    _room: Permit,
}

impl BodyBudget {
    /// Room in `bodies`, counted for `of`; the body may take so long to come.
    pub(crate) fn new(bodies: FairQuota, of: ClientKey, time: Duration) -> Self {
        Self { bodies, of, time }
    }

    /// Reads the body of a webhook that takes at most `most` bytes. What is announced to be larger is not waited for, what turns out
    /// to be is not read to its end.
    ///
    /// # Errors
    /// 413; 408 beyond the time; 400 for what is cut short; 429 for want of room.
    pub(crate) async fn read(request: Request, most: usize) -> Result<BufferedBody, Problem> {
        let (mut head, body) = request.into_parts();
        let room = head.extensions.remove::<Self>().ok_or_else(|| {
            tracing::error!("a webhook is served without `shed`");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke here; it was logged")
        })?;
        room.read_body(body, most).await
    }

    /// Reads a body of at most `most` bytes into the room.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) async fn read_body(&self, body: Body, most: usize) -> Result<BufferedBody, Problem> {
        let late = |_elapsed| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long");
        timeout(self.time, self.whole(body, most)).await.map_err(late)?
    }

    async fn whole(&self, body: Body, most: usize) -> Result<BufferedBody, Problem> {
        let too_large = || Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {most} bytes"));
        if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
            return Err(too_large());
        }
        let mut room = self.bodies.nothing_yet(&self.of);
        let (mut pieces, mut whole) = (body.into_data_stream(), Vec::new());
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_source| Problem::new(StatusCode::BAD_REQUEST, "the body was cut short"))?;
            if whole.len() + piece.len() > most {
                return Err(too_large());
            }
            room.grow(piece.len()).map_err(|left| match left {
                QuotaExceeded::PerClient => refusal("address", 1),
                QuotaExceeded::Total => refusal("bodies", 1),
            })?;
            whole.extend_from_slice(&piece);
        }
        Ok(BufferedBody { body: whole.into(), _room: room })
    }
}
