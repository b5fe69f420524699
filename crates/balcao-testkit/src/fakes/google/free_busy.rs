//! `POST …/freeBusy`: when calendars are busy, and of which it is not known.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::recurrence;
use super::refusal::Refusal;
use super::shape::{keys, object, with_offset};
use super::state::{Calendar, Event, State};
use crate::fakes::http::Request;

/// Calendars of one request.
const MOST: usize = 50;

pub(super) fn free_busy(state: &State, request: &Request) -> Result<Value, Refusal> {
    let body = object(request)?;
    let known = ["timeMin", "timeMax", "timeZone", "items", "groupExpansionMax", "calendarExpansionMax"];
    keys(&body, &known, &["timeMin", "timeMax", "items"])?;
    let time = |key: &str| with_offset(key, body.get(key).and_then(Value::as_str).unwrap_or_default());
    let (from, until) = (time("timeMin")?, time("timeMax")?);
    if until <= from {
        return Err(Refusal::new(400, "timeRangeEmpty", "The specified time range is empty."));
    }
    let invalid = || Refusal::invalid("items must be a list of objects with an id");
    let items = body.get("items").and_then(Value::as_array).ok_or_else(invalid)?;
    let mut calendars = serde_json::Map::new();
    for (number, item) in items.iter().enumerate() {
        let item = item.as_object().ok_or_else(invalid)?;
        keys(item, &["id"], &["id"])?;
        let id = item.get("id").and_then(Value::as_str).ok_or_else(invalid)?;
        let error = |reason: &str| json!({ "errors": [{ "domain": "global", "reason": reason }], "busy": [] });
        let found = match state.calendar(id) {
            _ if number >= MOST => error("tooManyCalendarsRequested"),
            Err(_) => error("notFound"),
            Ok(Calendar { busy_error: Some(reason), .. }) => error(reason),
            Ok(calendar) => json!({ "busy": busy(calendar, from, until) }),
        };
        calendars.insert(id.to_owned(), found);
    }
    let (from, until) = (from.to_string(), until.to_string());
    Ok(json!({ "kind": "calendar#freeBusy", "timeMin": from, "timeMax": until, "calendars": calendars }))
}

/// Busy blocks, merged, as far as they touch the window; they may reach over its edges.
fn busy(calendar: &Calendar, from: Timestamp, until: Timestamp) -> Vec<Value> {
    let series = calendar.events.values().filter(|event| event.is_series() && !event.is_cancelled());
    let made = series.flat_map(|event| recurrence::instances(event, until));
    let made = made.filter(|one| one.text("id").is_none_or(|id| !calendar.events.contains_key(id)));
    let single = calendar.events.values().filter(|event| !event.is_series()).cloned();
    let mut spans: Vec<(Timestamp, Timestamp)> = made
        .chain(single)
        .filter(blocks)
        .filter_map(|event| event.bounds(&calendar.zone))
        .filter(|(start, end)| *start < until && *end > from && start < end)
        .collect();
    spans.sort_unstable();
    let mut merged: Vec<(Timestamp, Timestamp)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => merged.push((start, end)),
        }
    }
    let text = |at: Timestamp| at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    merged.into_iter().map(|(start, end)| json!({ "start": text(start), "end": text(end) })).collect()
}

/// Whether an event takes its time.
fn blocks(event: &Event) -> bool {
    let attendees = event.body.get("attendees").and_then(Value::as_array);
    let declined = attendees
        .into_iter()
        .flatten()
        .any(|one| one.get("self") == Some(&json!(true)) && one.get("responseStatus") == Some(&json!("declined")));
    let kind = event.text("eventType").unwrap_or("default");
    !event.is_cancelled()
        && event.text("transparency") != Some("transparent")
        && !declined
        && !["workingLocation", "birthday"].contains(&kind)
}
