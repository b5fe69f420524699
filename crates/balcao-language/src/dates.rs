//! Days as customers name them: "amanhã", "sexta que vem", "dia 15", "15/12", "daqui a 3 dias", "next Friday".
//!
//! The rules, where people differ:
//! - A bare weekday ("sexta", "na sexta", "sexta que vem", "próxima sexta", "next Friday") is its next occurrence **after**
//!   today, one to seven days ahead: "terça que vem" said on a Tuesday is a week later. "Nesta sexta", "sexta agora" and
//!   "this Friday" may be today itself.
//! - "Sexta da semana que vem", "da próxima semana", "da outra semana" is that day in the week after this one; weeks begin
//!   on Monday. "Sexta passada" is the last one before today.
//! - "Dia 15" is the next 15th from today on, in a month that has one. A date without a year is the next such date from
//!   today on. Day comes before month; month before day is read only where the other order is impossible ("04/21/2026",
//!   "4-21"), and not from "12/13" alone, which is a slip in Portuguese. In English both orders are usual: "03/04" may be
//!   either day, and is [`DateProblem::Ambiguous`] unless a weekday decides.
//! - "De hoje a oito" is the same weekday one week later, "a quinze" two.
//! - A two-digit year is 20xx below 70, 19xx from there.
//! - A weekday beside a date must be that date's weekday, else the date is a [`DateProblem::WeekdayMismatch`].
//! - "Terça 25" is the 25th, if that day is a Tuesday, else a problem. So is "sexta 10": an hour is written "10h" or "às 10".
//! - "Quero a segunda" is Monday or the second of what was offered: [`DateProblem::Ambiguous`]; "na segunda" is Monday.
//! - "Sexta ou sábado", "dia 5 ou 6" are two finds, of which the second says that it stands instead of the first
//!   ([`DateMatch::either`]). Where one day is needed, they are [`DateProblem::Ambiguous`].
//! - "Do dia 3 ao dia 12", "entre 19 e 20 de novembro", "de 4 a 22 deste mês" are spans; two bare numbers are not.
//! - Feasts are Brazil's: fathers' day is in August. "Duas semanas antes do natal" counts from the feast.
//! - "Semana que vem", "fim de semana", "mês que vem" are spans, not days.
//!
//! Replies echo weekday and date, so a customer who meant the other Friday sees it.

mod alternatives;
mod compact;
mod holidays;
mod names;
mod ranges;
mod relative;
mod scan;
mod scanner;
mod spans;
mod weekdays;

use balcao_domain::Locale;
use jiff::civil::{Date, Weekday};

pub use names::month_named;
pub use names::weekday_named;

use crate::{
    format,
    normalize::{Token, TokenKind, tokens},
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
    /// True if it stands instead of the one before it: "sábado" in "sexta ou sábado". One of them is meant.
    pub either: bool,
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

/// What an ambiguous text may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// This day.
    Day(Date),
    /// The thing at this place, counted from 1, of what was offered before: "a segunda" is the second.
    Place(u8),
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
    #[error("{date} is a {}, not a {}", format::weekday(*actual, Locale::En), format::weekday(*said, Locale::En))]
    WeekdayMismatch {
        /// The weekday that was named.
        said: Weekday,
        /// The date that was named.
        date: Date,
        /// The weekday of that date.
        actual: Weekday,
    },
    /// It may mean several things, and only its writer knows which.
    #[error("this may be {}: ask which is meant", in_words(readings))]
    Ambiguous {
        /// At least two, all different, the likelier first; at least one is a day.
        readings: Vec<Meaning>,
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

impl DateProblem {
    /// The days that an ambiguous text may mean, in its order; none for other problems.
    #[must_use]
    pub fn readings(&self) -> Vec<Date> {
        let Self::Ambiguous { readings } = self else { return Vec::new() };
        let days = readings.iter().filter_map(|meaning| match meaning {
            Meaning::Day(day) => Some(*day),
            Meaning::Place(_) => None,
        });
        days.collect()
    }
}

fn in_words(readings: &[Meaning]) -> String {
    let words = readings.iter().map(|meaning| match meaning {
        Meaning::Day(day) => format!("{day} ({})", format::weekday(day.weekday(), Locale::En)),
        Meaning::Place(place) => format!("number {place} of what was offered"),
    });
    format::list(&words.collect::<Vec<_>>(), "or")
}

/// All days and spans that a text names, in its order, without overlaps. "Sexta, 27/11" is one match.
///
/// The text tells its language, and is Portuguese if it tells none.
#[must_use]
pub fn find_dates(text: &str, today: Date) -> Vec<DateMatch> {
    find_dates_in(text, today, Locale::PtBr)
}

/// Like [`find_dates`], in a conversation of that language: it counts for texts that tell none, such as "03/04".
#[must_use]
pub fn find_dates_in(text: &str, today: Date, locale: Locale) -> Vec<DateMatch> {
    let tokens = tokens(text);
    let found = scan::scan(text, &tokens, today, locale);
    found
        .into_iter()
        .map(|found| DateMatch {
            start: tokens.get(found.from).map_or(0, |token| token.start),
            end: tokens.get(found.to.saturating_sub(1)).map_or(text.len(), |token| token.end),
            reading: found.reading,
            either: found.either,
        })
        .collect()
}

/// Reads a text that is meant to name one day and nothing else, such as a tool's argument.
///
/// It is meant as a day: "a segunda" is Monday here.
///
/// # Errors
/// [`DateProblem`], each with what is needed to ask again.
pub fn resolve_date(text: &str, today: Date) -> Result<ResolvedDate, DateProblem> {
    resolve_date_in(text, today, Locale::PtBr)
}

/// Like [`resolve_date`], in a conversation of that language.
///
/// # Errors
/// As [`resolve_date`].
pub fn resolve_date_in(text: &str, today: Date, locale: Locale) -> Result<ResolvedDate, DateProblem> {
    let not_a_date = || DateProblem::NotADate { text: text.to_owned() };
    let day = |date: Date| ResolvedDate { date, weekday: date.weekday() };
    let matches = find_dates_in(text, today, locale);
    let (only, others) = matches.split_first().ok_or_else(not_a_date)?;
    let outside = |token: &Token| matches.iter().all(|found| token.end <= found.start || token.start >= found.end);
    let filler = |token: &Token| is_filler(token) || !others.is_empty() && ["ou", "or"].contains(&token.text.as_str());
    if tokens(text).iter().any(|token| outside(token) && !filler(token)) {
        return Err(not_a_date());
    }
    if !others.is_empty() {
        let days = others.iter().all(|found| found.either).then(|| alternatives::days(&matches)).flatten();
        return Err(DateProblem::Ambiguous { readings: days.ok_or_else(not_a_date)? });
    }
    match only.reading.clone() {
        Ok(DateSpan::Day(date)) => Ok(day(date)),
        Ok(DateSpan::Range { first, last }) => Err(DateProblem::SeveralDays { first, last }),
        Err(problem) => match problem.readings().as_slice() {
            [date] => Ok(day(*date)),
            _ => Err(problem),
        },
    }
}

fn is_filler(token: &Token) -> bool {
    const WORDS: [&str; 17] =
        ["no", "na", "nos", "nas", "em", "para", "pra", "pro", "o", "a", "de", "do", "da", "dia", "on", "the", "for"];
    match token.kind {
        TokenKind::Mark => token.text != "-",
        TokenKind::Word => WORDS.contains(&token.text.as_str()),
        TokenKind::Number => false,
    }
}

#[cfg(test)]
#[path = "dates_tests.rs"]
mod tests;
