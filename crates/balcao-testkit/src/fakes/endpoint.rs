//! An endpoint that takes outgoing webhooks, and only such as Standard Webhooks allows.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::http::{Reply, Request, Server};

/// The secret that everything must be signed with.
pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A request that was as it must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: i64,
    /// The body.
    pub body: Value,
}

#[derive(Debug, Default)]
struct Seen {
    received: Vec<Received>,
    complaints: Vec<String>,
    next: VecDeque<u16>,
}

/// An endpoint on 127.0.0.1.
#[derive(Debug)]
pub struct FakeEndpoint {
    server: Server,
    seen: Arc<Mutex<Seen>>,
}

impl FakeEndpoint {
    /// Starts one.
    ///
    /// # Errors
    /// No port is free.
    pub fn start() -> std::io::Result<Self> {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let kept = Arc::clone(&seen);
        let server = Server::start(move |request| answer(&request, &mut lock(&kept)))?;
        Ok(Self { server, seen })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/hook", self.server.url())
    }

    /// The next requests are answered with these; after them 204.
    pub fn next(&self, statuses: impl IntoIterator<Item = u16>) {
        lock(&self.seen).next.extend(statuses);
    }

    /// What came, in order, also what was answered with an error.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        lock(&self.seen).received.clone()
    }

    /// What was not as it must be.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        lock(&self.seen).complaints.clone()
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(request: &Request, seen: &mut Seen) -> Reply {
    let empty = |status| Reply::Whole(status, "text/plain".to_owned(), Vec::new());
    match read(request) {
        Ok(received) => {
            seen.received.push(received);
            empty(seen.next.pop_front().unwrap_or(204))
        }
        Err(complaint) => {
            seen.complaints.push(complaint);
            empty(400)
        }
    }
}

fn read(request: &Request) -> Result<Received, String> {
    if (request.method.as_str(), request.target.as_str()) != ("POST", "/hook") {
        return Err(format!("{} {} is not taken", request.method, request.target));
    }
    if request.header("content-type") != Some("application/json") {
        return Err(format!("the type is {:?}", request.header("content-type")));
    }
    let header =
        |name: &str| request.header(name).map(str::to_owned).ok_or_else(|| format!("header {name} is missing"));
    let (id, timestamp, signature) =
        (header("webhook-id")?, header("webhook-timestamp")?, header("webhook-signature")?);
    let key = STANDARD.decode(SECRET.trim_start_matches("whsec_")).map_err(|error| error.to_string())?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|error| error.to_string())?;
    mac.update([id.as_bytes(), b".", timestamp.as_bytes(), b".", &request.body].concat().as_slice());
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    if !signature.split(' ').any(|one| one == expected) {
        return Err(format!("the signature {signature} does not hold"));
    }
    let body: Value = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
    let is_named = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    if !["type", "timestamp", "data"].iter().all(|name| is_named(name)) {
        return Err(format!("{body} lacks type, timestamp or data"));
    }
    if request.body.len() > 20 * 1024 {
        return Err("the body is larger than 20 KiB".to_owned());
    }
    Ok(Received { id, timestamp: timestamp.parse().map_err(|_odd| format!("invalid time {timestamp}"))?, body })
}
