//! How connections are held: bounded in number, in the size and time of their headers, and let end when the program stops.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use balcao_app::metrics;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::limits::Limits;
use crate::shares::{NothingLeft, Share, Shares};
use crate::shed::{Peer, is_near, network};

/// How long nothing is accepted after accepting failed, for want of file descriptors as a rule.
const PAUSE: Duration = Duration::from_millis(100);

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
    let door = Door::new(limits.connections, proxies);
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let (stream, peer, place) = match accepted {
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
        let from_peer = move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            request
        };
        let service = TowerToHyperService::new(router.clone().map_request(from_peer));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_time)
            .max_buf_size(limits.headers.max(8_192))
            .max_headers(limits.header_count)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tracker.spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop((place, share));
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(connections = tracker.len(), "connections are cut off");
    }
}

/// Who may come in. Programs beside ours, and proxies, speak for many.
struct Door {
    shares: Shares,
    proxies: Vec<IpNet>,
}

impl Door {
    fn new(connections: usize, proxies: Vec<IpNet>) -> Self {
        Self { shares: Shares::of(connections), proxies }
    }

    fn lets_in(&self, peer: IpAddr) -> Result<Option<Share>, NothingLeft> {
        let peer = peer.to_canonical();
        if is_near(peer) || self.proxies.iter().any(|network| network.contains(&peer)) {
            return Ok(None);
        }
        self.shares.take(Some(&network(peer))).map(Some)
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, peer, place))
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
