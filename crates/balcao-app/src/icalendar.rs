//! Appointments as iCalendar (RFC 5545): one as a file, or an agenda as a feed. Pure: the caller decides which details it shows.
//!
//! Instants are written in UTC, so that no zone has to be described and no reader can know an older rule than we do. An
//! appointment keeps its UID when it is moved; `SEQUENCE` counts the changes, so that a calendar takes the newest for true in
//! whatever order files come.

use balcao_domain::AppointmentStatus;
use balcao_store::scheduling::agenda_feed::Entry;
use icalendar::{Calendar, CalendarComponent, Component, Event, EventLike, EventStatus, Property};
use jiff::Timestamp;

const PRODUCT: &str = "-//Balcao//Agenda//PT";
/// How often a calendar program is asked to look at a feed.
const REFRESH: &str = "PT15M";

/// What a calendar shows of one appointment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventText {
    /// Its title.
    pub summary: String,
    /// More details, which a calendar program shows in the opened event.
    pub description: Option<String>,
    /// Where it takes place.
    pub location: Option<String>,
}

/// Who sends a single appointment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Organizer<'a> {
    /// The business.
    pub name: &'a str,
    /// Its address for mail.
    pub email: &'a str,
}

/// One appointment, to be attached to a message. A cancelled one takes itself out of the calendar it was taken into.
#[must_use]
pub fn one(entry: &Entry, shown: &EventText, place: &str, organizer: Option<Organizer<'_>>, now: Timestamp) -> String {
    let mut calendar = empty();
    let mut event = event(entry, shown, place, now);
    if let Some(organizer) = organizer {
        calendar.append_property(Property::new("METHOD", "PUBLISH"));
        let mut property = Property::new("ORGANIZER", format!("mailto:{}", plain(organizer.email)));
        property.add_parameter("CN", &parameter(organizer.name));
        event.append_property(property);
    }
    calendar.push(event);
    written(&calendar)
}

/// A whole agenda under a name.
#[must_use]
pub fn agenda(name: &str, entries: &[(Entry, EventText)], place: &str, now: Timestamp) -> String {
    let mut calendar = empty();
    calendar.append_property(Property::new("X-WR-CALNAME", plain(name)));
    calendar.append_property(Property::new("X-PUBLISHED-TTL", REFRESH));
    let mut refresh = Property::new("REFRESH-INTERVAL", REFRESH);
    refresh.add_parameter("VALUE", "DURATION");
    calendar.append_property(refresh);
    calendar.extend(entries.iter().map(|(entry, shown)| CalendarComponent::from(event(entry, shown, place, now))));
    written(&calendar)
}

fn empty() -> Calendar {
    let mut calendar = Calendar::empty();
    calendar.append_property(Property::new("VERSION", "2.0"));
    calendar.append_property(Property::new("PRODID", PRODUCT));
    calendar.append_property(Property::new("CALSCALE", "GREGORIAN"));
    calendar
}

/// `place` tells appointments of different businesses apart that one calendar shows.
fn event(entry: &Entry, shown: &EventText, place: &str, now: Timestamp) -> Event {
    let cancelled = entry.status == AppointmentStatus::Cancelled;
    let mut event = Event::new();
    event
        .uid(&format!("{}@{place}.balcao", entry.uid))
        .add_property("DTSTAMP", instant(now))
        .add_property("LAST-MODIFIED", instant(entry.changed_at))
        .add_property("DTSTART", instant(entry.span.start))
        .add_property("DTEND", instant(entry.span.end))
        .add_property("SEQUENCE", entry.revision.saturating_add(i64::from(cancelled)).to_string())
        .add_property("TRANSP", if cancelled { "TRANSPARENT" } else { "OPAQUE" })
        .summary(&plain(&shown.summary));
    event.status(match entry.status {
        AppointmentStatus::Pending => EventStatus::Tentative,
        AppointmentStatus::Cancelled => EventStatus::Cancelled,
        AppointmentStatus::Confirmed | AppointmentStatus::Completed | AppointmentStatus::NoShow => {
            EventStatus::Confirmed
        }
    });
    if let Some(description) = &shown.description {
        event.description(&plain(description));
    }
    if let Some(location) = &shown.location {
        event.location(&plain(location));
    }
    event.done()
}

/// `20261124T120000Z`.
fn instant(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A text without characters that could end a line; line breaks stay, and are escaped when it is written.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

/// A parameter's value has no escapes: what would end it is left out.
fn parameter(text: &str) -> String {
    plain(text).chars().map(|c| if matches!(c, '"' | '\n') { ' ' } else { c }).collect()
}

/// The crate writes into a text, which cannot fail.
fn written(calendar: &Calendar) -> String {
    calendar.to_string()
}

#[cfg(test)]
#[path = "icalendar_tests.rs"]
mod tests;
