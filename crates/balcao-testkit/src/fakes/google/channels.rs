//! How push channels are opened and stopped.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::notices::{Channel, notice};
use super::refusal::Refusal;
use super::shape::{Query, keys, object};
use super::state::State;
use crate::fakes::http::Request;

/// How long a channel lives if the client does not say.
const LIVES_S: i64 = 604_800;

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
