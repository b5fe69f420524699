//! Single events: insert, get, patch, delete, move.

use serde_json::{Map, Value, json};

use super::oauth::SERVICE_ACCOUNT;
use super::recurrence;
use super::refusal::Refusal;
use super::shape::{self, Query};
use super::state::{Event, State, instant};
use crate::fakes::http::Request;

/// Parameters of every write.
const WRITE: [&str; 2] = ["sendUpdates", "conferenceDataVersion"];

/// A write: which calendar, with what parameters, by what kind of account.
pub(super) struct Write<'w> {
    pub(super) calendar: &'w str,
    pub(super) query: &'w Query,
    pub(super) request: &'w Request,
    pub(super) is_service_account: bool,
}

impl Write<'_> {
    /// The account's right to write into the calendar, and what it says to guests.
    fn check(&self, state: &mut State, more: &[&str]) -> Result<(), Refusal> {
        self.query.only(&[&WRITE, more].concat())?;
        let updates = self.query.get("sendUpdates");
        if updates.is_some_and(|word| !["all", "externalOnly", "none"].contains(&word)) {
            return Err(Refusal::invalid("Invalid value for sendUpdates"));
        }
        writable(state, self.calendar)?;
        state.send_updates.push(updates.unwrap_or("(not said)").to_owned());
        Ok(())
    }
}

fn writable(state: &State, calendar: &str) -> Result<(), Refusal> {
    match state.calendar(calendar)?.role.as_str() {
        "owner" | "writer" => Ok(()),
        _ => Err(Refusal::new(403, "requiredAccessLevel", "You need to have writer access to this calendar.")),
    }
}

pub(super) fn insert(state: &mut State, write: &Write<'_>) -> Result<Value, Refusal> {
    let mut body = shape::object(write.request)?;
    write.check(state, &[])?;
    shape::event(&body, &["start", "end"])?;
    recurrence::check(&body)?;
    order(state, write.calendar, &body)?;
    if write.is_service_account && body.contains_key("attendees") {
        let words = "Service accounts cannot invite attendees without Domain-Wide Delegation of Authority.";
        return Err(Refusal::new(403, "forbiddenForServiceAccounts", words));
    }
    let id = match body.get("id").and_then(Value::as_str) {
        Some(id) => id.to_owned(),
        None => state.fresh("made"),
    };
    // Also of a deleted event: its id is never free again.
    if state.calendar(write.calendar)?.events.contains_key(&id) {
        return Err(Refusal::new(409, "duplicate", "The requested identifier already exists."));
    }
    // The service says this instant in whole seconds.
    let now = jiff::Timestamp::new(state.now().as_second(), 0)
        .map_err(|_beyond| Refusal::new(500, "backendError", "clock"))?;
    let creator = json!({ "email": if write.is_service_account { SERVICE_ACCOUNT } else { "dona@example.test" } });
    for (key, value) in [("id", json!(id)), ("created", json!(now.to_string())), ("creator", creator)] {
        body.insert(key.to_owned(), value);
    }
    for (key, value) in [("status", "confirmed"), ("eventType", "default")] {
        body.entry(key.to_owned()).or_insert_with(|| json!(value));
    }
    Ok(state.put(write.calendar, body)?.shown())
}

/// What a `GET` gives.
pub(super) enum Got {
    /// The event.
    Event(Value),
    /// It is as `If-None-Match` has it.
    Same,
}

pub(super) fn get(state: &State, calendar: &str, id: &str, query: &Query, request: &Request) -> Result<Got, Refusal> {
    query.only(&["timeZone", "maxAttendees"])?;
    let event = find(state, calendar, id)?;
    if request.header("if-none-match") == Some(&event.etag()) {
        return Ok(Got::Same);
    }
    Ok(Got::Event(shown_to(state, calendar, &event)?))
}

/// What the account sees of an event: of a private one, readers see only when it is.
pub(super) fn shown_to(state: &State, calendar: &str, event: &Event) -> Result<Value, Refusal> {
    let mut shown = event.shown();
    let hides = matches!(event.text("visibility"), Some("private" | "confidential"));
    if let (true, "reader", Some(fields)) = (hides, state.calendar(calendar)?.role.as_str(), shown.as_object_mut()) {
        for key in ["summary", "description", "location", "attendees", "extendedProperties"] {
            fields.remove(key);
        }
    }
    Ok(shown)
}

/// An event, or an instance of a series that is not stored by itself.
pub(super) fn find(state: &State, calendar: &str, id: &str) -> Result<Event, Refusal> {
    let calendar = state.calendar(calendar)?;
    if let Some(event) = calendar.events.get(id) {
        return Ok(event.clone());
    }
    let (series, _) = id.rsplit_once('_').ok_or_else(Refusal::not_found)?;
    let series = calendar.events.get(series).filter(|one| one.is_series()).ok_or_else(Refusal::not_found)?;
    let mut all = recurrence::instances(series, jiff::Timestamp::MAX).into_iter();
    all.find(|one| one.text("id") == Some(id)).ok_or_else(Refusal::not_found)
}

pub(super) fn patch(state: &mut State, write: &Write<'_>, id: &str) -> Result<Value, Refusal> {
    let changes = shape::object(write.request)?;
    write.check(state, &["alwaysIncludeEmail"])?;
    let event = find(state, write.calendar, id)?;
    matches(write.request, &event)?;
    if event.is_cancelled() {
        return Err(Refusal::new(410, "deleted", "Resource has been deleted"));
    }
    if changes.get("id").is_some_and(|named| named != id) {
        return Err(Refusal::invalid("The id of an event cannot be changed."));
    }
    let mut body = event.body;
    merge(&mut body, &changes);
    let seen: Map<String, Value> = body
        .iter()
        .filter(|(key, _)| changes.contains_key(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    shape::event(&seen, &[])?;
    recurrence::check(&body)?;
    order(state, write.calendar, &body)?;
    Ok(state.put(write.calendar, body)?.shown())
}

pub(super) fn delete(state: &mut State, write: &Write<'_>, id: &str) -> Result<Value, Refusal> {
    write.check(state, &[])?;
    let event = find(state, write.calendar, id)?;
    if event.is_cancelled() {
        return Err(Refusal::new(410, "deleted", "Resource has been deleted"));
    }
    matches(write.request, &event)?;
    cancel(state, write.calendar, event)?;
    Ok(Value::Null)
}

/// Leaves a cancelled event in the place of this one.
pub(super) fn cancel(state: &mut State, calendar: &str, event: Event) -> Result<(), Refusal> {
    let mut body = event.body;
    body.insert("status".to_owned(), json!("cancelled"));
    state.put(calendar, body).map(drop)
}

pub(super) fn transfer(state: &mut State, write: &Write<'_>, id: &str) -> Result<Value, Refusal> {
    write.check(state, &["destination"])?;
    let Some(destination) = write.query.get("destination").map(str::to_owned) else {
        return Err(Refusal::new(400, "required", "Required parameter: destination"));
    };
    writable(state, &destination)?;
    shift(state, write.calendar, &destination, id)
}

/// Takes an event out of a calendar, where a cancelled one is left, and puts it into another.
pub(super) fn shift(state: &mut State, from: &str, to: &str, id: &str) -> Result<Value, Refusal> {
    let event = find(state, from, id)?;
    if event.is_cancelled() {
        return Err(Refusal::not_found());
    }
    if event.is_series() || event.body.contains_key("recurringEventId") {
        return Err(Refusal::new(400, "cannotChangeOrganizerOfInstance", "An event of a series cannot be moved here."));
    }
    let taken = |state: &State| Ok(state.calendar(to)?.events.get(id).is_some_and(|there| !there.is_cancelled()));
    if taken(state)? {
        return Err(Refusal::new(409, "duplicate", "The requested identifier already exists."));
    }
    cancel(state, from, event.clone())?;
    Ok(state.put(to, event.body)?.shown())
}

/// 412 if the request is for another version.
fn matches(request: &Request, event: &Event) -> Result<(), Refusal> {
    match request.header("if-match") {
        Some(version) if version != event.etag() => Err(Refusal::new(412, "conditionNotMet", "Precondition Failed")),
        _ => Ok(()),
    }
}

fn order(state: &State, calendar: &str, body: &Map<String, Value>) -> Result<(), Refusal> {
    let zone = &state.calendar(calendar)?.zone;
    let read = |key: &str| body.get(key).and_then(|time| instant(time, zone));
    let (Some(start), Some(end)) = (read("start"), read("end")) else {
        return Err(Refusal::invalid("Invalid start or end time."));
    };
    let kind = |key: &str| body.get(key).is_some_and(|time| time.get("date").is_some());
    if end < start || kind("start") != kind("end") || (kind("start") && end == start) {
        return Err(Refusal::new(400, "timeRangeEmpty", "The specified time range is empty."));
    }
    Ok(())
}

/// RFC 7396: objects are merged, `null` removes, all else is replaced.
fn merge(body: &mut Map<String, Value>, changes: &Map<String, Value>) {
    for (key, value) in changes {
        match (body.get_mut(key), value) {
            (_, Value::Null) => drop(body.remove(key)),
            (Some(Value::Object(inner)), Value::Object(changes)) => merge(inner, changes),
            _ => drop(body.insert(key.clone(), value.clone())),
        }
    }
}
