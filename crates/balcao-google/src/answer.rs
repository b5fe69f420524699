//! What stands in answers of the API beside events: lists, calendars, busy times.

use std::time::Duration;

use balcao_app::context::calendar_service::{CalendarSummary, ServiceError};
use balcao_domain::Span;
use balcao_domain::outside_event::OutsideEvent;
use jiff::Timestamp;
use serde_json::Value;

use crate::event;

/// An answer without what it must have.
pub(crate) fn unreadable(what: &str) -> ServiceError {
    ServiceError::Unavailable { reason: format!("{what} is missing in the answer"), retry_after_ms: None }
}

/// The entries of a list.
pub(crate) fn items(page: &Value) -> Result<&Vec<Value>, ServiceError> {
    page.get("items").and_then(Value::as_array).ok_or_else(|| unreadable("`items`"))
}

/// A text that is not empty.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A list that is longer than a call reads.
pub(crate) fn too_many(what: &str, pages: usize) -> ServiceError {
    ServiceError::TooMany { what: format!("more than {pages} pages of {what}") }
}

/// A list that takes longer than a call may.
pub(crate) fn too_slow(what: &str, time: Duration) -> ServiceError {
    ServiceError::TooMany { what: format!("more {what} than arrive in {time:?}") }
}

/// An entry of the account's list of calendars; `None` if it has no id.
pub(crate) fn summary(entry: &Value) -> Option<CalendarSummary> {
    let id = text(entry, "id")?.to_owned();
    Some(CalendarSummary {
        name: text(entry, "summary").unwrap_or(&id).to_owned(),
        zone: text(entry, "timeZone").unwrap_or("UTC").to_owned(),
        is_writable: is_writable(entry),
        data_owner: text(entry, "dataOwner").map(str::to_owned),
        id,
    })
}

/// Whether the account may write into the calendar that an answer is about.
pub(crate) fn is_writable(answer: &Value) -> bool {
    matches!(text(answer, "accessRole"), Some("owner" | "writer"))
}

/// The busy times of one calendar. A calendar with errors, or without an answer, is not free.
pub(crate) fn busy_times(found: Option<&Value>) -> Result<Vec<Span>, String> {
    let found = found.ok_or("the service did not answer for this calendar")?;
    if let Some(first) = found.get("errors").and_then(Value::as_array).and_then(|errors| errors.first()) {
        return Err(text(first, "reason").unwrap_or("unknown reason").to_owned());
    }
    let blocks = found.get("busy").and_then(Value::as_array).ok_or("`busy` is missing in the answer")?;
    let read = |block: &Value| {
        let time = |key: &str| text(block, key)?.parse::<Timestamp>().ok();
        Some(Span::new(time("start")?, time("end")?))
    };
    blocks.iter().map(|block| read(block).ok_or_else(|| "a busy block cannot be read".to_owned())).collect()
}

/// An event of a list; `None` if it cannot be read. As in a listing of changes, it is put aside and takes no time: if it took the time that
/// was asked for, no time at all could be booked, and what is offered would never be given.
pub(crate) fn readable(calendar: &str, value: &Value) -> Option<OutsideEvent> {
    match event::read(calendar, value) {
        Ok(event) => Some(event),
        Err(unreadable) => {
            tracing::warn!(calendar, id = unreadable.id, reason = unreadable.reason, "event cannot be read");
            None
        }
    }
}
