//! How an event in an answer is read.

use balcao_app::context::calendar_service::UnreadableEvent;
use balcao_domain::Span;
use balcao_domain::outside_event::{EventMark, EventOwner, EventState, EventTime, OutsideEvent};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::draft::{APPOINTMENT, INSTALLATION, ORGANIZATION};

/// The fields that are read, for a partial answer: descriptions and guests' names stay at the service.
pub(crate) const FIELDS: &str = "id,status,summary,start,end,etag,created,updated,eventType,transparency,visibility,\
                                 recurringEventId,attendees(self,responseStatus),extendedProperties(private)";

/// Characters of a title that are kept.
const MOST_TITLE: usize = 1_024;

/// Reads one event of a calendar.
///
/// # Errors
/// [`UnreadableEvent`]: the event has no id, or one that is not deleted has no version or no time.
pub(crate) fn read(calendar: &str, event: &Value) -> Result<OutsideEvent, UnreadableEvent> {
    let text = |key: &str| event.get(key).and_then(Value::as_str);
    let id = text("id").filter(|id| !id.is_empty() && id.len() <= 1_024);
    let refuse = |reason: &str| UnreadableEvent { id: id.map(str::to_owned), reason: reason.to_owned() };
    let id = id.ok_or_else(|| refuse("invalid `id`; expected a text of 1 to 1024 bytes"))?;
    let state = state(event);
    let time = match (event.get("start"), event.get("end")) {
        (Some(start), Some(end)) => Some(time(start, end).map_err(|reason| refuse(&reason))?),
        _ if state == EventState::Cancelled => None,
        _ => return Err(refuse("`start` or `end` is missing")),
    };
    let version = text("etag").unwrap_or_default();
    if version.is_empty() && state != EventState::Cancelled {
        return Err(refuse("`etag` is missing"));
    }
    let mark = mark(event);
    // What the program wrote itself is not another person's secret.
    let hides = matches!(text("visibility"), Some("private" | "confidential")) && mark.is_none();
    let title = text("summary").filter(|_| !hides).map(|title| title.chars().take(MOST_TITLE).collect());
    Ok(OutsideEvent {
        calendar: calendar.to_owned(),
        id: id.to_owned(),
        version: version.to_owned(),
        state,
        time,
        title,
        mark,
        series: text("recurringEventId").map(str::to_owned),
        created_at: text("created").and_then(|at| at.parse().ok()),
        updated_at: text("updated").and_then(|at| at.parse().ok()),
    })
}

/// What an event means for the time it takes. A kind or a status that is not known here takes its time.
fn state(event: &Value) -> EventState {
    let text = |key: &str| event.get(key).and_then(Value::as_str);
    let attendees = event.get("attendees").and_then(Value::as_array).into_iter().flatten();
    let declined = attendees
        .filter(|one| one.get("self").and_then(Value::as_bool) == Some(true))
        .any(|one| one.get("responseStatus").and_then(Value::as_str) == Some("declined"));
    if text("status") == Some("cancelled") {
        EventState::Cancelled
    } else if text("transparency") == Some("transparent")
        || declined
        || matches!(text("eventType"), Some("birthday" | "workingLocation"))
    {
        EventState::Free
    } else {
        EventState::Busy
    }
}

fn mark(event: &Value) -> Option<EventMark> {
    let private = event.get("extendedProperties")?.get("private")?;
    let number = |key: &str| private.get(key)?.as_str()?.parse().ok();
    // Earlier builds named no installation.
    let installation = private.get(INSTALLATION).and_then(Value::as_str).unwrap_or_default().to_owned();
    let owner = EventOwner { installation, organization: number(ORGANIZATION)? };
    Some(EventMark { owner, appointment: number(APPOINTMENT)? })
}

fn time(start: &Value, end: &Value) -> Result<EventTime, String> {
    let text = |time: &Value, key: &str| time.get(key).and_then(Value::as_str).map(str::to_owned);
    if let (Some(from), Some(until)) = (text(start, "date"), text(end, "date")) {
        let day =
            |text: String| text.parse::<Date>().map_err(|_jiff| format!("invalid date `{text}`; expected YYYY-MM-DD"));
        let (from, until) = (day(from)?, day(until)?);
        if until <= from {
            return Err(format!("invalid days; expected an end after {from}, not {until}"));
        }
        return Ok(EventTime::AllDay { from, until });
    }
    let (from, until) = (instant(start)?, instant(end)?);
    if until < from {
        return Err(format!("invalid times; expected an end after {from}, not {until}"));
    }
    Ok(EventTime::Timed(Span::new(from, until)))
}

/// `dateTime` with an offset, or without one if `timeZone` says which is meant.
fn instant(time: &Value) -> Result<Timestamp, String> {
    let text = |key: &str| time.get(key).and_then(Value::as_str);
    let written = text("dateTime").ok_or("`dateTime` and `date` are missing, or only one end has a time")?;
    if let Ok(at) = written.parse::<Timestamp>() {
        return Ok(at);
    }
    let invalid = || format!("invalid time `{written}`; expected an RFC 3339 time");
    let civil: DateTime = written.parse().map_err(|_jiff| invalid())?;
    let zone = text("timeZone").and_then(|zone| TimeZone::get(zone).ok()).ok_or_else(invalid)?;
    civil.to_zoned(zone).map(|at| at.timestamp()).map_err(|_jiff| invalid())
}
