//! How much of a message is looked at: a list of hundreds of days costs no more than one of a few.

use jiff::civil::{Date, date};

use crate::dates::find_dates;
use crate::times::find_times;

/// Days, and times, of one message that are looked at. Whoever names more is not asking for an appointment.
pub const MOST_MOMENTS: usize = 20;

/// Only where days stand matters here, not which they are.
const ANY_DAY: Date = date(2026, 1, 1);

/// The beginning of a message, up to the last day or time that is looked at; the whole of one that names no more.
#[must_use]
pub fn looked_at(text: &str) -> &str {
    let last = |ends: Vec<usize>| {
        (ends.len() > MOST_MOMENTS).then(|| ends.get(MOST_MOMENTS.saturating_sub(1)).copied()).flatten()
    };
    let days = last(find_dates(text, ANY_DAY).iter().map(|found| found.end).collect());
    let times = last(find_times(text).iter().map(|found| found.end).collect());
    let end = days.into_iter().chain(times).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h03_of_a_list_of_five_hundred_days_or_times_twenty_are_looked_at() {
        for (word, named) in [("amanhã", 0), ("25/12/2026", 0), ("às 15h30", 1), ("segunda, terça", 0)] {
            let list = vec![word; 500].join(" ");
            let seen = looked_at(&list);
            let found = [find_dates(seen, ANY_DAY).len(), find_times(seen).len()];
            assert_eq!(found.get(named), Some(&MOST_MOMENTS), "{word}: {seen}");
            assert!(list.starts_with(seen) && seen.len() < list.len() / 8, "{word}");
        }
    }

    #[test]
    fn what_names_no_more_is_looked_at_whole() {
        for text in [
            "",
            "oi",
            "amanhã às 15h ou sexta de manhã, tanto faz",
            &"quero um corte ".repeat(250),
            &"amanhã ".repeat(20),
        ] {
            assert_eq!(looked_at(text), text);
        }
    }
}
