//! Events that repeat: the rules `DAILY`, `WEEKLY` and `MONTHLY` of RFC 5545 with `INTERVAL`, `COUNT` and `UNTIL`, and their instances.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use serde_json::{Map, Value, json};

use super::refusal::Refusal;
use super::state::Event;

/// The instances of a series that are made at most.
const MOST: usize = 730;

/// How a series goes on.
struct Rule {
    step: Span,
    count: Option<usize>,
    until: Option<Timestamp>,
}

fn read(line: &str) -> Result<Rule, Refusal> {
    let invalid = || Refusal::invalid("Invalid recurrence rule.");
    let parts = line.strip_prefix("RRULE:").ok_or_else(invalid)?;
    let (mut unit, mut every, mut count, mut until) = (None, 1, None, None);
    for part in parts.split(';') {
        match part.split_once('=').ok_or_else(invalid)? {
            ("FREQ", word @ ("DAILY" | "WEEKLY" | "MONTHLY")) => unit = Some(word),
            ("INTERVAL", many) => {
                every = many.parse::<i32>().ok().filter(|many| (1..=99).contains(many)).ok_or_else(invalid)?
            }
            ("COUNT", many) => count = Some(many.parse().map_err(|_number| invalid())?),
            ("UNTIL", text) => {
                let end =
                    DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok().and_then(|end| end.to_zoned(TimeZone::UTC).ok());
                until = Some(end.ok_or_else(invalid)?.timestamp());
            }
            _ => return Err(invalid()),
        }
    }
    let step = match unit.ok_or_else(invalid)? {
        "DAILY" => Span::new().days(every),
        "WEEKLY" => Span::new().weeks(every),
        _ => Span::new().months(every),
    };
    Ok(Rule { step, count, until })
}

fn rule(body: &Map<String, Value>) -> Result<Option<Rule>, Refusal> {
    let Some(lines) = body.get("recurrence") else { return Ok(None) };
    let invalid = || Refusal::invalid("recurrence must be a list of one RRULE");
    let [Value::String(line)] = lines.as_array().map(Vec::as_slice).ok_or_else(invalid)? else { return Err(invalid()) };
    read(line).map(Some)
}

/// Refuses a rule that cannot be read, and a series with a time but without its zone.
pub(super) fn check(body: &Map<String, Value>) -> Result<(), Refusal> {
    if rule(body)?.is_none() {
        return Ok(());
    }
    for key in ["start", "end"] {
        let time = body.get(key).unwrap_or(&Value::Null);
        if time.get("dateTime").is_some() && time.get("timeZone").is_none() {
            return Err(Refusal::invalid(format!("Missing time zone definition for {key} time.")));
        }
    }
    Ok(())
}

/// The instances of a series that begin before `until`, its exceptions not regarded.
pub(super) fn instances(series: &Event, until: Timestamp) -> Vec<Event> {
    let Ok(Some(rule)) = rule(&series.body) else { return Vec::new() };
    let (Some(start), Some(end)) = (series.body.get("start"), series.body.get("end")) else { return Vec::new() };
    let mut made = Vec::new();
    for number in 0..rule.count.unwrap_or(MOST).min(MOST) {
        let Some((key, start_at, shifted)) = shift(start, rule.step, number) else { break };
        let Some((_, _, shifted_end)) = shift(end, rule.step, number) else { break };
        if start_at >= until || rule.until.is_some_and(|last| start_at > last) {
            break;
        }
        let mut body = series.body.clone();
        body.remove("recurrence");
        let id = series.text("id").unwrap_or_default();
        body.insert("id".to_owned(), json!(format!("{id}_{key}")));
        body.insert("recurringEventId".to_owned(), json!(id));
        body.insert("originalStartTime".to_owned(), shifted.clone());
        body.insert("start".to_owned(), shifted);
        body.insert("end".to_owned(), shifted_end);
        made.push(Event { body, revision: series.revision });
    }
    made
}

/// A time `number` steps later, on the clock of its zone, with what the instance's id ends in.
fn shift(time: &Value, step: Span, number: usize) -> Option<(String, Timestamp, Value)> {
    let steps = i64::try_from(number).ok()?;
    let by = step.checked_mul(steps).ok()?;
    if let Some(day) = time.get("date").and_then(Value::as_str) {
        let day = day.parse::<Date>().ok()?.checked_add(by).ok()?;
        let at = day.to_zoned(TimeZone::UTC).ok()?.timestamp();
        return Some((day.strftime("%Y%m%d").to_string(), at, json!({ "date": day.to_string() })));
    }
    let zone = time.get("timeZone")?.as_str()?;
    let at: Timestamp = time.get("dateTime")?.as_str()?.parse().ok()?;
    let shifted: Zoned = at.in_tz(zone).ok()?.checked_add(by).ok()?;
    let key = shifted.timestamp().to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string();
    let text = shifted.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    Some((key, shifted.timestamp(), json!({ "dateTime": text, "timeZone": zone })))
}
