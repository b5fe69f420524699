//! Outgoing webhooks: one signed request to an address outside, as <https://www.standardwebhooks.com> demands.
//!
//! Invariants: a request goes to a public address over TLS, whatever a name resolves to at that moment, unless the operator
//! allowed otherwise for this endpoint; redirects are not followed; the signature covers id, time and the bytes that are sent.
//!
//! Not here: when to try again, and what is sent (`balcao-app`).

mod guard;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, StatusCode, Url, redirect};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::Sha256;

use guard::Guarded;

/// What a secret in text form begins with; base64 follows.
const MARK: &str = "whsec_";
/// Bytes of a secret.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
const CONNECT: Duration = Duration::from_secs(5);
/// A request, its answer's head included.
const WHOLE: Duration = Duration::from_secs(15);

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// No address.
    #[error("invalid address `{url}`: {reason}")]
    Address {
        /// As given.
        url: String,
        /// Why.
        reason: String,
    },
    /// It is not `https`.
    #[error("`{url}` must begin with https://; allow_private = true permits http:// to a machine of your own")]
    NotSecure {
        /// As given.
        url: String,
    },
    /// It leads into a private network.
    #[error("`{url}` leads to this machine or into a private network; allow_private = true permits that")]
    Private {
        /// As given.
        url: String,
    },
    /// The secret is none.
    #[error("the secret must be {MARK} and base64 of 24 to 64 bytes, for example from `openssl rand -base64 32`")]
    Secret,
    /// No client.
    #[error("a client could not be built: {0}")]
    Client(#[from] reqwest::Error),
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivered {
    /// It was taken.
    Taken,
    /// It may be tried again, not before so long.
    Again {
        /// How long to wait at least, if the endpoint said so.
        after: Option<Duration>,
        /// Why, for staff.
        reason: String,
    },
    /// No answer came; it may be tried again.
    Unreached {
        /// Why, for the operator alone: others could learn from it which names and ports there are inside.
        cause: String,
    },
    /// It is not wanted any more.
    Gone {
        /// Why, for staff.
        reason: String,
    },
}

/// An outside address that receives events.
#[derive(Debug)]
pub struct Endpoint {
    url: Url,
    secret: SecretSlice<u8>,
    client: Client,
}

impl Endpoint {
    /// An endpoint at this address, with this secret. `allow_private` permits plain HTTP and private networks.
    ///
    /// # Errors
    /// [`EndpointError`] says what to change.
    pub fn new(url: &str, secret: &SecretString, allow_private: bool) -> Result<Self, EndpointError> {
        let parsed = Url::parse(url)
            .map_err(|error| EndpointError::Address { url: url.to_owned(), reason: error.to_string() })?;
        let address = |reason: &str| EndpointError::Address { url: url.to_owned(), reason: reason.to_owned() };
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(address("leave user and password out, the signature says who sends"));
        }
        match (parsed.scheme(), allow_private) {
            ("https", _) | ("http", true) => {}
            ("http", false) => return Err(EndpointError::NotSecure { url: url.to_owned() }),
            _ => return Err(address("write https://…")),
        }
        let host = parsed.host_str().ok_or_else(|| address("it has no host"))?;
        if !allow_private && guard::is_private_host(host) {
            return Err(EndpointError::Private { url: url.to_owned() });
        }
        let builder = balcao_http::builder()
            .connect_timeout(CONNECT)
            .timeout(WHOLE)
            .redirect(redirect::Policy::none())
            // A proxy would resolve names for us, and unguarded.
            .no_proxy()
            .user_agent(concat!("balcao/", env!("CARGO_PKG_VERSION")));
        let builder = if allow_private { builder } else { builder.dns_resolver(Guarded) };
        Ok(Self { url: parsed, secret: secret_bytes(secret)?, client: builder.build()? })
    }

    /// Tells it of something, once. `id` is the same at every attempt, so that the endpoint can tell repeats apart.
    pub async fn deliver(&self, id: &str, body: &str, now: Timestamp) -> Delivered {
        let timestamp = now.as_second().to_string();
        let Some(signature) = self.sign(id, &timestamp, body) else {
            return Delivered::Gone { reason: "it cannot be signed".to_owned() };
        };
        let request = self
            .client
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(body.to_owned());
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Delivered::Taken,
            Ok(answer) if answer.status() == StatusCode::GONE => {
                Delivered::Gone { reason: "the endpoint answered 410: it wants no more".to_owned() }
            }
            Ok(answer) => {
                let after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
                let reason = format!("the endpoint answered {}", answer.status().as_u16());
                Delivered::Again { after: after.map(Duration::from_secs), reason }
            }
            // Without the address: its query may hold a key.
            Err(error) => Delivered::Unreached { cause: in_words(&error.without_url()) },
        }
    }

    /// `v1,` and base64 of HMAC-SHA-256 over id, time and body.
    fn sign(&self, id: &str, timestamp: &str, body: &str) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.expose_secret()).ok()?;
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

fn secret_bytes(secret: &SecretString) -> Result<SecretSlice<u8>, EndpointError> {
    let text = secret.expose_secret().trim();
    let bytes = STANDARD.decode(text.strip_prefix(MARK).unwrap_or(text)).ok();
    let bytes = bytes.filter(|bytes| SECRET_BYTES.contains(&bytes.len())).ok_or(EndpointError::Secret)?;
    Ok(SecretSlice::from(bytes))
}

/// An error with its causes.
fn in_words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let words: Vec<String> = std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect();
    words.join(": ")
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
