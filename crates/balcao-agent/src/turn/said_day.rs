//! A day that contradicts the customer: "quinta às 16h" is not booked on a Wednesday, whatever the model reckoned.
//!
//! Models miscount weekdays more than anything else. A call that writes and whose day is none of those that the message
//! names is the caller's mistake, and is told what the customer said. Messages that leave the day open ("qualquer dia",
//! "depois de sexta", "semana que vem") hold nothing against a call; neither do relative words, which models pass on as they
//! are.

use balcao_language::{DateSpan, find_dates, fold, resolve_date, say};
use balcao_tool::{FieldProblem, Locale};
use jiff::civil::Date;
use serde_json::{Value, json};

/// Arguments of the shipped packs that name the day of a visit.
const DAY: &[&str] = &["date", "new_date"];

/// Weekdays without accents, in both languages.
const WEEKDAYS: &[&str] = &[
    "segunda",
    "terca",
    "quarta",
    "quinta",
    "sexta",
    "sabado",
    "domingo",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Words that leave the day open.
const OPEN: &[&str] = &[
    "qualquer",
    "outro",
    "outra",
    "outros",
    "outras",
    "tanto",
    "senao",
    "caso",
    "entre",
    "proximo",
    "proxima",
    "any",
    "other",
    "another",
    "otherwise",
    "between",
    "next",
    "earliest",
];

/// Words before a day that make it a bound or exclude it.
const BOUND: &[&str] =
    &["depois", "apos", "partir", "antes", "ate", "menos", "exceto", "after", "before", "until", "except"];

/// The day of a call, if the message names days and this is none of them.
pub(super) fn contradiction(args: &Value, message: &str, today: Date, locale: Locale) -> Option<FieldProblem> {
    let (name, given) = DAY.iter().find_map(|name| Some((*name, args.get(*name)?.as_str()?)))?;
    let wanted = resolve_date(given, today).ok()?.date;
    let said = named_days(message, today)?;
    if said.iter().any(|day| *day == wanted || day.weekday() == wanted.weekday()) {
        return None;
    }
    let words = say::Locale::of(locale.tag());
    let days: Vec<String> = said.iter().map(|day| format!("{day} ({})", say::weekday(day.weekday(), words))).collect();
    Some(FieldProblem {
        pointer: format!("/{name}"),
        problem: "not_what_was_said".to_owned(),
        expected: format!("a day that the customer named: {}; if it is to be another, ask first", days.join(", ")),
        got: Some(json!(given)),
        nearest: said.first().map(|day| json!(day.to_string())),
        ..FieldProblem::default()
    })
}

/// The days that a message names, relative ones included; `None` if it names no weekday or date, or leaves the day open.
fn named_days(message: &str, today: Date) -> Option<Vec<Date>> {
    let mut days = Vec::new();
    let mut binding = false;
    let folded = fold(message);
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    if words(&folded).iter().any(|word| OPEN.contains(&word.as_str())) {
        return None;
    }
    for found in find_dates(message, today) {
        let Ok(DateSpan::Day(day)) = found.reading else { return None };
        let part = |from: usize, to: usize| fold(message.get(from..to).unwrap_or_default());
        let said = part(found.start, found.end);
        let before = words(&part(0, found.start));
        let after = words(&part(found.end, message.len()));
        let near = before.iter().rev().filter(|word| !word.is_empty()).take(2);
        if near.clone().any(|word| BOUND.contains(&word.as_str())) {
            return None;
        }
        // "Sexta não dá" names a day that it is not.
        if after.iter().filter(|word| !word.is_empty()).take(2).any(|word| word == "nao" || word == "not") {
            continue;
        }
        binding |= said.contains(|c: char| c.is_ascii_digit()) || WEEKDAYS.iter().any(|weekday| said.contains(weekday));
        days.push(day);
    }
    (binding && !days.is_empty()).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Tuesday.
    const TODAY: Date = Date::constant(2026, 11, 24);

    fn wrong(message: &str, date: &str) -> bool {
        contradiction(&json!({"date": date}), message, TODAY, Locale::PtBr).is_some()
    }

    #[test]
    fn a_day_that_was_not_said_is_a_mistake_of_the_caller() {
        for (message, date) in [
            ("marca um corte quinta 16h com o Vanderson", "2026-11-25"),
            ("não, melhor sexta 17:30", "2026-11-26"),
            ("pode ser dia 28/11 de manhã", "2026-11-27"),
            ("passa meu horário de sexta pra sábado 10h", "2026-12-03"),
            ("friday at 3pm please", "2026-11-26"),
        ] {
            assert!(wrong(message, date), "{message} {date}");
        }
    }

    #[test]
    fn what_was_said_and_what_was_left_open_is_none() {
        for (message, date) in [
            ("marca um corte quinta 16h", "2026-11-26"),
            ("marca um corte quinta 16h", "quinta"),
            ("quinta da semana que vem", "2026-12-03"),
            ("quinta ou sexta", "2026-11-27"),
            ("quinta, ou qualquer outro dia", "2026-11-30"),
            ("depois de sexta", "2026-11-28"),
            ("sexta não dá", "2026-11-28"),
            ("semana que vem", "2026-12-02"),
            ("amanhã às 15h", "2026-11-27"),
            ("isso", "2026-11-27"),
            ("quinta", "que dia?"),
        ] {
            assert!(!wrong(message, date), "{message} {date}");
        }
        assert!(contradiction(&json!({"reason": "x"}), "quinta", TODAY, Locale::PtBr).is_none());
    }
}
