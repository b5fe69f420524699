//! A day and a wider span in one message: "semana que vem sexta", "sexta em dezembro", "daqui a duas semanas na sexta".
//!
//! Where nothing but small words, times and commas stands between them, the span narrows the day: the day is the one of that weekday in
//! the span. Where more stands between them, or several days fit, the message names no single day.

use balcao_language::{DateMatch, DateProblem, DateSpan, find_dates, find_times, tokens, weekday_named};
use jiff::{ToSpan, civil::Date};

use super::{DialogueHistory, Utterance, words};

/// What a message with a day and a wider span leaves.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Narrowed {
    /// It does not have both.
    Not,
    /// These days fit both.
    To(Vec<Date>),
    /// It has both, apart from each other, or no day fits; or its weekday is not that of its date.
    Unclear,
}

/// What may stand between the two: "na", "das 15h", a comma.
const BETWEEN: &[&str] = &[
    "a", "as", "o", "os", "na", "no", "da", "do", "de", "das", "dos", "em", "dia", "h", "hs", "hora", "horas", "ali",
    "ja", "mesmo", "the", "on", "in", "of", "at", "pm", "am", ",", "(", ")", "-", ":",
];

/// What a message says where it names a day and a wider span.
pub(super) fn narrowed(message: &str, today: Date) -> Narrowed {
    let found = find_dates(message, today);
    if found.iter().any(|one| matches!(one.reading, Err(DateProblem::WeekdayMismatch { .. }))) {
        return Narrowed::Unclear;
    }
    let (spans, days): (Vec<&DateMatch>, Vec<&DateMatch>) =
        found.iter().filter(|one| one.reading.is_ok()).partition(|one| span_of(message, one).is_some());
    if spans.is_empty() || days.is_empty() {
        return Narrowed::Not;
    }
    let ([span], [day]) = (spans.as_slice(), days.as_slice()) else { return Narrowed::Unclear };
    let gap = if span.start < day.start { (span.end, day.start) } else { (day.end, span.start) };
    let (Some((first, last)), Ok(DateSpan::Day(named))) = (span_of(message, span), &day.reading) else {
        return Narrowed::Unclear;
    };
    if !is_small(message, gap) {
        return Narrowed::Unclear;
    }
    let has_figures = message.get(day.start..day.end).is_some_and(|said| said.contains(|c: char| c.is_ascii_digit()));
    let fits = |date: &Date| if has_figures { date == named } else { date.weekday() == named.weekday() };
    let fitting: Vec<Date> = first.series(1.day()).take_while(|date| *date <= last).filter(fits).collect();
    if fitting.is_empty() { Narrowed::Unclear } else { Narrowed::To(fitting) }
}

/// Whether the newest line that names days is a message of the customer that names no single day by a day and a span.
pub(in crate::turn) fn is_undecided(talk: &DialogueHistory<'_>) -> bool {
    let newest = talk.lines.iter().find(|line| !find_dates(line.text(), talk.today).is_empty());
    let Some(Utterance::Customer(text)) = newest else { return false };
    match narrowed(text, talk.today) {
        Narrowed::Not => false,
        Narrowed::To(days) => days.len() != 1,
        Narrowed::Unclear => true,
    }
}

/// The span of what was named: a range, or the week or month that "daqui a duas semanas" counts to.
fn span_of(message: &str, one: &DateMatch) -> Option<(Date, Date)> {
    let day = match one.reading.as_ref().ok()? {
        DateSpan::Range { first, last } => return Some((*first, *last)),
        DateSpan::Day(day) => *day,
    };
    let said = words(message.get(one.start..one.end)?);
    let counts = |units: &[&str]| said.iter().any(|word| units.contains(&word.as_str()));
    if said.iter().any(|word| weekday_named(word).is_some()) {
        return None;
    }
    if counts(&["semana", "semanas", "week", "weeks"]) {
        let monday = day.saturating_sub(i64::from(day.weekday().to_monday_zero_offset()).days());
        return Some((monday, monday.saturating_add(6.days())));
    }
    counts(&["mes", "meses", "month", "months"]).then(|| (day.first_of_month(), day.last_of_month()))
}

/// Whether nothing but small words, figures and times stands in a part of a message.
fn is_small(message: &str, (from, to): (usize, usize)) -> bool {
    let times = find_times(message);
    tokens(message).iter().filter(|token| token.start >= from && token.end <= to).all(|token| {
        BETWEEN.contains(&token.text.as_str())
            || token.text.chars().all(|c| c.is_ascii_digit())
            || times.iter().any(|time| token.start >= time.start && token.end <= time.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Tuesday.
    const TODAY: Date = Date::constant(2026, 11, 24);

    #[test]
    fn a_day_lies_in_the_span_that_narrows_it() {
        for (message, days) in [
            ("semana que vem sexta 15h", &["2026-12-04"][..]),
            ("semana que vem, na sexta às 15h", &["2026-12-04"]),
            ("sexta 15h na semana que vem", &["2026-12-04"]),
            ("daqui a duas semanas na sexta", &["2026-12-11"]),
            ("sexta 15h em dezembro", &["2026-12-04", "2026-12-11", "2026-12-18", "2026-12-25"]),
            ("sexta 15h de dezembro", &["2026-12-04", "2026-12-11", "2026-12-18", "2026-12-25"]),
            ("next week on friday at 3pm", &["2026-12-04"]),
        ] {
            let days = days.iter().map(|day| day.parse().unwrap()).collect();
            assert_eq!(narrowed(message, TODAY), Narrowed::To(days), "{message}");
        }
        for message in [
            "semana que vem eu viajo, marca sexta 15h",
            "semana que vem não dá, marca sexta 15h",
            "sexta 15h ou semana que vem",
            "dia 27/11 na semana que vem",
            "sexta com o Wesley em dezembro",
            "sexta, daqui a duas semanas",
            "sexta, dia 28",
        ] {
            assert_eq!(narrowed(message, TODAY), Narrowed::Unclear, "{message}");
        }
        for message in
            ["sexta da semana que vem", "sexta 15h", "semana que vem", "daqui a duas semanas", "quinta ou sexta", "oi"]
        {
            assert_eq!(narrowed(message, TODAY), Narrowed::Not, "{message}");
        }
    }
}
