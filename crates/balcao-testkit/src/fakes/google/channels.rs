//! Push channels, and the notifications that the service owes them.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::shape::{Query, keys, object};
use super::state::{Refusal, State};
use crate::fakes::http::Request;

/// How long a channel lives if the client does not say.
const LIVES_S: i64 = 604_800;

/// A notification: a `POST` without a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where it goes.
    pub address: String,
    /// `X-Goog-…`, in the order of the documentation.
    pub headers: Vec<(String, String)>,
}

impl Notice {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Sends it to an address that begins with `http://`, and gives the status of the answer.
    ///
    /// # Errors
    /// There is no answer, or the address is one of TLS.
    pub fn deliver(&self) -> std::io::Result<u16> {
        let odd = || std::io::Error::other(format!("invalid address `{}`; expected http://host:port/…", self.address));
        let rest = self.address.strip_prefix("http://").ok_or_else(odd)?;
        let (host, path) = rest.split_once('/').ok_or_else(odd)?;
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut stream = TcpStream::connect(host)?;
        let head =
            format!("POST /{path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(odd)
    }
}

#[derive(Debug)]
struct Channel {
    calendar: String,
    resource: String,
    address: String,
    token: Option<String>,
    until: Timestamp,
    number: u64,
}

/// What is watched.
#[derive(Debug, Default)]
pub(super) struct Channels {
    open: BTreeMap<String, Channel>,
    pub(super) notices: Vec<Notice>,
}

impl Channels {
    /// Owes every living channel of a calendar a notification.
    pub(super) fn note_change(&mut self, calendar: &str, now: Timestamp) {
        let watching = self.open.iter_mut().filter(|(_, one)| one.calendar == calendar && now < one.until);
        let due: Vec<Notice> = watching.map(|(id, channel)| notice(id, channel, "exists")).collect();
        self.notices.extend(due);
    }

    /// The ids of channels that live.
    pub(super) fn living(&self, now: Timestamp) -> Vec<String> {
        self.open.iter().filter(|(_, one)| now < one.until).map(|(id, _)| id.clone()).collect()
    }
}

fn notice(id: &str, channel: &mut Channel, state: &str) -> Notice {
    // The numbers grow, with gaps.
    channel.number += if state == "sync" { 1 } else { 3 };
    let pair = |name: &str, value: &str| (format!("X-Goog-{name}"), value.to_owned());
    let mut headers = vec![
        pair("Channel-ID", id),
        pair("Resource-ID", &channel.resource),
        pair("Resource-State", state),
        pair(
            "Resource-URI",
            &format!("https://www.googleapis.com/calendar/v3/calendars/{}/events?alt=json", channel.calendar),
        ),
        pair("Message-Number", &channel.number.to_string()),
        pair("Channel-Expiration", &channel.until.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    ];
    if let Some(token) = &channel.token {
        headers.insert(1, pair("Channel-Token", token));
    }
    Notice { address: channel.address.clone(), headers }
}

/// `POST …/events/watch`.
pub(super) fn watch(state: &mut State, calendar: &str, query: &Query, request: &Request) -> Result<Value, Refusal> {
    query.only(&["eventTypes"])?;
    let body = object(request)?;
    keys(&body, &["id", "type", "address", "token", "params", "expiration", "payload"], &["id", "type", "address"])?;
    state.calendar(calendar)?;
    let text = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (id, address, calendar) = (text("id"), text("address"), state.resolved(calendar));
    let fine = |one: char| one.is_ascii_alphanumeric() || "-_+/=".contains(one);
    if id.len() > 64 || !id.chars().all(fine) {
        return Err(Refusal::invalid("Invalid channel id"));
    }
    if state.channels.open.contains_key(&id) {
        return Err(Refusal::new(400, "channelIdNotUnique", format!("Channel id {id} not unique")));
    }
    if text("type") != "web_hook" {
        return Err(Refusal::invalid("Unknown channel type"));
    }
    // The real service takes HTTPS alone; a test has no certificate.
    if !address.starts_with("https://") && !address.starts_with("http://127.0.0.1:") {
        return Err(Refusal::new(400, "push.webhookUrlNotHttps", "WebHook callback must be HTTPS"));
    }
    let token = body.get("token").and_then(Value::as_str).map(str::to_owned);
    if token.as_ref().is_some_and(|token| token.len() > 256) {
        return Err(Refusal::invalid("The channel token has more than 256 characters"));
    }
    let ttl = body.get("params").and_then(|params| params.get("ttl"));
    let ttl = match ttl {
        None => LIVES_S,
        Some(ttl) => {
            let read = ttl.as_str().and_then(|ttl| ttl.parse().ok()).filter(|ttl| (1..=LIVES_S).contains(ttl));
            read.ok_or_else(|| Refusal::invalid("Invalid ttl; expected a text of seconds"))?
        }
    };
    let until = state.now().saturating_add(SignedDuration::from_secs(ttl)).unwrap_or(Timestamp::MAX);
    let resource = state.fresh("o3hgv1538sdjfh");
    let mut channel = Channel { calendar, resource: resource.clone(), address, token: token.clone(), until, number: 0 };
    let first = notice(&id, &mut channel, "sync");
    state.channels.notices.push(first);
    state.channels.open.insert(id.clone(), channel);
    let mut answer = json!({ "kind": "api#channel", "id": id, "resourceId": resource,
        "resourceUri": "https://www.googleapis.com/calendar/v3/calendars", "expiration": until.as_millisecond().to_string() });
    if let Some(token) = token {
        answer["token"] = json!(token);
    }
    Ok(answer)
}

/// `POST …/channels/stop`.
pub(super) fn stop(state: &mut State, query: &Query, request: &Request) -> Result<Value, Refusal> {
    query.only(&[])?;
    let body = object(request)?;
    keys(&body, &["id", "resourceId"], &["id", "resourceId"])?;
    let id = body.get("id").and_then(Value::as_str).unwrap_or_default();
    let now = state.now();
    let living = state.channels.open.get(id).filter(|one| now < one.until);
    let is_it = living.is_some_and(|one| body.get("resourceId").and_then(Value::as_str) == Some(&one.resource));
    if !is_it {
        return Err(Refusal::new(404, "notFound", format!("Channel '{id}' not found for project")));
    }
    state.channels.open.remove(id);
    Ok(Value::Null)
}
