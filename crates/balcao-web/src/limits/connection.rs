//! One connection: the client takes the answer at a least speed, or the connection ends; the next request waits until it has.
//!
//! A peer that does not read, or reads a byte now and then, would hold its place for as long as it likes, and could ask on and on for
//! answers that pile up. Nothing else ends that: neither the time of a request, which is over once its answer begins, nor the stream that
//! is being sent, which is asked for nothing while the peer's side is full.
//!
//! Not here: how slow a request may come (`body`, and hyper's limit for headers).

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use balcao_app::context::metrics;
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep};
use tower::ServiceExt;

use crate::limits::load_shedding::{HEALTH, Peer};
use crate::problem::Problem;
use crate::security_headers::secured;

/// After so many seconds there may be a place again.
const SOON: u32 = 1;

/// How fast an answer must be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeastSpeed {
    /// A client that takes less than so many bytes …
    pub(crate) bytes: usize,
    /// … within so long, though more is there, is gone.
    pub(crate) within: Duration,
}

/// Whether all that was answered has been taken. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Taken(watch::Receiver<bool>);

impl Taken {
    /// Returns once nothing waits to be taken.
    async fn all(&mut self) {
        // Without a connection there is no client to wait for.
        drop(self.0.wait_for(|taken| *taken).await);
    }
}

/// The bytes of a connection, whose peer must take what it is sent.
#[derive(Debug)]
pub(crate) struct Steady<S> {
    inner: S,
    least: LeastSpeed,
    taken: watch::Sender<bool>,
    /// Since something waits to be taken.
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    ends: Pin<Box<Sleep>>,
    moved: usize,
}

impl<S> Steady<S> {
    /// The same bytes under this rule, and what tells whether they were taken.
    pub(crate) fn new(inner: S, least: LeastSpeed) -> (Self, Taken) {
        let (taken, seen) = watch::channel(true);
        (Self { inner, least, taken, waiting: None }, Taken(seen))
    }

    fn set_taken(&self, taken: bool) {
        self.taken.send_if_modified(|told| std::mem::replace(told, taken) != taken);
    }

    /// Judges a write by what became of it.
    fn enforce_progress(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(written) => {
                if let (Some(waiting), Ok(bytes)) = (&mut self.waiting, &written) {
                    waiting.moved = waiting.moved.saturating_add(*bytes);
                }
                Poll::Ready(written)
            }
            Poll::Pending => {
                self.set_taken(false);
                let LeastSpeed { bytes, within } = self.least;
                let begin = || Waiting { ends: Box::pin(sleep(within)), moved: 0 };
                let waiting = self.waiting.get_or_insert_with(begin);
                loop {
                    ready!(waiting.ends.as_mut().poll(cx));
                    if waiting.moved < bytes {
                        metrics::shed("slow_reader");
                        let words = format!("fewer than {bytes} bytes of the answer were taken within {within:?}");
                        return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, words)));
                    }
                    waiting.moved = 0;
                    waiting.ends.as_mut().reset(Instant::now() + within);
                }
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Steady<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Steady<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.enforce_progress(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, pieces);
        self.enforce_progress(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    /// Called when all that there is was written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        self.waiting = None;
        self.set_taken(true);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// What a connection may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    /// Anything.
    All,
    /// Only how the program is: every other place is taken.
    OnlyHealth,
}

/// Answers a request of a connection, once the answers before it were taken.
pub(crate) async fn answer(
    router: Router,
    mut taken: Taken,
    peer: Peer,
    may: May,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    taken.all().await;
    if !names_one_host(request.version(), request.headers()) {
        let words = "invalid `Host`; expected one, that says the name which was asked for";
        return Ok(secured(Problem::new(StatusCode::BAD_REQUEST, words).into_response()));
    }
    if may == May::OnlyHealth && !HEALTH.contains(&request.uri().path()) {
        let words = format!("every connection is taken; come again in {SOON} s");
        let full = Problem::new(StatusCode::SERVICE_UNAVAILABLE, words).retry_after(SOON);
        return Ok(secured(full.into_response()));
    }
    request.extensions_mut().insert(peer);
    router.oneshot(request.map(Body::new)).await
}

/// Whether a request names the host that it is for as RFC 9112 §3.2 demands: once, and only HTTP/1.0 may leave it out. Two of them, and a
/// proxy before this and the program could see different ones.
fn names_one_host(version: Version, headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (None, _) => version < Version::HTTP_11,
        // It may be empty, and has no user before it.
        (Some(one), None) => {
            let host = one.as_bytes();
            host.is_empty() || (!host.contains(&b'@') && Authority::try_from(host).is_ok())
        }
        (Some(_), Some(_)) => false,
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
