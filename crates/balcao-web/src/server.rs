//! How connections are held: bounded in number, in the size and time of their headers, and let end when the program stops.
//!
//! Invariant: how the program is, is answered under any number of held connections.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use balcao_app::context::metrics;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::limits::Limits;
use crate::limits::caller::{ClientKey, is_private};
use crate::limits::connection::{LeastSpeed, May, Steady, answer};
use crate::limits::fair_quota::{FairQuota, Permit, QuotaExceeded};
use crate::limits::load_shedding::Peer;

/// How long nothing is accepted after accepting failed, for want of file descriptors as a rule.
const PAUSE: Duration = Duration::from_millis(100);
/// Connections beyond all places, for those who ask how the program is.
const RESERVED: usize = 32;
/// How long each of these lasts.
const RESERVE_TIME: Duration = Duration::from_secs(5);

/// Answers connections until `stop` is cancelled; then no more are accepted, and requests that run may end within
/// [`Limits::drain`].
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: CancellationToken) {
    serve_behind(Vec::new(), listener, router, limits, stop).await;
}

/// The same behind proxies of these networks, which may take every connection.
pub async fn serve_behind(
    proxies: Vec<IpNet>,
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) {
    let (graceful, tracker) = (GracefulShutdown::new(), TaskTracker::new());
    let places = Arc::new(Semaphore::new(limits.connections));
    let (door, mut reserve) = (Door::new(limits.connections, proxies), Reserve::default());
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener) => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(share) = door.lets_in(peer.ip()) else {
            metrics::shed("connections");
            tracing::debug!(%peer, "an address has too many connections");
            continue;
        };
        let place = Arc::clone(&places).try_acquire_owned().ok();
        let may = if place.is_some() { May::All } else { May::OnlyHealth };
        let watched = graceful.watch(connection(stream, Peer(peer), may, router.clone(), &limits));
        let held = async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop((place, share));
        };
        match may {
            May::All => drop(tracker.spawn(held)),
            May::OnlyHealth => {
                metrics::shed("connections");
                let brief = async { drop(tokio::time::timeout(RESERVE_TIME, held).await) };
                reserve.hold(tracker.spawn(brief).abort_handle());
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(limits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(connections = tracker.len(), "connections are cut off");
    }
}

/// What is asked and answered over these bytes.
fn connection<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    bytes: S,
    peer: Peer,
    may: May,
    router: Router,
    limits: &Limits,
) -> impl GracefulConnection<Error = hyper::Error> + Send + 'static {
    let least = LeastSpeed { bytes: limits.answer_bytes, within: limits.answer_time };
    let (steady, taken) = Steady::new(bytes, least);
    let answers = move |request| answer(router.clone(), taken.clone(), peer, may, request);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(may == May::All)
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.headers.max(8_192))
        .max_headers(limits.header_count)
        .serve_connection(TokioIo::new(steady), service_fn(answers))
}

/// Connections beyond all places, which may ask how the program is, and nothing else: the one who watches over it gets an answer however many
/// connections are held. The newest count: the oldest is closed for it.
#[derive(Default)]
struct Reserve(VecDeque<AbortHandle>);

impl Reserve {
    fn hold(&mut self, newest: AbortHandle) {
        self.0.retain(|held| !held.is_finished());
        if self.0.len() >= RESERVED
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.abort();
        }
        self.0.push_back(newest);
    }
}

/// Who may come in. Programs beside ours, and proxies, speak for many.
struct Door {
    shares: FairQuota,
    proxies: Vec<IpNet>,
}

impl Door {
    fn new(connections: usize, proxies: Vec<IpNet>) -> Self {
        Self { shares: FairQuota::with_total(connections), proxies }
    }

    fn lets_in(&self, peer: IpAddr) -> Result<Option<Permit>, QuotaExceeded> {
        let peer = peer.to_canonical();
        if is_private(peer) || self.proxies.iter().any(|network| network.contains(&peer)) {
            return Ok(None);
        }
        self.shares.take(&ClientKey::from_address(peer)).map(Some)
    }
}

async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, peer))
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
