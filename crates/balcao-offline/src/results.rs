//! Reading tool results: tolerant of extra fields and of the several names that one thing goes by.

use balcao_language::format::END_OF_DAY;
use jiff::civil::{Date, DateTime, Time};
use serde_json::Value;

/// A tool's sentence, unless it speaks of the customer to a third person.
#[must_use]
pub fn message(value: &Value) -> Option<String> {
    let message = text(value, &["message"])?;
    let folded = balcao_language::normalize(&message);
    let third_person = ["cliente", "customer", "contact", "contato"].iter().any(|word| folded.contains(word));
    (!third_person).then_some(message)
}

/// What the tools of pack `calendar` are called elsewhere, where they do the same.
#[must_use]
pub fn usual_name(tool: &str) -> &str {
    match tool {
        "scheduleAppointmentTool" | "book_appointment" => "create_appointment",
        "cancelAppointmentTool" => "cancel_appointment",
        "rescheduleAppointmentTool" => "reschedule_appointment",
        "listEventsTool" => "get_appointment_history",
        "getAvailableSlotsTool" => "get_services",
        other => other,
    }
}

/// True if a booking was refused because of its time: taken, closed, too soon or beside the grid.
#[must_use]
pub fn is_no_slot(value: &Value) -> bool {
    let reason = value.get("reason").and_then(Value::as_str);
    reason.is_some_and(|reason| ["SLOT_TAKEN", "OUTSIDE_HOURS", "TOO_SOON", "OFF_GRID"].contains(&reason))
}

/// One answered tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The tool.
    pub name: String,
    /// The arguments it was called with; `Null` if unknown or unreadable.
    pub arguments: Value,
    /// The result; a JSON string if it was no JSON.
    pub result: Value,
}

impl Outcome {
    /// The error code, if the call failed.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.result.get("error")?;
        // A correct "no" may word itself so: it has a reason, and no code.
        if self.result.get("code").is_none() && self.result.get("reason").is_some() {
            return None;
        }
        Some(self.result.get("code").and_then(Value::as_str).unwrap_or("internal"))
    }

    /// True if the tool did what it was asked.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.code().is_none() && self.result.get("success").and_then(Value::as_bool).unwrap_or(true)
    }

    /// True if the call waits for the customer's agreement.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.code() == Some("confirmation_required")
    }

    /// The summary to agree to, of a held call.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.result.get("details")?.get("summary")?.as_str()
    }
}

/// An appointment as a tool names it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Appointment {
    /// Its id, as the tool wrote it.
    pub id: Option<Value>,
    /// The day.
    pub date: Option<Date>,
    /// The start.
    pub time: Option<Time>,
    /// Who serves.
    pub professional: Option<String>,
    /// What is done.
    pub service: Option<String>,
    /// The attendee, if another person than the contact comes.
    pub attendee: Option<String>,
}

/// The free starts of one day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Availability {
    /// True if the professional who was asked for has no hours at all.
    pub no_hours: bool,
    /// Free starts by professional, in the tool's order; professionals without any are left out.
    pub free: Vec<(String, Vec<Time>)>,
    /// The next opening, if the day has none.
    pub next: Option<Appointment>,
    /// Why the question itself was refused: a day that is over, a service that the professional does not offer.
    pub refusal: Option<String>,
    /// Who offers the service instead.
    pub offered_by: Vec<String>,
}

/// The first of `keys` that holds a text or a number.
#[must_use]
pub fn text(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match value.get(key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(inner) => inner.get("name").and_then(Value::as_str).map(str::to_owned),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => None,
    })
}

/// A day written `YYYY-MM-DD`, `DD/MM/YYYY` or as the start of a date-time.
#[must_use]
pub fn date_of(text: &str) -> Option<Date> {
    let day = text.split(['T', ' ']).next()?;
    day.parse().ok().or_else(|| {
        let mut parts = day.split('/').map(str::parse::<i16>);
        let (day, month, year) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    })
}

/// A time written `HH:MM`, `HH:MM:SS` or as the end of a date-time.
#[must_use]
pub fn time_of(text: &str) -> Option<Time> {
    if let Ok(at) = text.parse::<DateTime>() {
        return text.contains(':').then(|| at.time());
    }
    let clock = text.split(['T', ' ']).next_back()?;
    if clock == "24:00" {
        return Some(END_OF_DAY);
    }
    let mut parts = clock.split(':');
    let hour = parts.next()?.parse().ok()?;
    let minute = parts.next()?.get(..2)?.parse().ok()?;
    Time::new(hour, minute, 0, 0).ok()
}

/// Reads one appointment, slot or alternative.
#[must_use]
pub fn appointment(value: &Value) -> Appointment {
    if let Some(text) = value.as_str() {
        return Appointment { date: date_of(text), time: time_of(text), ..Appointment::default() };
    }
    let when = text(value, &["starts_at", "starts", "start", "datetime", "date_time"]);
    let day = text(value, &["date", "new_date", "newDate", "day"]).or_else(|| when.clone());
    let clock =
        text(value, &["start_hour", "start_time", "time", "hour", "slot", "new_start_hour", "newTime"]).or(when);
    Appointment {
        id: ["appointment_id", "eventId", "id"]
            .iter()
            .find_map(|key| value.get(key))
            .filter(|id| !id.is_null())
            .cloned(),
        date: day.as_deref().and_then(date_of),
        time: clock.as_deref().and_then(time_of),
        professional: text(value, &["barber", "barber_name", "professional", "professional_name"]),
        service: text(value, &["service", "service_name"]),
        attendee: text(value, &["attendee"]),
    }
}

/// Reads the appointments under the first of `keys` that holds a list.
#[must_use]
pub fn appointments(value: &Value, keys: &[&str]) -> Vec<Appointment> {
    let list = keys.iter().find_map(|key| value.get(key)?.as_array());
    list.map(|list| list.iter().map(appointment).collect()).unwrap_or_default()
}

/// Reads a `check_availability` result.
#[must_use]
pub fn availability(value: &Value) -> Availability {
    let list = value.get("results").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let free = list.iter().filter_map(|entry| {
        let name = text(entry, &["barber", "barber_name", "professional", "name"])?;
        let slots = entry.get("available_slots").or_else(|| entry.get("slots"))?.as_array()?;
        let times: Vec<Time> = slots.iter().filter_map(|slot| appointment(slot).time).collect();
        (!times.is_empty()).then_some((name, times))
    });
    let next = value.get("next_available").filter(|next| !next.is_null());
    let next = next.map(|next| match next.as_array() {
        Some(list) => list.first().map(appointment).unwrap_or_default(),
        None => next_opening(next),
    });
    let others = value.get("offered_by").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Availability {
        free: free.collect(),
        next: next.filter(|next| next.date.is_some()),
        no_hours: text(value, &["reason"]).as_deref() == Some("NO_HOURS"),
        refusal: value.get("reason").and_then(|_| message(value)),
        offered_by: others.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

fn next_opening(value: &Value) -> Appointment {
    let mut next = appointment(value);
    let inner = ["available_slots", "slots"].iter().find_map(|key| value.get(key)?.as_array()?.first());
    if next.time.is_none() {
        next.time = inner.and_then(|slot| appointment(slot).time);
    }
    let per_professional = value.get("results").map(|_| availability_first(value));
    if let Some(Some((name, time))) = per_professional {
        next.professional = next.professional.or(Some(name));
        next.time = next.time.or(Some(time));
    }
    next
}

fn availability_first(value: &Value) -> Option<(String, Time)> {
    let entry = value.get("results")?.as_array()?.first()?;
    let name = text(entry, &["barber", "barber_name"])?;
    let slot = entry.get("available_slots")?.as_array()?.first()?;
    Some((name, appointment(slot).time?))
}

/// Whether a booking found that the contact had that very appointment already, so that nothing was done.
#[must_use]
pub fn was_booked(result: &Value) -> bool {
    ["already_booked", "alreadyBooked"].iter().any(|key| result.get(key).and_then(Value::as_bool) == Some(true))
}

/// A price as it is said: given as a number of reais, a decimal text, or already worded.
#[must_use]
pub fn price(value: &Value, locale: balcao_language::Locale) -> Option<String> {
    if let Some(cents) = value.get("price_cents").and_then(Value::as_i64) {
        return Some(balcao_language::format::reais(cents, locale));
    }
    let written = text(value, &["price", "value", "amount"])?;
    if written.contains('$') || written.contains(',') {
        return Some(written);
    }
    let (whole, part) = written.split_once('.').unwrap_or((&written, ""));
    let mut digits: String = part.chars().take(2).collect();
    while digits.len() < 2 {
        digits.push('0');
    }
    let cents = format!("{whole}{digits}").parse().ok()?;
    Some(balcao_language::format::reais(cents, locale))
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
