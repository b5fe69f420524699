//! Everything in a text that names a day: finds from each token on, weekdays joined with the dates beside them, alternatives marked.

use balcao_domain::Locale;
use jiff::civil::{Date, Weekday};

use super::{
    DateProblem, DateSpan, Meaning, alternatives,
    scanner::{Found, Reading, Scanner},
};
use crate::normalize::{Token, text_at};

pub(super) fn scan(text: &str, tokens: &[Token], today: Date, locale: Locale) -> Vec<Found> {
    let scanner = Scanner::new(text, tokens, today, locale);
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        match scanner.date_at(index) {
            Some(hit) => {
                let further = scanner.further_days(&hit);
                let end = further.last().map_or(hit.to, |last| last.to);
                index = end.max(index.saturating_add(1));
                found.push(hit);
                found.extend(further);
            }
            None => index = index.saturating_add(1),
        }
    }
    let mut found = join_weekdays(tokens, found);
    alternatives::mark(tokens, &mut found);
    found
}

/// "Sexta, 27/11" and "dia 27 (sexta)" are one date whose weekday is checked.
fn join_weekdays(tokens: &[Token], found: Vec<Found>) -> Vec<Found> {
    const BETWEEN: [&str; 10] = [",", "(", "dia", "do", "de", "-", "no", "o", ".", "the"];
    let mut out: Vec<Found> = Vec::new();
    for hit in found {
        let beside =
            out.last().is_some_and(|last| (last.to..hit.from).all(|index| BETWEEN.contains(&text_at(tokens, index))));
        let Some(last) = out.last_mut().filter(|_| beside) else {
            out.push(hit);
            continue;
        };
        let (said, reading) = match (last.weekday, hit.weekday) {
            (Some(said), None) => (said, hit.reading.clone()),
            (None, Some(said)) => (said, last.reading.clone()),
            _ => {
                out.push(hit);
                continue;
            }
        };
        let Some(reading) = on_weekday(said, &reading) else {
            out.push(hit);
            continue;
        };
        last.to = hit.to;
        last.weekday = None;
        last.reading = reading;
    }
    out
}

/// A date beside a weekday: it must have that weekday, which also decides between two readings. `None` for what is no date.
fn on_weekday(said: Weekday, reading: &Reading) -> Option<Reading> {
    let days = match reading {
        Ok(DateSpan::Day(date)) => vec![*date],
        Ok(DateSpan::Range { .. }) => return None,
        Err(problem) => problem.readings(),
    };
    let fitting: Vec<Meaning> =
        days.iter().filter(|date| date.weekday() == said).map(|date| Meaning::Day(*date)).collect();
    Some(match (fitting.as_slice(), days.first()?) {
        ([], date) => Err(DateProblem::WeekdayMismatch { said, date: *date, actual: date.weekday() }),
        ([Meaning::Day(date)], _) => Ok(DateSpan::Day(*date)),
        _ => Err(DateProblem::Ambiguous { readings: fitting }),
    })
}
