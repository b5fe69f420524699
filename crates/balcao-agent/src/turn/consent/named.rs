//! What a call and a text name.

use balcao_language::{DateMatch, DateSpan, find_dates, find_times, normalize};
use jiff::civil::Date;
use serde_json::Value;

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
