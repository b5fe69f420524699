//! Times as the tools give them: written, thinned out, the nearest ones.

use jiff::civil::Time;
use serde_json::Value;

use crate::results;

/// How many times of one professional, professionals and days an offer names.
pub(super) const OFFERED_TIMES: usize = 4;

/// A time as tools want it.
pub(super) fn clock(time: Time) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

/// A summary as a question.
pub(super) fn asking(summary: &str, locale: balcao_language::Locale) -> String {
    let summary = summary.trim();
    if summary.contains('?') {
        return summary.to_owned();
    }
    let ask = match locale {
        balcao_language::Locale::PtBr => "Confirma?",
        balcao_language::Locale::En => "Shall I go ahead?",
    };
    let stop = if summary.ends_with(['.', '!']) { "" } else { "." };
    format!("{summary}{stop} {ask}")
}

/// A few of the times, spread over the day, the first and last among them.
pub(super) fn spread(times: &[Time]) -> Vec<Time> {
    let last = times.len().saturating_sub(1);
    if times.len() <= OFFERED_TIMES {
        return times.to_vec();
    }
    let steps = OFFERED_TIMES.saturating_sub(1);
    (0..OFFERED_TIMES).filter_map(|step| times.get(step.saturating_mul(last) / steps).copied()).collect()
}

/// The times nearest to a wanted one, in their order.
pub(super) fn nearest(times: &[Time], wanted: Time) -> Vec<Time> {
    let minutes = |time: Time| i32::from(time.hour()) * 60 + i32::from(time.minute());
    let mut near = times.to_vec();
    near.sort_by_key(|time| (minutes(*time) - minutes(wanted)).abs());
    near.truncate(OFFERED_TIMES);
    near.sort_unstable();
    near
}

/// The names that an error suggests.
pub(super) fn candidates(result: &Value) -> Vec<String> {
    let details = result.get("details").unwrap_or(result);
    let keys = ["candidates", "nearest", "available", "options", "suggestions"];
    let found = keys.iter().find_map(|key| details.get(key));
    let name = |value: &Value| value.as_str().map(str::to_owned).or_else(|| results::text(value, &["name"]));
    match found {
        Some(Value::Array(list)) => list.iter().filter_map(name).collect(),
        Some(one) => name(one).into_iter().collect(),
        None => Vec::new(),
    }
}
