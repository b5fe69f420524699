//! What happened in a time that staff name: its figures and who missed, by a query, as no ready-made report tells of it.

use balcao_language::Locale;
use balcao_language::{DateProblem, DateSpan, find_dates, find_times};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::super::Call;
use super::{MONTH, says_no_more};
use crate::nlu::spaced;
use crate::results::Outcome;

/// The tool that answers questions of one's own.
pub(super) const QUERY: &str = "run_query";
/// The most contacts that the list of missed appointments shows.
const MOST: usize = 20;
/// Words of a year, where it is all of it.
const YEAR: &[&str] = &["ano", "year", "este", "esse", "this", "anual"];

/// The days of a question, from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    pub(super) first: Date,
    pub(super) last: Date,
}

/// The days that a question names, if what else it says is among the words that are `known`: any other asks for less than all.
/// `Err` for a date that no calendar has, as it was written. A month or a day of one without its year is the last that began.
pub(super) fn named(text: &str, today: Date, known: &[&[&str]]) -> Option<Result<Days, String>> {
    let text = with_month(text);
    let found = find_dates(&text, today);
    let mut rest = text.clone();
    for one in found.iter().rev() {
        rest.replace_range(one.start..one.end, " ");
    }
    if !find_times(&rest).is_empty() {
        return None;
    }
    let words = spaced(&rest);
    let year = year_in(&words, today).filter(|_| found.is_empty());
    let says_year: String =
        words.split_whitespace().filter(|word| word.parse::<i16>().is_err()).collect::<Vec<_>>().join(" ");
    let plain = if year.is_some() { format!(" {says_year} ") } else { words };
    let known: Vec<&[&str]> =
        known.iter().copied().chain([MONTH].into_iter().filter(|_| year.is_none())).chain(year.map(|_| YEAR)).collect();
    if !says_no_more(&plain, &known) {
        return None;
    }
    let [only] = found.as_slice() else { return year.map(Ok) };
    let written = text.get(only.start..only.end).unwrap_or_default();
    match &only.reading {
        Ok(DateSpan::Day(day)) => Some(Ok(begun(Days { first: *day, last: *day }, written, today))),
        Ok(DateSpan::Range { first, last }) => Some(Ok(begun(Days { first: *first, last: *last }, written, today))),
        Err(DateProblem::Impossible { written }) => Some(Err(written.clone())),
        Err(_) => None,
    }
}

/// "De outubro" and "e outubro?" as "em outubro", which names the month and no day of it.
fn with_month(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let month = |word: Option<&&str>| {
        let word = balcao_language::normalize(word.copied().unwrap_or_default());
        balcao_language::dates::month_named(word.trim_matches(|letter: char| !letter.is_alphanumeric())).is_some()
    };
    let numbered = |index: usize| {
        index.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| word.parse::<u8>().is_ok())
    };
    let of = |(index, word): (usize, &&str)| {
        let of_month = ["de", "of", "e", "and"].contains(&word.to_lowercase().as_str())
            && month(words.get(index.saturating_add(1)));
        if of_month && !numbered(index) { "em".to_owned() } else { (*word).to_owned() }
    };
    words.iter().enumerate().map(of).collect::<Vec<_>>().join(" ")
}

/// The year that is all that a question names: "de 2025", "deste ano".
fn year_in(words: &str, today: Date) -> Option<Days> {
    let numbers: Vec<i16> = words.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let this = words.split_whitespace().any(|word| ["ano", "year"].contains(&word));
    let year = match numbers.as_slice() {
        [year] if (1900..=2199).contains(year) => *year,
        [] if this => today.year(),
        _ => return None,
    };
    Some(Days { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
}

/// A time of which no year was said and that is still to come is the one before: "em agosto", asked in November.
fn begun(days: Days, written: &str, today: Date) -> Days {
    let Days { first, last } = days;
    let year = written.contains(&first.year().to_string());
    let named = balcao_language::tokens(written)
        .iter()
        .any(|token| balcao_language::dates::month_named(&token.text).is_some() || token.text == "/");
    if year || !named || first <= today {
        return days;
    }
    // The last 29/02 may be years ago.
    let same =
        |day: Date| (1..=8_i16).find_map(|back| Date::new(day.year().checked_sub(back)?, day.month(), day.day()).ok());
    let before = |day: Date| same(day).unwrap_or(day);
    let whole = first.day() == 1 && last == first.last_of_month();
    let first = before(first);
    Days { first, last: if whole { first.last_of_month() } else { before(last) } }
}

fn within(days: Days) -> String {
    let Days { first, last } = days;
    let end = last.tomorrow().unwrap_or(last);
    format!("appointments | where starts_at >= {first} and starts_at < {end}")
}

fn call(query: String) -> Call {
    Call { name: QUERY.to_owned(), arguments: json!({ "query": query }) }
}

/// The figures of these days, and what they brought in.
pub(super) fn figures(days: Days) -> Vec<Call> {
    let counts = "count(), done = countif(status == \"completed\"), missed = countif(status == \"no_show\"), cancelled = countif(status == \"cancelled\")";
    vec![
        call(format!("{} | summarize {counts}", within(days))),
        call(format!("{} and status == \"completed\" | summarize sum(price)", within(days))),
    ]
}

/// Who missed on these days, the most often first.
pub(super) fn missed(days: Days) -> Vec<Call> {
    vec![call(format!(
        "{} and status == \"no_show\" | summarize missed = count() by client | sort missed desc | take {MOST}",
        within(days)
    ))]
}

/// The days in words: "de 01/10/2026 a 31/10/2026", "em 23/11/2026".
pub(super) fn worded(days: Days, locale: Locale) -> String {
    let Days { first, last } = days;
    let day = |day: Date| match locale {
        Locale::PtBr => day.strftime("%d/%m/%Y").to_string(),
        Locale::En => day.to_string(),
    };
    match (first == last, locale) {
        (true, Locale::PtBr) => format!("em {}", day(first)),
        (true, Locale::En) => format!("on {}", day(first)),
        (false, Locale::PtBr) => format!("de {} a {}", day(first), day(last)),
        (false, Locale::En) => format!("from {} to {}", day(first), day(last)),
    }
}

fn rows(outcome: &Outcome) -> Option<&Vec<Value>> {
    outcome.code().is_none().then(|| outcome.result.get("rows")?.as_array()).flatten()
}

/// The figures as the reply shows them; `None` until the tools have returned them. Staff without access to money see only the counts.
pub(super) fn shown_figures(outcomes: &[Outcome], days: Days, locale: Locale) -> Option<String> {
    let of = |call: &Call| outcomes.iter().find(|one| one.name == call.name && one.arguments == call.arguments);
    let [counts, money] = <[Call; 2]>::try_from(figures(days)).ok()?;
    let cells = rows(of(&counts)?)?.first()?.as_array()?;
    let [total, done, missed, cancelled] =
        <[i64; 4]>::try_from(cells.iter().map(Value::as_i64).collect::<Option<Vec<_>>>()?).ok()?;
    let when = worded(days, locale);
    let pt = locale == Locale::PtBr;
    if total == 0 {
        return Some(if pt { format!("Nenhum agendamento {when}.") } else { format!("No appointments {when}.") });
    }
    let hidden = of(&money).is_some_and(|outcome| outcome.code().is_some());
    let revenue = of(&money).and_then(rows).and_then(|rows| rows.first()?.get(0)?.as_str());
    let mut lines = if pt {
        vec![
            format!("Resumo {when}"),
            format!("- Agendamentos: {total}"),
            format!("- Realizados: {done}"),
            format!("- Faltas: {missed}"),
            format!("- Cancelados: {cancelled}"),
        ]
    } else {
        vec![
            format!("Summary {when}"),
            format!("- Appointments: {total}"),
            format!("- Completed: {done}"),
            format!("- No-shows: {missed}"),
            format!("- Cancelled: {cancelled}"),
        ]
    };
    lines.extend(
        revenue.map(|revenue| if pt { format!("- Receita: {revenue}") } else { format!("- Revenue: {revenue}") }),
    );
    if hidden {
        lines.push(
            if pt { "- Receita: só para quem tem permissão" } else { "- Revenue: only for staff who may see it" }
                .to_owned(),
        );
    }
    Some(lines.join("\n"))
}

/// Who missed, as it is shown; `None` while it is not there.
pub(super) fn shown_missed(outcomes: &[Outcome], days: Days, locale: Locale) -> Option<String> {
    let [asked] = <[Call; 1]>::try_from(missed(days)).ok()?;
    let outcome = outcomes.iter().find(|one| one.name == asked.name && one.arguments == asked.arguments)?;
    let (when, pt) = (worded(days, locale), locale == Locale::PtBr);
    let line = |(place, row): (usize, &Value)| {
        let name = row.get(0).and_then(Value::as_str).unwrap_or(if pt { "sem nome" } else { "no name" });
        let count = row.get(1).and_then(Value::as_i64)?;
        let times = match (pt, count) {
            (true, 1) => "falta",
            (true, _) => "faltas",
            (false, _) => "missed",
        };
        Some(format!("{}. {name}: {count} {times}", place.saturating_add(1)))
    };
    let lines: Vec<String> = rows(outcome)?.iter().enumerate().filter_map(line).collect();
    if lines.is_empty() {
        return Some(if pt { format!("Ninguém faltou {when}.") } else { format!("Nobody missed one {when}.") });
    }
    Some(lines.join("\n"))
}
