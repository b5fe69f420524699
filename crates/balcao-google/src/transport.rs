//! One request over HTTP, within its time and its bytes. What the answer means is decided elsewhere.

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, RequestBuilder};
use tokio::time::{Instant, timeout_at};

use crate::addresses::Addresses;
use crate::limits::Limits;

/// A client that reaches what [`Addresses`] permit.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    pub(crate) client: Client,
    pub(crate) limits: Limits,
}

/// An answer that came whole, or an error's answer as far as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// What `Retry-After` says.
    pub(crate) retry_after_ms: Option<u64>,
    /// The service's clock.
    pub(crate) date: Option<Timestamp>,
    pub(crate) body: Vec<u8>,
}

/// A request without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Silence {
    /// It was not sent.
    NotSent(&'static str),
    /// It may have been read, and may have been carried out.
    Lost(&'static str),
}

impl Transport {
    pub(crate) fn new(addresses: &Addresses, limits: Limits) -> Result<Self, reqwest::Error> {
        let client = addresses.egress().client(limits.connect, addresses.is_plain())?;
        Ok(Self { client, limits })
    }

    /// Sends, and reads the answer until `until`.
    pub(crate) async fn send(&self, request: RequestBuilder, until: Instant) -> Result<Answer, Silence> {
        let mut response = match timeout_at(until, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(cause)) if cause.is_connect() || cause.is_builder() => {
                return Err(Silence::NotSent("no connection"));
            }
            Ok(Err(_cause)) => return Err(Silence::Lost("the connection ended before an answer")),
            Err(_elapsed) => return Err(Silence::Lost("no answer in time")),
        };
        let status = response.status().as_u16();
        let (retry_after_ms, date) = (retry_after(response.headers()), date(response.headers()));
        let mut body = Vec::new();
        let broken = loop {
            match timeout_at(until, response.chunk()).await {
                Ok(Ok(None)) => break None,
                Ok(Ok(Some(piece))) if body.len().saturating_add(piece.len()) > self.limits.bytes => {
                    break Some("the answer is too large");
                }
                Ok(Ok(Some(piece))) => body.extend_from_slice(&piece),
                Ok(Err(_cause)) => break Some("the connection ended within the answer"),
                Err(_elapsed) => break Some("the answer did not end in time"),
            }
        };
        match broken {
            // The status of a refusal says enough without its words.
            Some(why) if status < 300 => Err(Silence::Lost(why)),
            _ => Ok(Answer { status, retry_after_ms, date, body }),
        }
    }
}

/// Seconds; a date is not read, because no clock is at hand that the service shares.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let seconds: u64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    seconds.checked_mul(1_000)
}

fn date(headers: &HeaderMap) -> Option<Timestamp> {
    rfc2822::parse(headers.get(DATE)?.to_str().ok()?).ok().map(|at| at.timestamp())
}
