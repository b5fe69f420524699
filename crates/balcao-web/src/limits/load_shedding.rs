//! Turns requests away before any work is done on them, so that a flood cannot take the server down.
//!
//! 429 with `Retry-After`, before the body is read: beyond so many webhooks at once, in all and of one address, beyond so many
//! messages that wait for an answer (half as many for the web chat and the API), and for addresses that knock too often where no key is asked for, or with keys that do not
//! hold; and while it is read: beyond so many bytes of bodies that are held ([`BodyBudget`]). A webhook reads its body itself, after it saw
//! that a signature stands there at all. Channels come again, so nothing is lost. Whatever
//! was let in is treated as ever. 503, for everything but health, while memory runs short.
//!
//! Invariants: health is always answered; what a key of ours opened is not slowed down here but by the key's own limit, except
//! from an address that tries wrong ones; the address of a request is what the connection says, and what a proxy says only if
//! that proxy is configured.

use crate::limits::refusal::refusal;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::context::metrics;
use balcao_domain::Clock;
use ipnet::IpNet;

use crate::limits::FILES;
use crate::limits::Limits;
use crate::limits::body_budget::BodyBudget;
use crate::limits::caller::{Caller, caller, is_private};
use crate::limits::fair_quota::{FairQuota, QuotaExceeded};
use crate::limits::memory_pressure::Memory;
use crate::limits::pace::RateLimiter;
use crate::problem::Problem;

/// Where the webhooks of channels begin.
const WEBHOOKS: &str = "/webhooks/";
const FORWARDED: &str = "x-forwarded-for";
/// The document of the API is large, and anybody's.
const DOCUMENT: &str = "/v1/openapi.json";
const AGENDA: &str = "/agenda/";
pub(crate) const HEALTH: [&str; 2] = ["/healthz", "/readyz"];
/// After so many seconds it is worth coming again when memory runs short.
const MEMORY_PAUSE: u32 = 10;
/// After so many seconds a channel may come again when too much waits.
const QUEUE_PAUSE: u32 = 30;
/// Paths that ask for a turn without a channel. Their clients can retry; a channel that is refused for long drops its messages, and
/// no one sends those again.
const TURNS: [&str; 3] = ["/chat/v1/messages", FILES, "/v1/turn"];
/// It may fill this part of what may wait: one in so many. The rest is for the webhooks of channels.
const TURNS_SHARE: u32 = 2;

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// What decides who is turned away.
pub(crate) struct LoadShedder {
    webhooks: FairQuota,
    /// Bytes of the bodies of webhooks that are held.
    bodies: FairQuota,
    body_time: Duration,
    most_waiting: u32,
    memory: Memory,
    watch: BacklogMonitor,
    strangers: RateLimiter,
    trusted: Vec<IpNet>,
    clock: Arc<dyn Clock>,
    warned: AtomicBool,
    confused: AtomicBool,
}

impl fmt::Debug for LoadShedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shed").field("trusted", &self.trusted).finish_non_exhaustive()
    }
}

impl LoadShedder {
    /// By these limits; `trusted` are the proxies whose `X-Forwarded-For` is believed.
    pub(crate) fn new(limits: &Limits, watch: BacklogMonitor, trusted: Vec<IpNet>, clock: Arc<dyn Clock>) -> Self {
        Self {
            webhooks: FairQuota::with_total(limits.webhooks),
            bodies: FairQuota::with_total(limits.bodies),
            body_time: limits.body_time,
            most_waiting: limits.waiting,
            memory: Memory::with_limit(limits.memory),
            watch,
            strangers: RateLimiter::new(limits.strangers),
            trusted,
            clock,
            warned: AtomicBool::new(false),
            confused: AtomicBool::new(false),
        }
    }

    /// The client that a request comes from.
    fn caller(&self, request: &Request) -> Caller {
        let Some(Peer(peer)) = request.extensions().get::<Peer>() else { return Caller::Many };
        let (peer, headers) = (peer.ip().to_canonical(), request.headers());
        if headers.contains_key(FORWARDED) && !self.is_trusted(peer) && is_private(peer) {
            if !self.warned.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "requests come by a proxy that server.trusted_proxies does not name: addresses are not told apart"
                );
            }
            return Caller::Many;
        }
        let values = headers.get_all(FORWARDED).iter().map(axum::http::HeaderValue::as_bytes);
        let caller = caller(peer, values, |address| self.is_trusted(address));
        if caller == Caller::Unreadable && !self.confused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a proxy that server.trusted_proxies names says nothing that can be read of where requests come from: \
                 all of them are counted as one address"
            );
        }
        caller
    }

    fn is_trusted(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

/// Lets a request through, or turns it away.
pub(crate) async fn shed(State(shed): State<Arc<LoadShedder>>, mut request: Request, next: Next) -> Response {
    let caller = shed.caller(&request);
    request.extensions_mut().insert(caller.sharer());
    let (path, is_post) = (request.uri().path(), request.method() == Method::POST);
    if !HEALTH.contains(&path) && shed.memory.is_short() {
        metrics::shed("memory");
        let detail = format!("memory runs short; come again in {MEMORY_PAUSE} s");
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(MEMORY_PAUSE).into_response();
    }
    if path.starts_with(WEBHOOKS) && is_post {
        return webhook(&shed, caller, request, next).await;
    }
    if is_post && TURNS.contains(&path) && shed.watch.waiting() > shed.most_waiting / TURNS_SHARE {
        return refuse("queue", QUEUE_PAUSE);
    }
    let Some(stranger) = caller.name() else { return next.run(request).await };
    let is_open_door = path.starts_with(WEBHOOKS)
        || path.starts_with(AGENDA)
        || path == DOCUMENT
        || (path == "/chat/v1/session" && is_post);
    if is_open_door {
        let (now, sharer, pace) = (shed.clock.now(), caller.sharer(), shed.strangers.pace());
        // Near addresses have no share; how often each asks is counted all the same.
        let asked = match sharer.own() {
            Some(_) => shed.strangers.ask_all(&sharer.paced(pace), now),
            None => shed.strangers.ask(&stranger, now),
        };
        if let Err(wait) = asked {
            return refuse("address", seconds(wait));
        }
        return next.run(request).await;
    }
    let wants_key = path.starts_with("/v1/") || path.starts_with("/chat/v1/");
    // Programs on this machine share its address: one that has a wrong key must not shut the others out.
    if !wants_key || matches!(caller, Caller::At(address) if address.is_loopback()) {
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

/// A webhook takes a place, of which no address has more than its share, and its body has its own time. A client that showed wrong
/// signatures waits.
async fn webhook(shed: &LoadShedder, caller: Caller, mut request: Request, next: Next) -> Response {
    if shed.watch.waiting() > shed.most_waiting {
        return refuse("queue", QUEUE_PAUSE);
    }
    let sharer = caller.sharer();
    if let Some(stranger) = sharer.own()
        && let Err(wait) = shed.strangers.may(stranger, shed.clock.now())
    {
        return refuse("wrong_keys", seconds(wait));
    }
    let _place = match shed.webhooks.take(&sharer) {
        Ok(place) => place,
        Err(QuotaExceeded::PerClient) => return refuse("address", 1),
        Err(QuotaExceeded::Total) => return refuse("webhooks", 1),
    };
    request.extensions_mut().insert(BodyBudget::new(shed.bodies.clone(), sharer.clone(), shed.body_time));
    let response = next.run(request).await;
    if let Some(stranger) = sharer.own()
        && response.status() == StatusCode::UNAUTHORIZED
    {
        let _counted = shed.strangers.ask(stranger, shed.clock.now());
    }
    response
}

fn seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1)
}

fn refuse(reason: &'static str, seconds: u32) -> Response {
    refusal(reason, seconds).into_response()
}

#[cfg(test)]
#[path = "load_shedding_tests.rs"]
mod tests;
