//! Turns requests away before any work is done on them, so that a flood cannot take the server down.
//!
//! 429 with `Retry-After`, before the body is read: beyond so many webhooks at once, in all and of one address, beyond so many
//! messages that wait for an answer (half as many for the web chat and the API), and for addresses that knock too often where no key is asked for, or with keys that do not
//! hold; and while it is read: beyond so many bytes of bodies that are held ([`Room`]). A webhook reads its body itself, after it saw
//! that a signature stands there at all. Channels come again, so nothing is lost. Whatever
//! was let in is treated as ever. 503, for everything but health, while memory runs short.
//!
//! Invariants: health is always answered; what a key of ours opened is not slowed down here but by the key's own limit, except
//! from an address that tries wrong ones; the address of a request is what the connection says, and what a proxy says only if
//! that proxy is configured.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use balcao_app::metrics;
use balcao_app::watch::Watch;
use balcao_domain::Clock;
use ipnet::IpNet;

use crate::chat::{FILES, Paces};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::problem::Problem;
use crate::room::Room;
use crate::shares::{NothingLeft, Shares};

/// Where the webhooks of channels begin.
const WEBHOOKS: &str = "/webhooks/";
const AGENDA: &str = "/agenda/";
const HEALTH: [&str; 2] = ["/healthz", "/readyz"];
/// After so many seconds it is worth coming again when memory runs short.
const MEMORY_PAUSE: u32 = 10;
/// After so many seconds a channel may come again when too much waits.
const QUEUE_PAUSE: u32 = 30;
/// What asks for a turn and comes from no channel. Whoever sends it can be told to come again; a channel that is told so for long
/// gives up its own, which nobody sends anew.
const TURNS: [&str; 3] = ["/chat/v1/messages", FILES, "/v1/turn"];
/// It may fill this part of what may wait: one in so many. The rest is for the webhooks of channels.
const TURNS_SHARE: u32 = 2;

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Whom what a request takes is counted for, as [`shed`] found it; `None`: nobody.
#[derive(Debug, Clone)]
pub(crate) struct Sharer(pub(crate) Option<String>);

/// What decides who is turned away.
pub(crate) struct Shed {
    webhooks: Shares,
    /// Bytes of the bodies of webhooks that are held.
    bodies: Shares,
    body_time: Duration,
    most_waiting: u32,
    memory: Memory,
    watch: Watch,
    strangers: Paces,
    trusted: Vec<IpNet>,
    clock: Arc<dyn Clock>,
    warned: AtomicBool,
}

impl fmt::Debug for Shed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shed").field("trusted", &self.trusted).finish_non_exhaustive()
    }
}

impl Shed {
    /// By these limits; `trusted` are the proxies whose `X-Forwarded-For` is believed.
    pub(crate) fn new(limits: &Limits, watch: Watch, trusted: Vec<IpNet>, clock: Arc<dyn Clock>) -> Self {
        Self {
            webhooks: Shares::of(limits.webhooks),
            bodies: Shares::of(limits.bodies),
            body_time: limits.body_time,
            most_waiting: limits.waiting,
            memory: Memory::of(limits.memory),
            watch,
            strangers: Paces::new(limits.strangers),
            trusted,
            clock,
            warned: AtomicBool::new(false),
        }
    }

    /// The address that a request is counted under; `None` if it cannot be told.
    fn stranger(&self, request: &Request) -> Option<IpAddr> {
        let peer = request.extensions().get::<Peer>()?.0.ip().to_canonical();
        let forwarded = request.headers().contains_key("x-forwarded-for");
        if forwarded && !self.is_trusted(peer) && is_near(peer) {
            if !self.warned.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "requests come by a proxy that server.trusted_proxies does not name: addresses are not told apart"
                );
            }
            return None;
        }
        Some(self.client(peer, request.headers()))
    }

    /// The last address on the way here that is no proxy of ours.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let hops = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = hops.flat_map(|value| value.split(',')).map(str::trim).collect();
        for hop in hops.into_iter().rev() {
            if !self.is_trusted(client) {
                break;
            }
            let Ok(before) = hop.parse::<IpAddr>() else { break };
            client = before.to_canonical();
        }
        client
    }

    /// Whom a request's share is counted for; `None`: nobody, for programs beside ours, a proxy among them, share an address.
    fn sharer(&self, request: &Request) -> Option<String> {
        self.stranger(request).filter(|address| !is_near(*address)).map(network)
    }

    fn is_trusted(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

/// This machine, or a private network.
pub(crate) fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// Whoever has an address of IPv6 has 2⁶⁴ of them.
pub(crate) fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Lets a request through, or turns it away.
pub(crate) async fn shed(State(shed): State<Arc<Shed>>, mut request: Request, next: Next) -> Response {
    let sharer = Sharer(shed.sharer(&request));
    request.extensions_mut().insert(sharer);
    let (path, is_post) = (request.uri().path(), request.method() == Method::POST);
    if !HEALTH.contains(&path) && shed.memory.is_short() {
        metrics::shed("memory");
        let detail = format!("memory runs short; come again in {MEMORY_PAUSE} s");
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(MEMORY_PAUSE).into_response();
    }
    if path.starts_with(WEBHOOKS) && is_post {
        return webhook(&shed, request, next).await;
    }
    if is_post && TURNS.contains(&path) && shed.watch.waiting() > shed.most_waiting / TURNS_SHARE {
        return refuse("queue", QUEUE_PAUSE);
    }
    let Some(address) = shed.stranger(&request) else { return next.run(request).await };
    let stranger = network(address);
    let is_open_door =
        path.starts_with(WEBHOOKS) || path.starts_with(AGENDA) || (path == "/chat/v1/session" && is_post);
    if is_open_door {
        if let Err(wait) = shed.strangers.ask(&stranger, shed.clock.now()) {
            return refuse("address", seconds(wait));
        }
        return next.run(request).await;
    }
    let wants_key = path.starts_with("/v1/") || path.starts_with("/chat/v1/");
    // Programs on this machine share its address: one that has a wrong key must not shut the others out.
    if !wants_key || address.is_loopback() {
        return next.run(request).await;
    }
    if let Err(wait) = shed.strangers.may(&stranger, shed.clock.now()) {
        return refuse("wrong_keys", seconds(wait));
    }
    let response = next.run(request).await;
    if response.status() == StatusCode::UNAUTHORIZED {
        // Counted or not: the next one is looked at before anything is done.
        let _counted = shed.strangers.ask(&stranger, shed.clock.now());
    }
    response
}

/// A webhook takes a place, of which no address has more than its share, and its body has its own time. Whoever showed wrong
/// signatures waits.
async fn webhook(shed: &Shed, mut request: Request, next: Next) -> Response {
    if shed.watch.waiting() > shed.most_waiting {
        return refuse("queue", QUEUE_PAUSE);
    }
    let stranger = shed.sharer(&request);
    if let Some(stranger) = &stranger
        && let Err(wait) = shed.strangers.may(stranger, shed.clock.now())
    {
        return refuse("wrong_keys", seconds(wait));
    }
    let _place = match shed.webhooks.take(stranger.as_deref()) {
        Ok(place) => place,
        Err(NothingLeft::OfOne) => return refuse("address", 1),
        Err(NothingLeft::OfAll) => return refuse("webhooks", 1),
    };
    request.extensions_mut().insert(Room::new(shed.bodies.clone(), stranger.clone(), shed.body_time));
    let response = next.run(request).await;
    if let Some(stranger) = stranger
        && response.status() == StatusCode::UNAUTHORIZED
    {
        let _counted = shed.strangers.ask(&stranger, shed.clock.now());
    }
    response
}

fn seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1)
}

fn refuse(reason: &'static str, seconds: u32) -> Response {
    refusal(reason, seconds).into_response()
}

pub(crate) fn refusal(reason: &'static str, seconds: u32) -> Problem {
    metrics::shed(reason);
    let detail = format!("too many requests; come again in {seconds} s");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after(seconds)
}

#[cfg(test)]
#[path = "shed_tests.rs"]
mod tests;
