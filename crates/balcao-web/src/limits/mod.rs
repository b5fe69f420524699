//! Every limit of the server, in one place.

pub(crate) mod body;
pub(crate) mod body_budget;
pub(crate) mod caller;
pub(crate) mod connection;
pub(crate) mod fair_quota;
pub(crate) mod load_shedding;
pub(crate) mod memory_pressure;
pub(crate) mod pace;
mod refusal;

use std::time::Duration;

use balcao_app::context::request_rate::RequestRate;

/// Where a visitor sends a file.
pub(crate) const FILES: &str = "/chat/v1/files";

/// How long a body may take to come, also that of a request which then waits for a turn.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);

/// The limits of the server. All are on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest body of a request that names no limit of its own, in bytes.
    pub body: usize,
    /// All headers of a request together, in bytes; at least 8,192.
    pub headers: usize,
    /// How many headers.
    pub header_count: usize,
    /// How long the headers of a request may take, also until the next request of a connection begins.
    pub header_time: Duration,
    /// How long the body of a webhook may take to come: less than [`Limits::request_time`], or that is over first.
    pub body_time: Duration,
    /// How long a request may take, its body included.
    pub request_time: Duration,
    /// How long a request may take that waits for a turn: `POST /v1/turn`.
    pub turn_time: Duration,
    /// How long a request may take that brings a file of a visitor of the web chat: longer than the largest file needs that comes at
    /// [`Limits::body_speed`], for telephones are slow.
    pub file_time: Duration,
    /// How long a body may be waited for whatever comes of it; then it must come at [`Limits::body_speed`].
    pub body_grace: Duration,
    /// Bytes of a body that must come in a second of waiting for it.
    pub body_speed: usize,
    /// Bytes of an answer that must be taken within [`Limits::answer_time`] while more is there.
    pub answer_bytes: usize,
    /// How long an answer may wait to be taken before so few were.
    pub answer_time: Duration,
    /// Connections at the same time. Those beyond may ask for health alone; those beyond the part of an address or a network are
    /// closed.
    pub connections: usize,
    /// Webhooks that are taken in at the same time, an eighth of them for one address. Further ones get 429.
    pub webhooks: usize,
    /// Bytes that the bodies of webhooks may take at the same time, until they are answered.
    pub bodies: usize,
    /// Messages that may wait for an answer before webhooks get 429; the web chat and the API get it at half of them.
    pub waiting: u32,
    /// How many bytes of memory the program may use: beyond four fifths of it nothing new is taken in. `None`: what the container
    /// allows, if it says.
    pub memory: Option<u64>,
    /// How fast one address may ask where no key is wanted, and how fast it may try keys that do not hold.
    pub strangers: RequestRate,
    /// How long requests may go on after the program received the signal to stop.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 1024 * 1024,
            headers: 16 * 1024,
            header_count: 64,
            header_time: Duration::from_secs(15),
            body_time: BODY_TIME,
            request_time: Duration::from_secs(30),
            turn_time: Duration::from_secs(150),
            file_time: Duration::from_secs(700),
            body_grace: BODY_TIME,
            body_speed: 8 * 1024,
            answer_bytes: 30 * 1024,
            answer_time: Duration::from_secs(30),
            connections: 1024,
            webhooks: 256,
            bodies: 64 * 1024 * 1024,
            waiting: 20_000,
            memory: None,
            strangers: RequestRate { burst: 30, every: Duration::from_secs(1) },
            drain: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// How long a request of this path may take.
    #[must_use]
    pub fn time_for(&self, path: &str) -> Duration {
        match path {
            "/v1/turn" => self.turn_time,
            FILES => self.file_time,
            _ => self.request_time,
        }
    }
}
