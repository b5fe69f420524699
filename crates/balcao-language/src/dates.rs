//! Days as customers name them: "amanhã", "sexta que vem", "dia 15", "15/12", "daqui a 3 dias", "next Friday".
//!
//! The rules, where people differ:
//! - A bare weekday ("sexta", "na sexta", "sexta que vem", "próxima sexta", "next Friday") is its next occurrence **after**
//!   today, one to seven days ahead: "terça que vem" said on a Tuesday is a week later. "Nesta sexta", "sexta agora" and
//!   "this Friday" may be today itself.
//! - "Sexta da semana que vem", "da próxima semana", "da outra semana" is that day in the week after this one; weeks begin
//!   on Monday. "Sexta passada" is the last one before today.
//! - "Dia 15" is the next 15th from today on, in a month that has one. A date without a year is the next such date from
//!   today on. Day comes before month; month before day is read only where the other order is impossible ("04/21").
//! - A two-digit year is 20xx below 70, 19xx from there.
//! - A weekday beside a date must be that date's weekday, else the date is a [`DateProblem::WeekdayMismatch`].
//! - "Terça 25" is the 25th, if that day is a Tuesday, else a problem; a number that may be an hour ("sexta 10") is left alone then.
//! - "Do dia 3 ao dia 12", "entre 19 e 20 de novembro", "de 4 a 22 deste mês" are spans; two bare numbers are not.
//! - Feasts are Brazil's: fathers' day is in August. "Duas semanas antes do natal" counts from the feast.
//! - "Semana que vem", "fim de semana", "mês que vem" are spans, not days.
//!
//! Replies echo weekday and date, so a customer who meant the other Friday sees it.

mod holidays;
mod joined;
mod names;
mod ranges;
mod scan;
mod spans;

use jiff::civil::{Date, Weekday};

pub use names::month_named;
pub use names::weekday_named;

use crate::{
    fold::{Token, TokenKind, tokens},
    say::{self, Locale},
};

/// A day or span of days, found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateMatch {
    /// Byte offset in the text of its first character.
    pub start: usize,
    /// Byte offset after its last character.
    pub end: usize,
    /// What it names, or why it names nothing.
    pub reading: Result<DateSpan, DateProblem>,
}

/// What a date expression names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateSpan {
    /// One day.
    Day(Date),
    /// Several: both ends included.
    Range {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
    },
}

/// A text that names one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedDate {
    /// The day.
    pub date: Date,
    /// Its weekday, for the echo.
    pub weekday: Weekday,
}

/// Why a text does not name one day. `Display` is written for a model that must mend its argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DateProblem {
    /// No date in it, or more than a date.
    #[error("`{text}` is not a date: write YYYY-MM-DD, or words such as \"amanhã\" or \"sexta\"")]
    NotADate {
        /// What was given.
        text: String,
    },
    /// A date that no calendar has.
    #[error("`{written}` does not exist in the calendar")]
    Impossible {
        /// As it was written.
        written: String,
    },
    /// The weekday and the date beside it contradict each other.
    #[error("{date} is a {}, not a {}", say::weekday(*actual, Locale::En), say::weekday(*said, Locale::En))]
    WeekdayMismatch {
        /// The weekday that was named.
        said: Weekday,
        /// The date that was named.
        date: Date,
        /// The weekday of that date.
        actual: Weekday,
    },
    /// A span where one day is needed.
    #[error("{first} to {last} are several days: choose one")]
    SeveralDays {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
    },
}

/// All days and spans that a text names, in its order, without overlaps. "Sexta, 27/11" is one match.
#[must_use]
pub fn find_dates(text: &str, today: Date) -> Vec<DateMatch> {
    let tokens = tokens(text);
    let found = scan::scan(text, &tokens, today);
    found
        .into_iter()
        .map(|found| DateMatch {
            start: tokens.get(found.from).map_or(0, |token| token.start),
            end: tokens.get(found.to.saturating_sub(1)).map_or(text.len(), |token| token.end),
            reading: found.reading,
        })
        .collect()
}

/// Reads a text that is meant to name one day and nothing else, such as a tool's argument.
///
/// # Errors
/// [`DateProblem`], each with what is needed to ask again.
pub fn resolve_date(text: &str, today: Date) -> Result<ResolvedDate, DateProblem> {
    let not_a_date = || DateProblem::NotADate { text: text.to_owned() };
    let matches = find_dates(text, today);
    let [only] = matches.as_slice() else { return Err(not_a_date()) };
    let outside = |token: &Token| token.end <= only.start || token.start >= only.end;
    if tokens(text).iter().any(|token| outside(token) && !is_filler(token)) {
        return Err(not_a_date());
    }
    match only.reading.clone()? {
        DateSpan::Day(date) => Ok(ResolvedDate { date, weekday: date.weekday() }),
        DateSpan::Range { first, last } => Err(DateProblem::SeveralDays { first, last }),
    }
}

fn is_filler(token: &Token) -> bool {
    const WORDS: [&str; 16] =
        ["no", "na", "nos", "nas", "em", "para", "pra", "pro", "o", "a", "de", "do", "da", "on", "the", "for"];
    match token.kind {
        TokenKind::Mark => token.text != "-",
        TokenKind::Word => WORDS.contains(&token.text.as_str()),
        TokenKind::Number => false,
    }
}

#[cfg(test)]
#[path = "dates_tests.rs"]
mod tests;
