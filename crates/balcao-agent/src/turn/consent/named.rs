//! What a call and a text name.

use balcao_language::{DateMatch, DateSpan, find_dates, find_times, is_first_name, normalize, weekday_named};
use jiff::civil::Date;
use serde_json::Value;

use super::vocabulary::TITLES;
use crate::turn::grounding::words;

/// The values of the arguments as one text.
pub(super) fn in_words(args: &Value) -> String {
    let values = args.as_object().into_iter().flatten().map(|(_, value)| value);
    let words: Vec<String> = values.filter_map(|value| value.as_str().map(normalize)).collect();
    words.join(" , ")
}

/// The words of a name that tell it from others.
pub(super) fn telling(name: &str) -> Vec<String> {
    words(name).into_iter().filter(|word| word.len() >= 3).collect()
}

/// The names behind "com": those with a capital, and first names.
pub(super) fn company(text: &str) -> Vec<String> {
    let (mut found, mut is_behind_with) = (Vec::new(), false);
    for written in text.split_whitespace() {
        let word = words(written).concat();
        let is_small = ["o", "a"].contains(&word.as_str()) || TITLES.contains(&word.as_str());
        let is_day = weekday_named(&word).is_some();
        if is_behind_with && !is_small {
            let is_name = is_first_name(&word) || written.starts_with(char::is_uppercase) && !is_day;
            found.extend(is_name.then_some(word));
            is_behind_with = false;
        } else {
            is_behind_with = ["com", "with"].contains(&word.as_str()) || is_behind_with;
        }
    }
    found
}

/// The spans of days that a text names: "esta semana", "em dezembro".
pub(super) fn ranges_in(text: &str, today: Date) -> Vec<(Date, Date)> {
    let range = |found: DateMatch| match found.reading {
        Ok(DateSpan::Range { first, last }) => Some((first, last)),
        _ => None,
    };
    find_dates(text, today).into_iter().filter_map(range).collect()
}

/// The days that a text names.
pub(super) fn days_in(line: &str, today: Date) -> Vec<Date> {
    let found = find_dates(line, today).into_iter();
    found.filter_map(|found| if let Ok(DateSpan::Day(day)) = found.reading { Some(day) } else { None }).collect()
}

/// A text with nothing in the place of its days and times.
pub(super) fn without_when(text: &str, today: Date) -> String {
    let days = find_dates(text, today);
    let times = find_times(text);
    let mut spans: Vec<(usize, usize)> = days
        .iter()
        .map(|found| (found.start, found.end))
        .chain(times.iter().map(|found| (found.start, found.end)))
        .collect();
    spans.sort_unstable();
    let (mut rest, mut done) = (String::new(), 0);
    for (start, end) in spans {
        rest.push_str(text.get(done..start.max(done)).unwrap_or_default());
        rest.push(' ');
        done = done.max(end);
    }
    rest.push_str(text.get(done..).unwrap_or_default());
    rest
}
