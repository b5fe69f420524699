//! Times of day as customers name them: "15h30", "às 3 da tarde", "3 e meia", "depois das 18h", "de manhã".
//!
//! The rules, where people differ:
//! - "Manhã", "tarde", "noite", `am` and `pm` settle an hour, also from elsewhere in the text ("amanhã de manhã às 7") if
//!   it is the only time and the only period there.
//! - A bare hour ("às 3", "3 e meia") from 1 to 7 is in the afternoon or evening, because a front desk's day runs from 8 to
//!   20 or so; with `h` or minutes in figures ("3h", "3:30") that holds from 1 to 6. Such a reading says so (`assumed_pm`).
//!   A leading zero ("07:00") or a figure above 12 is taken as written. Where a business is open by then
//!   ([`find_times_from`]), the hour is the morning's, too: "às 6" at a gym that opens at 5.
//! - A number counts as an hour only with a sign of one: `h`, minutes, "às", a period. [`bare_hours`] reads naked numbers,
//!   for the answer to "que horas?".
//! - "Boa tarde", "mais tarde", "daqui a 2 horas", "uma hora antes" are no times.

mod periods;
mod scan;

use jiff::civil::Time;

use crate::normalize::tokens;

/// A time or window of time, found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeMatch {
    /// Byte offset in the text of its first character.
    pub start: usize,
    /// Byte offset after its last character.
    pub end: usize,
    /// What it names.
    pub reading: TimeReading,
}

/// What a time expression names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeReading {
    /// One time of day.
    At {
        /// The time, to the minute.
        time: Time,
        /// True if the text left morning or afternoon open and the afternoon was assumed.
        assumed_pm: bool,
        /// True for "umas 5", "por volta das 5".
        approximate: bool,
    },
    /// A part of the day.
    Window(TimeWindow),
}

/// The starts that a customer would accept: `from` to `until`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    /// The earliest start.
    pub from: Time,
    /// The latest start.
    pub until: Time,
    /// The period it was named by, if any.
    pub period: Option<Period>,
}

impl TimeWindow {
    /// True if a start at `time` would do.
    #[must_use]
    pub fn contains(&self, time: Time) -> bool {
        self.from <= time && time <= self.until
    }
}

/// A named part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// Before noon.
    Morning,
    /// Noon to 17:59.
    Afternoon,
    /// From 18:00.
    Evening,
    /// Before 6:00.
    Night,
}

/// All times and windows that a text names, in its order, without overlaps.
#[must_use]
pub fn find_times(text: &str) -> Vec<TimeMatch> {
    find_times_from(text, Time::MAX)
}

/// Like [`find_times`], for a business that `opens` at that time: a bare hour from then on is as written.
///
/// With midnight every hour is as written, as in texts of ours, which leave no afternoon out.
#[must_use]
pub fn find_times_from(text: &str, opens: Time) -> Vec<TimeMatch> {
    scan::scan(&tokens(text), scan::Bare::Refused, opens)
}

/// Like [`find_times`], but a naked number that could be an hour counts: "10", "pode ser 10", "o das 10 e meia".
///
/// Only for texts that answer a question for a time.
#[must_use]
pub fn bare_hours(text: &str) -> Vec<TimeMatch> {
    bare_hours_from(text, Time::MAX)
}

/// Like [`bare_hours`], for a business that `opens` at that time, as in [`find_times_from`].
#[must_use]
pub fn bare_hours_from(text: &str, opens: Time) -> Vec<TimeMatch> {
    scan::scan(&tokens(text), scan::Bare::Accepted, opens)
}

/// Reads a text that is meant to name one time and nothing else, such as a tool's argument. `None` if it does not.
#[must_use]
pub fn resolve_time(text: &str) -> Option<Time> {
    let matches = bare_hours(text);
    let [TimeMatch { start, end, reading: TimeReading::At { time, .. } }] = matches.as_slice() else { return None };
    let outside = |token: &crate::normalize::Token| token.end <= *start || token.start >= *end;
    let stray = tokens(text).iter().any(|token| outside(token) && !["as", "a", "at"].contains(&token.text.as_str()));
    (!stray).then_some(*time)
}

#[cfg(test)]
#[path = "times_tests.rs"]
mod tests;
