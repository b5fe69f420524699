//! A service as its author describes it: where it is, how to prove who we are, how much it bears, how it words its errors.
//!
//! Nothing here is secret: what is, is named by `{settings.name}` and given as [`Settings`](crate::Settings) when the connection is opened.

mod check;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::FailureKind,
    problem::{self, Problem},
    webhook::Deliveries,
};

pub(crate) use check::address;

/// Where a service is and how it wants to be called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// What every path is put behind, such as `https://api.example.com/v2`. May hold `{settings.name}`.
    pub base_url: String,
    /// Further hosts that answers and redirects may lead to. The host of `base_url` is always allowed.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// How to prove who we are.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Headers of every request. May hold `{settings.name}`, but no secrets.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How much the service bears.
    #[serde(default)]
    pub rate_limit: Option<RateLimit>,
    /// How often to ask again.
    #[serde(default)]
    pub retry: Retry,
    /// The header by which the service tells a repeated request from a second one.
    #[serde(default)]
    pub idempotency_header: Option<String>,
    /// How the service words its errors.
    #[serde(default)]
    pub errors: Errors,
    /// How the service signs what it sends on its own.
    #[serde(default)]
    pub deliveries: Option<Deliveries>,
    /// How long a call may take, repeats and further pages included.
    #[serde(default = "ten_seconds")]
    #[schemars(range(min = 100, max = 120_000))]
    pub timeout_ms: u64,
    /// How long opening a connection may take.
    #[serde(default = "five_seconds")]
    #[schemars(range(min = 100, max = 30_000))]
    pub connect_timeout_ms: u64,
    /// Largest answer that is read, in bytes, after it was unpacked.
    #[serde(default = "one_mebibyte")]
    #[schemars(range(min = 1_024, max = 16_777_216))]
    pub max_response_bytes: usize,
    /// Redirects that a read may follow: to allowed hosts only, and without credentials to another origin.
    #[serde(default)]
    #[schemars(range(max = 3))]
    pub redirects: u8,
}

const fn ten_seconds() -> u64 {
    10_000
}
const fn five_seconds() -> u64 {
    5_000
}
const fn one_mebibyte() -> usize {
    1 << 20
}

/// How to prove who we are: one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// `Authorization: Bearer …`.
    #[serde(default)]
    pub bearer: Option<String>,
    /// Any header.
    #[serde(default)]
    pub header: Option<HeaderAuth>,
    /// User and password (RFC 7617).
    #[serde(default)]
    pub basic: Option<BasicAuth>,
    /// A refresh token that is traded for access tokens (RFC 6749 §6).
    #[serde(default)]
    pub oauth2_refresh: Option<OAuth2Refresh>,
    /// A Google service account: what its key signs is traded for access tokens (RFC 7523).
    #[serde(default)]
    pub google_service_account: Option<ServiceAccount>,
}

/// A header that holds the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeaderAuth {
    /// Its name.
    pub name: String,
    /// Its value, such as `{settings.token}`.
    pub value: String,
}

/// User and password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    /// The user.
    pub user: String,
    /// The password, such as `{settings.password}`.
    pub password: String,
}

/// What a refresh token is traded with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OAuth2Refresh {
    /// Where. Its host counts as allowed.
    pub token_url: String,
    /// The client's id.
    pub client_id: String,
    /// The client's secret, if it has one.
    #[serde(default)]
    pub client_secret: Option<String>,
    /// The refresh token, such as `{settings.refresh_token}`.
    pub refresh_token: String,
    /// What to ask for; not stated: what was granted.
    #[serde(default)]
    pub scope: Option<String>,
}

/// A Google service account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceAccount {
    /// Its key file, whole, such as `{settings.key}`.
    pub key: String,
    /// What to ask for, separated by spaces, such as `https://www.googleapis.com/auth/calendar`.
    pub scope: String,
    /// For whom it acts, where its owner delegated a domain to it, such as `{settings.user}`.
    #[serde(default)]
    pub subject: Option<String>,
    /// Where. Its host counts as allowed; the key file must name the same.
    #[serde(default = "google_token_url")]
    pub token_url: String,
}

fn google_token_url() -> String {
    "https://oauth2.googleapis.com/token".to_owned()
}

/// How much a service bears, for all calls of an account together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Requests in a span: a number, or a setting such as `{settings.requests_per_minute}`.
    pub requests: Value,
    /// The span.
    #[schemars(range(min = 1, max = 86_400))]
    pub per_s: u32,
    /// In which headers the service tells what is left.
    #[serde(default)]
    pub headers: LimitHeaders,
}

/// The headers in which a service tells what is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitHeaders {
    /// Requests that are left in this span.
    pub remaining: String,
    /// When the span ends.
    pub reset: String,
    /// What the end is told in.
    pub reset_in: ResetIn,
}

impl Default for LimitHeaders {
    fn default() -> Self {
        Self {
            remaining: "X-RateLimit-Remaining".to_owned(),
            reset: "X-RateLimit-Reset".to_owned(),
            reset_in: ResetIn::UnixSeconds,
        }
    }
}

/// What the end of a span is told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResetIn {
    /// Seconds since 1970.
    UnixSeconds,
    /// Milliseconds since 1970.
    UnixMilliseconds,
    /// Seconds from now.
    Seconds,
}

/// How often to ask again where that may help and cannot do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// Attempts in all.
    #[schemars(range(min = 1, max = 6))]
    pub attempts: u32,
    /// Longest wait before the second attempt; each further one doubles it. Half of it is fixed, half is jitter.
    #[schemars(range(min = 1, max = 60_000))]
    pub base_ms: u64,
    /// No wait is longer, unless the service asks for it.
    #[schemars(range(min = 1, max = 120_000))]
    pub max_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, base_ms: 500, max_ms: 8_000 }
    }
}

/// How a service words its errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Errors {
    /// JSON pointer to the code in an error's body.
    pub code: Option<String>,
    /// JSON pointer to the sentence for people: staff read it, a model never.
    pub message: Option<String>,
    /// What certain codes mean, where the status says less.
    pub codes: BTreeMap<String, FailureKind>,
}

impl Connection {
    /// The JSON Schema, for editors and to be part of another schema.
    #[must_use]
    pub fn schema() -> Value {
        problem::schema_of::<Self>()
    }

    /// Reads a connection from YAML's or JSON's values.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and what would be right.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        let read: Self = problem::read(value)?;
        let problems = read.problems();
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
