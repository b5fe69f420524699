//! What people do in their calendars, in the program of the service or on their phones.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::FakeGoogle;
use super::events::{cancel, find, shift};
use super::refusal::Refusal;
use super::shape;
use super::state::{Event, State, instant};

/// Hands of people. Each act changes the event's version, and push channels hear of it. What does not exist is left as it is.
impl FakeGoogle {
    /// Puts an event into a calendar, as it is: without a check, so that it may also be one that a client cannot read.
    pub fn put_event(&self, calendar: &str, body: Value) {
        let mut state = self.state();
        let now = state.now().to_string();
        let Value::Object(mut body) = body else { return };
        state.is_planted |= shape::event(&body, &["start", "end"]).is_err();
        body.entry("created").or_insert_with(|| json!(now));
        body.entry("status").or_insert_with(|| json!("confirmed"));
        drop(state.put(calendar, body));
    }

    /// Moves an event, or one instance of a series, by minutes.
    pub fn move_event(&self, calendar: &str, id: &str, minutes: i64) {
        self.edit(calendar, id, |body| {
            add_minutes(body, "start", minutes);
            add_minutes(body, "end", minutes);
        });
    }

    /// Makes an event end so many minutes earlier.
    pub fn shorten_event(&self, calendar: &str, id: &str, minutes: i64) {
        self.edit(calendar, id, |body| add_minutes(body, "end", -minutes));
    }

    /// Deletes an event, or one instance of a series.
    pub fn delete_event(&self, calendar: &str, id: &str) {
        let mut state = self.state();
        if let Ok(event) = find(&state, calendar, id) {
            drop(cancel(&mut state, calendar, event));
        }
    }

    /// Copies an event with all that it says, the private properties included; gives the id of the copy.
    pub fn copy_event(&self, calendar: &str, id: &str) -> Option<String> {
        let mut state = self.state();
        let mut body = find(&state, calendar, id).ok()?.body;
        let copy = state.fresh("copy");
        body.insert("id".to_owned(), json!(copy));
        state.put(calendar, body).ok()?;
        Some(copy)
    }

    /// Sets a private property of an event, as another program would.
    pub fn set_property(&self, calendar: &str, id: &str, key: &str, value: Option<&str>) {
        self.edit(calendar, id, |body| {
            let both = body.entry("extendedProperties").or_insert_with(|| json!({}));
            let both = both.as_object_mut().map(|both| both.entry("private").or_insert_with(|| json!({})));
            let Some(private) = both.and_then(Value::as_object_mut) else { return };
            match value {
                Some(value) => drop(private.insert(key.to_owned(), json!(value))),
                None => drop(private.remove(key)),
            }
        });
    }

    /// Changes any field of an event; `null` takes it out.
    pub fn set_field(&self, calendar: &str, id: &str, key: &str, value: Value) {
        self.edit(calendar, id, |body| {
            if value.is_null() {
                body.remove(key);
            } else {
                body.insert(key.to_owned(), value);
            }
        });
    }

    /// Changes who sees an event. The service gives the visibility of one instance to its whole series.
    pub fn set_visibility(&self, calendar: &str, id: &str, visibility: &str) {
        let found = find(&self.state(), calendar, id).ok();
        let series = found.and_then(|event| Some(event.body.get("recurringEventId")?.as_str()?.to_owned()));
        self.set_field(calendar, series.as_deref().unwrap_or(id), "visibility", visibility.into());
    }

    /// Moves an event into another calendar.
    pub fn transfer_event(&self, from: &str, to: &str, id: &str) {
        drop(shift(&mut self.state(), from, to, id));
    }

    /// Blocks whole days, from the first date to the date after the last.
    pub fn block_days(&self, calendar: &str, id: &str, from: &str, until: &str) {
        let body = json!({ "id": id, "summary": "Férias", "start": { "date": from }, "end": { "date": until } });
        self.put_event(calendar, body);
    }

    fn edit(&self, calendar: &str, id: &str, change: impl FnOnce(&mut Map<String, Value>)) {
        let mut state = self.state();
        if let Ok(Event { mut body, .. }) = find(&state, calendar, id) {
            change(&mut body);
            drop(state.put(calendar, body));
        }
    }
}

/// Shifts one end of an event. Times keep their zone, and are written in it.
fn add_minutes(body: &mut Map<String, Value>, key: &str, minutes: i64) {
    let Some(time) = body.get_mut(key) else { return };
    let Some(at) = instant(time, &jiff::tz::TimeZone::UTC) else { return };
    let at = at.saturating_add(SignedDuration::from_mins(minutes)).unwrap_or(Timestamp::MAX);
    let zone = time.get("timeZone").and_then(Value::as_str).unwrap_or("UTC");
    let text = at.in_tz(zone).map(|at| at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    if let (Some(slot), Ok(text)) = (time.get_mut("dateTime"), text) {
        *slot = json!(text);
    }
}

/// An event as it is stored.
pub(super) fn stored(state: &State, calendar: &str, id: &str) -> Result<Value, Refusal> {
    let event = state.calendar(calendar)?.events.get(id).ok_or_else(Refusal::not_found)?;
    let mut body = event.body.clone();
    body.insert("etag".to_owned(), json!(event.etag()));
    Ok(Value::Object(body))
}
