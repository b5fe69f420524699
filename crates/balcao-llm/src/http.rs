//! The one place that builds clients for models, and the clocks and sizes that every model call keeps.
//!
//! Not here: what is sent ([`crate::providers`]) and whether to ask again ([`crate::retry`]).

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Url, redirect};
use tokio::time::{Instant, timeout_at};

use crate::error::ModelErrorKind;
use crate::failure;
use crate::failure::Failure;

/// Builds a client: a connect timeout, no redirects, TLS as [`balcao_http`] has it.
///
/// Redirects are answered as an error because keys travel in headers that a redirect would carry to another host.
/// `local` switches off system proxies, for services on this machine. There is no overall timeout: [`Clocks`] are kept by
/// the caller, who knows what arrived so far.
///
/// # Errors
/// The TLS back end or the system's proxy settings cannot be used.
pub fn client(connect: Duration, local: bool) -> Result<Client, reqwest::Error> {
    let builder = balcao_http::builder()
        .connect_timeout(connect)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("balcao/", env!("CARGO_PKG_VERSION")));
    if local { builder.no_proxy() } else { builder }.build()
}

/// Where a service under a base URL answers `path`, and whether that is local: on this machine, or a neighbour on a private
/// network whose name has no dot. `None`: the base is no address, carries a user or a query, or would send a key in the open
/// over `http` to somebody who is not local.
pub(crate) fn endpoint(base: &str, path: &str) -> Option<(Url, bool)> {
    let url = Url::parse(&format!("{}/{path}", base.trim_end_matches('/'))).ok()?;
    let host = url.host_str()?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let local = match bare.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_a_name) => !host.contains('.'),
    };
    let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (plain && (url.scheme() == "https" || (url.scheme() == "http" && local))).then_some((url, local))
}

/// The body of an answer that is one document, `within` a time and no larger than `most` bytes; `what` names it where it is larger.
pub(crate) async fn answer(
    request: RequestBuilder,
    within: Duration,
    most: usize,
    what: &str,
) -> Result<Vec<u8>, Failure> {
    let until = Instant::now() + within;
    let late = |_elapsed| Failure::new(ModelErrorKind::Timeout, "no answer in time");
    let broke = |_source| Failure::new(ModelErrorKind::Network, "the connection broke, or there was none");
    let mut response = timeout_at(until, request.send()).await.map_err(late)?.map_err(broke)?;
    let mut body = Vec::new();
    while let Some(piece) = timeout_at(until, response.chunk()).await.map_err(late)?.map_err(broke)? {
        if body.len().saturating_add(piece.len()) > most {
            return Err(Failure::too_large(what, most));
        }
        body.extend_from_slice(&piece);
    }
    if response.status().is_success() {
        Ok(body)
    } else {
        Err(failure::from_status(response.status().as_u16(), response.headers(), &body))
    }
}

/// How long one model call may take. All are on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// To open a connection.
    pub connect: Duration,
    /// From the start of the call until the first piece of the answer.
    pub first_token: Duration,
    /// Between two pieces of the answer.
    pub stall: Duration,
    /// The whole call, connecting included.
    pub whole: Duration,
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_token: Duration::from_secs(20),
            stall: Duration::from_secs(10),
            whole: Duration::from_secs(30),
        }
    }
}

/// How much of one answer is read, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Visible text (F-51 of the fault list).
    pub text: usize,
    /// All tool calls together, names and arguments.
    pub calls: usize,
    /// A body that is one JSON document, one event of a stream, or an error body.
    pub document: usize,
    /// A whole stream. Larger than `document`: vendors wrap each token in some 300 bytes, and reasoning is streamed too.
    pub stream: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { text: 64 * 1024, calls: 256 * 1024, document: 1024 * 1024, stream: 16 * 1024 * 1024 }
    }
}
