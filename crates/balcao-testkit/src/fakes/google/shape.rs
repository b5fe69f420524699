//! What requests must look like: known parameters and keys, of the right type, times with their offset.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::fakes::http::{Request, decode};

/// Parameters that every method takes.
const STANDARD: [&str; 4] = ["alt", "fields", "prettyPrint", "quotaUser"];

/// The parameters of a request, in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        };
        Self(text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Refuses parameters that the method does not document, and a `quotaUser` that is too long.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Refusal> {
        if let Some((name, _)) =
            self.0.iter().find(|(name, _)| !known.contains(&name.as_str()) && !STANDARD.contains(&name.as_str()))
        {
            return Err(Refusal::invalid(format!("Unknown parameter: {name}")));
        }
        if self.get("quotaUser").is_some_and(|user| user.is_empty() || user.len() > 40) {
            return Err(Refusal::invalid("quotaUser must have 1 to 40 characters"));
        }
        Ok(())
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(Refusal::invalid(format!("Invalid boolean value for {name}: {other}"))),
        }
    }

    pub(super) fn instant(&self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        self.get(name).map(|text| with_offset(name, text)).transpose()
    }

    /// `maxResults`: 250 by default, at most `most`.
    pub(super) fn page_size(&self, most: usize) -> Result<usize, Refusal> {
        let Some(text) = self.get("maxResults") else { return Ok(most.min(250)) };
        let many = text.parse().ok().filter(|many| (1..=most).contains(many));
        many.ok_or_else(|| Refusal::invalid(format!("maxResults must be 1 to {most}")))
    }
}

/// A time of RFC 3339, which has an offset.
pub(super) fn with_offset(name: &str, text: &str) -> Result<Timestamp, Refusal> {
    let has_time = text.contains('T');
    let read = text.parse().ok().filter(|_: &Timestamp| has_time);
    read.ok_or_else(|| Refusal::new(400, "badRequest", format!("{name} must be an RFC3339 timestamp with an offset")))
}

/// The body of a request, which must be an object of JSON.
pub(super) fn object(request: &Request) -> Result<Map<String, Value>, Refusal> {
    if !request.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        return Err(Refusal::new(400, "parseError", "This API does not support parsing that content type"));
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) | Err(_) => Err(Refusal::new(400, "parseError", "Parse Error")),
    }
}

/// Refuses keys that are not among `known`, and the lack of those in `required`.
pub(super) fn keys(fields: &Map<String, Value>, known: &[&str], required: &[&str]) -> Result<(), Refusal> {
    if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(Refusal::invalid(format!("Unknown name \"{key}\": cannot find field")));
    }
    match required.iter().find(|key| fields.get(**key).is_none_or(Value::is_null)) {
        Some(key) => Err(Refusal::new(400, "required", format!("Missing {key}"))),
        None => Ok(()),
    }
}

/// What an event may say when it is written.
const EVENT: [&str; 14] = [
    "id",
    "summary",
    "description",
    "location",
    "start",
    "end",
    "status",
    "transparency",
    "visibility",
    "reminders",
    "extendedProperties",
    "recurrence",
    "attendees",
    "eventType",
];

/// Checks the keys of an event that is written, and their values. `required` must be there.
pub(super) fn event(fields: &Map<String, Value>, required: &[&str]) -> Result<(), Refusal> {
    keys(fields, &EVENT, required)?;
    for key in ["summary", "description", "location"] {
        check(fields, key, "a string", Value::is_string)?;
    }
    one_of(fields, "status", &["confirmed", "tentative", "cancelled"])?;
    one_of(fields, "transparency", &["opaque", "transparent"])?;
    one_of(fields, "visibility", &["default", "public", "private", "confidential"])?;
    let types = ["default", "outOfOffice", "focusTime", "workingLocation", "birthday", "fromGmail"];
    one_of(fields, "eventType", &types)?;
    for key in ["start", "end"] {
        fields.get(key).map_or(Ok(()), |time| moment(key, time))?;
    }
    fields.get("extendedProperties").map_or(Ok(()), properties)?;
    fields.get("id").and_then(Value::as_str).map_or(Ok(()), event_id)?;
    check(fields, "attendees", "a list", Value::is_array)?;
    check(fields, "reminders", "an object", Value::is_object)
}

/// An id that a client chooses: base32hex, 5 to 1024 characters.
fn event_id(id: &str) -> Result<(), Refusal> {
    let fine = |letter: char| letter.is_ascii_digit() || ('a'..='v').contains(&letter);
    if (5..=1_024).contains(&id.len()) && id.chars().all(fine) {
        return Ok(());
    }
    Err(Refusal::invalid("Invalid resource id value."))
}

fn check(fields: &Map<String, Value>, key: &str, kind: &str, fine: fn(&Value) -> bool) -> Result<(), Refusal> {
    match fields.get(key) {
        Some(value) if !value.is_null() && !fine(value) => Err(Refusal::invalid(format!("{key} must be {kind}"))),
        _ => Ok(()),
    }
}

fn one_of(fields: &Map<String, Value>, key: &str, words: &[&str]) -> Result<(), Refusal> {
    match fields.get(key) {
        Some(value) if !value.as_str().is_some_and(|word| words.contains(&word)) => {
            Err(Refusal::invalid(format!("Invalid value for {key}: {value}")))
        }
        _ => Ok(()),
    }
}

/// `{"dateTime", "timeZone"}` or `{"date"}`, not both.
fn moment(key: &str, time: &Value) -> Result<(), Refusal> {
    let fields = time.as_object().ok_or_else(|| Refusal::invalid(format!("{key} must be an object")))?;
    keys(fields, &["date", "dateTime", "timeZone"], &[])?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    if let Some(zone) = text("timeZone")
        && jiff::tz::TimeZone::get(zone).is_err()
    {
        return Err(Refusal::invalid(format!("Invalid time zone definition for {key} time.")));
    }
    match (text("date"), text("dateTime")) {
        (None, Some(time)) => with_offset(key, time).map(drop),
        (Some(day), None) if day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok() => Ok(()),
        (Some(_), Some(_)) => Err(Refusal::invalid(format!("{key}: date and dateTime exclude each other"))),
        (Some(_) | None, None) => Err(Refusal::invalid(format!("Invalid {key} time."))),
    }
}

/// Texts under keys of at most 44 characters, each at most 1024 long.
fn properties(value: &Value) -> Result<(), Refusal> {
    let fields = value.as_object().ok_or_else(|| Refusal::invalid("extendedProperties must be an object"))?;
    keys(fields, &["private", "shared"], &[])?;
    for (key, value) in fields.values().filter_map(Value::as_object).flatten() {
        let fits = |text: &str| text.len() <= 1_024;
        if key.len() > 44 || !(value.is_null() || value.as_str().is_some_and(fits)) {
            return Err(Refusal::invalid(format!("Invalid extended property {key}")));
        }
    }
    Ok(())
}
