//! A service as its author describes it: where it is, how to prove who we are, how much it bears, how it words its errors.
//!
//! Nothing here is secret: what is, is named by `{settings.name}` and given as [`Settings`](crate::Settings) when the connection is opened.

use std::collections::BTreeMap;

use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::FailureKind,
    problem::{self, Problem, escape},
    template::Text,
    webhook::Deliveries,
};

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

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        check_base(&self.base_url, &mut problems);
        for (index, host) in self.hosts.iter().enumerate() {
            let read = Url::parse(&format!("https://{host}/")).ok();
            if read.is_none_or(|url| url.host_str() != Some(host.as_str())) {
                let at = format!("/hosts/{index}");
                problems
                    .push(Problem::new(at, format!("`{host}` is no host")).suggest("write it as `files.example.com`"));
            }
        }
        for (name, value) in &self.headers {
            let at = format!("/headers/{}", escape(name));
            check_header_name(name, &at, &mut problems);
            only_settings(value, &at, &mut problems);
        }
        if let Some(name) = &self.idempotency_header {
            check_header_name(name, "/idempotency_header", &mut problems);
        }
        if let Some(auth) = &self.auth {
            auth.check(&mut problems);
        }
        self.check_limit(&mut problems);
        if let Some(deliveries) = &self.deliveries {
            problems.extend(deliveries.problems().into_iter().map(|problem| problem.below("/deliveries")));
        }
        for (key, pointer) in [("code", &self.errors.code), ("message", &self.errors.message)] {
            check_pointer(pointer.as_deref(), &format!("/errors/{key}"), &mut problems);
        }
        problems
    }

    fn check_limit(&self, problems: &mut Vec<Problem>) {
        let Some(limit) = &self.rate_limit else { return };
        let at = "/rate_limit/requests";
        let fine = limit.requests.as_u64().is_some_and(|requests| (1..=1_000_000).contains(&requests));
        match limit.requests.as_str() {
            Some(text) => only_settings(text, at, problems),
            None if fine => {}
            None => problems.push(
                Problem::new(at, format!("`{}` is no number of requests", limit.requests))
                    .suggest("write a number from 1 to 1000000, or `{settings.requests_per_minute}`"),
            ),
        }
        check_header_name(&limit.headers.remaining, "/rate_limit/headers/remaining", problems);
        check_header_name(&limit.headers.reset, "/rate_limit/headers/reset", problems);
    }
}

impl Auth {
    fn check(&self, problems: &mut Vec<Problem>) {
        let ways = [self.bearer.is_some(), self.header.is_some(), self.basic.is_some(), self.oauth2_refresh.is_some()];
        let count = ways.into_iter().filter(|there| *there).count();
        if count != 1 {
            let message = format!("{count} ways to prove who we are");
            problems.push(Problem::new("/auth", message).suggest("keep one of bearer, header, basic, oauth2_refresh"));
        }
        let mut secret = |text: &Option<&str>, at: &str| {
            let Some(text) = text else { return };
            only_settings(text, at, problems);
            if Text::parse(text).is_ok_and(|text| text.holes().next().is_none()) {
                problems.push(
                    Problem::new(at, "a secret must not stand here")
                        .suggest("declare a setting and write `{settings.token}`"),
                );
            }
        };
        secret(&self.bearer.as_deref(), "/auth/bearer");
        secret(&self.header.as_ref().map(|auth| auth.value.as_str()), "/auth/header/value");
        secret(&self.basic.as_ref().map(|auth| auth.password.as_str()), "/auth/basic/password");
        let oauth = self.oauth2_refresh.as_ref();
        secret(&oauth.map(|auth| auth.refresh_token.as_str()), "/auth/oauth2_refresh/refresh_token");
        secret(&oauth.and_then(|auth| auth.client_secret.as_deref()), "/auth/oauth2_refresh/client_secret");
        if let Some(auth) = oauth {
            check_url(&auth.token_url, "/auth/oauth2_refresh/token_url", problems);
            only_settings(&auth.client_id, "/auth/oauth2_refresh/client_id", problems);
        }
        if let Some(auth) = &self.basic {
            only_settings(&auth.user, "/auth/basic/user", problems);
        }
        if let Some(auth) = &self.header {
            check_header_name(&auth.name, "/auth/header/name", problems);
        }
    }
}

/// A base that a setting gives whole, or that names its host itself: no setting may decide part of a host.
fn check_base(base: &str, problems: &mut Vec<Problem>) {
    only_settings(base, "/base_url", problems);
    let whole = base.starts_with("{settings.") && base.ends_with('}') && base.matches('{').count() == 1;
    let authority = base.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(rest));
    if whole {
        return;
    }
    if authority.contains('{') {
        problems.push(
            Problem::new("/base_url", "a setting must not be part of the host")
                .suggest("write the host out, or give the whole address by one setting"),
        );
        return;
    }
    check_url(base, "/base_url", problems);
}

fn check_url(text: &str, at: &str, problems: &mut Vec<Problem>) {
    if let Err(message) = address(text) {
        problems.push(Problem::new(at, message).suggest("write it as `https://api.example.com/v2`"));
    }
}

/// An address that requests may go to, without user, query and fragment.
pub(crate) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is no address: {error}"))?;
    let fault = if !matches!(url.scheme(), "https" | "http") {
        "it must begin with https://"
    } else if !url.username().is_empty() || url.password().is_some() {
        "user and password do not belong into it"
    } else if url.query().is_some() || url.fragment().is_some() {
        "it must not have a query or a fragment"
    } else if url.host_str().is_none_or(|host| host.ends_with('.')) {
        "its host must not end with a dot"
    } else {
        return Ok(url);
    };
    // Without the address: a setting may hold a password in it.
    Err(format!("this is no address for requests: {fault}"))
}

fn only_settings(text: &str, at: &str, problems: &mut Vec<Problem>) {
    match Text::parse(text) {
        Err(message) => problems.push(Problem::new(at, message)),
        Ok(text) => {
            for hole in text.holes().filter(|hole| hole.first() != "settings" || hole.0.len() < 2) {
                let name = hole.0.join(".");
                problems.push(
                    Problem::new(at, format!("`{{{name}}}` is not known here: a connection has no arguments"))
                        .suggest(format!("write `{{settings.{name}}}`")),
                );
            }
        }
    }
}

pub(crate) fn check_header_name(name: &str, at: &str, problems: &mut Vec<Problem>) {
    const OURS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];
    if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
        problems.push(Problem::new(at, format!("`{name}` is no header's name")));
    } else if OURS.contains(&name.to_ascii_lowercase().as_str()) {
        problems.push(Problem::new(at, format!("`{name}` is set by the client itself")).suggest("leave it out"));
    }
}

pub(crate) fn check_pointer(pointer: Option<&str>, at: &str, problems: &mut Vec<Problem>) {
    if let Some(pointer) = pointer.filter(|pointer| !pointer.is_empty() && !pointer.starts_with('/')) {
        let message = format!("`{pointer}` is no JSON pointer");
        problems.push(Problem::new(at, message).suggest(format!("write `/{}`", pointer.replace('.', "/"))));
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
