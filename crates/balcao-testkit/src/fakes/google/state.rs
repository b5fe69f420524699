//! What the service holds: calendars, and events with their versions.

use std::collections::BTreeMap;
use std::sync::Arc;

use balcao_domain::Clock;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::accounts::Accounts;
use super::cursors::Listings;
use super::notices::Channels;
use super::refusal::Refusal;

/// An event, or what is left of a deleted one.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) body: Map<String, Value>,
    /// The number of its last change; the `etag` shows it.
    pub(super) revision: u64,
}

impl Event {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.text("status") == Some("cancelled")
    }

    pub(super) fn is_series(&self) -> bool {
        self.body.contains_key("recurrence")
    }

    pub(super) fn etag(&self) -> String {
        format!("\"{}\"", self.revision)
    }

    /// What the API shows of it; of a cancelled one only that it is cancelled.
    pub(super) fn shown(&self) -> Value {
        const LEFT: [&str; 4] = ["id", "status", "recurringEventId", "originalStartTime"];
        let mut shown = self.body.clone();
        if self.is_cancelled() {
            shown.retain(|key, _| LEFT.contains(&key.as_str()));
        }
        shown.insert("kind".to_owned(), json!("calendar#event"));
        shown.insert("etag".to_owned(), json!(self.etag()));
        Value::Object(shown)
    }

    /// From when to when it is, if that can be read. Whole days begin at midnight of `zone`.
    pub(super) fn bounds(&self, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        let read = |key: &str| instant(self.body.get(key)?, zone);
        Some((read("start")?, read("end")?))
    }
}

/// The instant that `{"dateTime": …}` or `{"date": …}` names.
pub(super) fn instant(time: &Value, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(text) = time.get("dateTime").and_then(Value::as_str) {
        return text.parse().ok();
    }
    let day: jiff::civil::Date = time.get("date")?.as_str()?.parse().ok()?;
    Some(day.to_zoned(zone.clone()).ok()?.timestamp())
}

/// A calendar.
#[derive(Debug)]
pub(super) struct Calendar {
    pub(super) name: String,
    pub(super) zone: TimeZone,
    pub(super) zone_name: String,
    /// What the account may do: `owner`, `writer`, `reader`, `freeBusyReader`.
    pub(super) role: String,
    pub(super) data_owner: Option<String>,
    pub(super) is_primary: bool,
    pub(super) events: BTreeMap<String, Event>,
    /// Why free/busy does not know this calendar now.
    pub(super) busy_error: Option<String>,
}

/// Everything.
pub(super) struct State {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) base: String,
    pub(super) calendars: BTreeMap<String, Calendar>,
    pub(super) accounts: Accounts,
    pub(super) listings: Listings,
    pub(super) channels: Channels,
    /// Counts changes.
    pub(super) revision: u64,
    /// `sendUpdates` of every write, as the request said it.
    pub(super) send_updates: Vec<String>,
    /// Whether a test put an event here that fits no schema.
    pub(super) is_planted: bool,
    counter: u64,
}

impl State {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            base: String::new(),
            calendars: BTreeMap::new(),
            accounts: Accounts::default(),
            listings: Listings::default(),
            channels: Channels::default(),
            revision: 3_389_000,
            send_updates: Vec::new(),
            is_planted: false,
            counter: 0,
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A word that was not used before, for ids and tokens. Its letters and digits are those of an event's id.
    pub(super) fn fresh(&mut self, start: &str) -> String {
        self.counter += 1;
        format!("{start}{:08}", self.counter)
    }

    pub(super) fn calendar(&self, id: &str) -> Result<&Calendar, Refusal> {
        self.calendars.get(&self.resolved(id)).ok_or_else(Refusal::not_found)
    }

    pub(super) fn calendar_mut(&mut self, id: &str) -> Result<&mut Calendar, Refusal> {
        let id = self.resolved(id);
        self.calendars.get_mut(&id).ok_or_else(Refusal::not_found)
    }

    /// `primary` is an alias of the account's own calendar.
    pub(super) fn resolved(&self, id: &str) -> String {
        let primary = || self.calendars.iter().find(|(_, one)| one.is_primary).map(|(id, _)| id.clone());
        if id == "primary" { primary().unwrap_or_else(|| id.to_owned()) } else { id.to_owned() }
    }

    /// Stores an event as changed now, and notes what the push channels of its calendar have to hear.
    pub(super) fn put(&mut self, calendar: &str, mut body: Map<String, Value>) -> Result<Event, Refusal> {
        self.revision += 1;
        let (revision, now) = (self.revision, self.now());
        body.insert("updated".to_owned(), json!(now.to_string()));
        let id = body.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let event = Event { body, revision };
        self.calendar_mut(calendar)?.events.insert(id, event.clone());
        let calendar = self.resolved(calendar);
        self.channels.note_change(&calendar, now);
        Ok(event)
    }
}
