//! From a request to its answer: which method it is, whether the caller may use it, and what goes wrong on demand.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::events::{self, Got, Write};
use super::faults::{Call, Fault, ProgramEnd};
use super::refusal::Refusal;
use super::shape::Query;
use super::state::State;
use super::{Asked, Inner, channels, consent, free_busy, listing};
use crate::fakes::http::{Reply, Request, decode};

/// A request that was understood.
struct Route<'r> {
    call: Call,
    /// Calendar and event, as far as the path names them.
    calendar: &'r str,
    event: &'r str,
}

pub(super) fn answer(inner: &mut Inner, request: &Request) -> Reply {
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let asked = Asked { method: request.method.clone(), target: request.target.clone(), body };
    inner.asked.push(asked.clone());
    let reply = interrupted(inner, request);
    inner.exchanges.write(&asked, &reply, inner.state.is_planted);
    reply
}

/// Answers, unless the program that asks ends at this request.
fn interrupted(inner: &mut Inner, request: &Request) -> Reply {
    match inner.interruption.count(request) {
        None => respond(inner, request),
        Some(ProgramEnd::RequestLost | ProgramEnd::RequestLate) => Reply::Silence,
        Some(ProgramEnd::AnswerUnread) => {
            respond(inner, request);
            Reply::Silence
        }
    }
}

/// Does what a request asks for, unless a fault stands in its way.
pub(super) fn respond(inner: &mut Inner, request: &Request) -> Reply {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let query = Query::read(query);
    match (request.method.as_str(), path) {
        ("GET", "/o/oauth2/v2/auth") => return consent::page(&query),
        ("POST", "/o/oauth2/v2/consent") => return consent::answer(&mut inner.state, request),
        _ => {}
    }
    let segments = segments(path);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some(route) = find(&request.method, &segments) else {
        return Reply::Whole(404, "text/html".to_owned(), b"<html>Not Found</html>".to_vec());
    };
    // The front end of the service demands it also of a request without a body.
    if request.method == "POST" && request.header("content-length").is_none() {
        return Reply::Whole(411, "text/html".to_owned(), b"<html>Length Required</html>".to_vec());
    }
    let fault = inner.faults.next(route.call);
    let is_token = matches!(route.call, Call::Token | Call::Revoke);
    match fault {
        Some(Fault::Refuse { status, reason, retry_after_s }) if is_token => {
            let body = json!({ "error": reason, "error_description": "as the test says" }).to_string().into_bytes();
            return Reply::Json(status, retry_after(retry_after_s), body);
        }
        Some(Fault::Refuse { status, reason, retry_after_s }) => {
            return refuse(&Refusal::new(status, &reason, format!("{reason}, as the test says")), retry_after_s);
        }
        Some(Fault::Break) => return Reply::Nothing,
        _ => {}
    }
    let reply = if is_token {
        token(&mut inner.state, &route, request)
    } else {
        call(&mut inner.state, &route, &query, request)
    };
    match (fault, reply) {
        (Some(Fault::LoseAnswer), _) => Reply::Nothing,
        (Some(Fault::Silence), _) => Reply::Silence,
        (Some(Fault::Endless), _) => Reply::Endless("application/json".to_owned()),
        (Some(Fault::NoJson), _) => Reply::Whole(200, "text/html".to_owned(), b"<html>Sorry</html>".to_vec()),
        (Some(Fault::Cut), Reply::Json(status, _, body)) => Reply::Cut(status, "application/json".to_owned(), body),
        (_, reply) => reply,
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(decode).collect()
}

/// The method of the service that a request is for.
pub(super) fn call_of(request: &Request) -> Option<Call> {
    let segments = segments(request.target.split('?').next().unwrap_or_default());
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    find(&request.method, &segments).map(|route| route.call)
}

/// The route of a request.
fn find<'r>(method: &str, segments: &[&'r str]) -> Option<Route<'r>> {
    let route = |call, calendar, event| Some(Route { call, calendar, event });
    match (method, segments) {
        ("POST", ["oauth2", "token"]) => route(Call::Token, "", ""),
        ("POST", ["oauth2", "revoke"]) => route(Call::Revoke, "", ""),
        (method, ["calendar", "v3", rest @ ..]) => match (method, rest) {
            ("GET", ["users", "me", "calendarList"]) => route(Call::Calendars, "", ""),
            ("POST", ["freeBusy"]) => route(Call::FreeBusy, "", ""),
            ("POST", ["channels", "stop"]) => route(Call::Stop, "", ""),
            ("GET", ["calendars", calendar, "events"]) => route(Call::List, calendar, ""),
            ("POST", ["calendars", calendar, "events"]) => route(Call::Insert, calendar, ""),
            ("POST", ["calendars", calendar, "events", "watch"]) => route(Call::Watch, calendar, ""),
            ("POST", ["calendars", calendar, "events", event, "move"]) => route(Call::Move, calendar, event),
            ("GET", ["calendars", calendar, "events", event]) => route(Call::Get, calendar, event),
            ("PATCH", ["calendars", calendar, "events", event]) => route(Call::Patch, calendar, event),
            ("DELETE", ["calendars", calendar, "events", event]) => route(Call::Delete, calendar, event),
            _ => None,
        },
        _ => None,
    }
}

fn token(state: &mut State, route: &Route<'_>, request: &Request) -> Reply {
    let done = if route.call == Call::Token { state.token(request) } else { state.revoke(request) };
    match done {
        Ok(value) => Reply::Json(200, Vec::new(), value.to_string().into_bytes()),
        Err(error) => {
            let status = if error.error == "invalid_client" { 401 } else { 400 };
            Reply::Json(status, vec![("date".to_owned(), state.http_date())], error.body())
        }
    }
}

fn call(state: &mut State, route: &Route<'_>, query: &Query, request: &Request) -> Reply {
    match perform(state, route, query, request).and_then(|done| match done {
        Some(value) if !value.is_null() => listing::selected(value, query).map(Some),
        other => Ok(other),
    }) {
        Ok(Some(Value::Null)) => Reply::Json(204, Vec::new(), Vec::new()),
        Ok(Some(value)) => Reply::Json(200, Vec::new(), value.to_string().into_bytes()),
        Ok(None) => Reply::Json(304, Vec::new(), Vec::new()),
        Err(refusal) => refuse(&refusal, None),
    }
}

/// `None` if the client has the event already.
fn perform(state: &mut State, route: &Route<'_>, query: &Query, request: &Request) -> Result<Option<Value>, Refusal> {
    let (scopes, is_service_account) = state.caller(request)?;
    let role = state.calendar(route.calendar).map_or("owner", |calendar| calendar.role.as_str());
    if !has_scope(scopes, route.call, role) {
        let words = "Request had insufficient authentication scopes.";
        return Err(Refusal::new(403, "insufficientPermissions", words));
    }
    let write = Write { calendar: route.calendar, query, request, is_service_account };
    let (calendar, event) = (route.calendar, route.event);
    match route.call {
        Call::Calendars => listing::calendars(state, query),
        Call::FreeBusy => query.only(&[]).and_then(|()| free_busy::free_busy(state, request)),
        Call::Insert => events::insert(state, &write),
        Call::Patch => events::patch(state, &write, event),
        Call::Delete => events::delete(state, &write, event),
        Call::Move => events::transfer(state, &write, event),
        Call::List => listing::list(state, calendar, query),
        Call::Watch => channels::watch(state, calendar, query, request),
        Call::Stop => channels::stop(state, query, request),
        Call::Get => {
            return events::get(state, calendar, event, query, request).map(|got| match got {
                Got::Event(event) => Some(event),
                Got::Same => None,
            });
        }
        Call::Token | Call::Revoke => Err(Refusal::not_found()),
    }
    .map(Some)
}

/// Whether one of the caller's scopes allows a method; `calendar.events.owned` does so on calendars that the account owns.
fn has_scope(scopes: &BTreeSet<String>, call: Call, role: &str) -> bool {
    let names: &[&str] = if call == Call::Calendars {
        &["calendar", "calendar.readonly", "calendar.calendarlist", "calendar.calendarlist.readonly"]
    } else if call == Call::FreeBusy {
        &["calendar", "calendar.readonly", "calendar.freebusy", "calendar.events.freebusy"]
    } else if role == "owner" {
        &["calendar", "calendar.events", "calendar.events.owned"]
    } else {
        &["calendar", "calendar.events"]
    };
    scopes.iter().any(|scope| scope.rsplit('/').next().is_some_and(|short| names.contains(&short)))
}

fn refuse(refusal: &Refusal, after_s: Option<u64>) -> Reply {
    Reply::Json(refusal.status, retry_after(after_s), refusal.body())
}

fn retry_after(seconds: Option<u64>) -> Vec<(String, String)> {
    seconds.map(|seconds| ("retry-after".to_owned(), seconds.to_string())).into_iter().collect()
}
