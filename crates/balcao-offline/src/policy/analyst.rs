//! Staff who ask about the business: one of the ready-made reports, shown as its tool lays it out.
//!
//! A report answers only the question that it was made for. If staff ask for a part of it, for another time or about another person, the
//! agent says that it cannot answer.

use balcao_language::Locale;
use balcao_language::search::is_stop_word;
use balcao_language::{DateMatch, DateSpan, find_dates, find_times};
use balcao_llm::ToolDefinition;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Call, Decision};
use crate::nlu::{has, spaced};
use crate::results::Outcome;
use crate::state::Dialogue;

#[path = "analyst_period.rs"]
mod period;

use period::Days;

/// The tools of the ready-made reports.
const TOOLS: [&str; 3] = ["get_stats", "get_upcoming", "get_no_show_clients"];

/// Words of each report, folded: whole words, or their beginnings where they end in `*`.
const MISSED: &[&str] =
    &["falt*", "no show*", "noshow*", "missed", "nao comparec*", "nao veio", "nao vieram", "nao aparec*"];
/// Words that ask for the number of missed appointments in a month, and not for the contacts who missed them.
const COUNTED: &[&str] = &[
    "taxa*",
    "rate",
    "percent*",
    "porcentagem",
    "quanto",
    "quantos",
    "quantas",
    "total*",
    "numero*",
    "number*",
    "resumo*",
    "how many",
];
/// Words that ask who came or who missed least. No report answers that.
const NOT_MISSED: &[&str] = &["nao falt*", "menos", "least", "didn t miss", "not missed", "never missed"];
const WHO: &[&str] = &["quem", "who", "ranking*", "lista*", "list", "client*", "pessoas", "customer*"];
const FIGURES: &[&str] =
    &["resumo*", "receita*", "fatur*", "numero*", "total*", "taxa*", "summary", "revenue", "numbers"];
/// The title of a month's figures.
const SUMMARY: &[&str] = &["resumo*", "summary"];
const HAPPENED: &[&str] = &["moviment*", "estatistic*", "statistic*", "como foi", "como foram", "how was"];
const MONTH: &[&str] = &["mes", "month"];
const AGENDA: &[&str] =
    &["agenda", "agendas", "agendad*", "proxim*", "marcad*", "upcoming", "next", "coming", "booked", "schedule"];
/// With these "hoje" asks for the agenda; alone it may be any question.
const OF_A_DAY: &[&str] =
    &["tem", "temos", "tenho", "agendament*", "atendiment*", "horario*", "client*", "vem", "appointment*"];
/// The agenda is only ahead.
const BEFORE: &[&str] = &["foi", "foram", "teve", "tivemos", "houve", "was", "were", "had", "did"];

/// Other words that a question for the whole of a report may have.
const OF_MISSED: &[&str] =
    &["comparec*", "veio", "vieram", "aparec*", "vezes", "teve", "times", "shows", "appointments"];
const OF_FIGURES: &[&str] = &[
    "atual",
    "geral",
    "atendimentos",
    "agendamentos",
    "negocio",
    "business",
    "rate",
    "percent*",
    "porcentagem",
    "teve",
    "tivemos",
    "houve",
    "number*",
    "shows",
    "appointments",
    "current",
];
const OF_AGENDA: &[&str] = &["dia", "dias", "semana", "ahead", "days", "week", "customer*"];

/// Words around a question that narrow nothing.
const PLAIN: &[&str] = &[
    "quanto", "quantos", "quantas", "mostra", "mostre", "mostrar", "manda", "ver", "nosso", "nossa", "nossos", "gente",
    "deste", "desse", "neste", "nesse", "show", "who", "most", "many", "see", "give", "our", "s",
];

/// The days that the agenda can be asked for, as its tool says.
const AHEAD: i64 = 365;

/// The report that a staff member wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// The contacts who missed, in this month alone or in the whole period of the report.
    Missed { month: bool },
    /// The agenda, of these days where some are named.
    Agenda(Option<Days>),
    /// This month's figures.
    Figures,
    /// The figures of these days.
    FiguresOf(Days),
    /// Who missed on these days.
    MissedOn(Days),
    /// A part of a report, a time that it does not cover, or another person.
    Narrower,
    /// Nothing of this.
    Other,
}

/// Returns the wish in a question; for a time that no ready-made report covers, a query if one can answer it. `said` is our last reply,
/// because "e mês passado?" asks for the same report of another time. `Err` for a date that no calendar has.
fn asked(text: &str, said: &str, today: Date) -> Result<Wish, String> {
    let words = spaced(text);
    if let Some(days) = period::named(text, today, &[]) {
        return days.map(|days| of_another_time(days, said, today));
    }
    let wish = wish(text, today);
    if !matches!(wish, Wish::Narrower | Wish::Other | Wish::Agenda(Some(_))) || has(&words, NOT_MISSED) {
        return Ok(wish);
    }
    let ranking = has(&words, MISSED) && has(&words, WHO) && !has(&words, COUNTED);
    let counted = has(&words, FIGURES) || has(&words, HAPPENED) || has(&words, MISSED) || has(&words, COUNTED);
    let known: &[&[&str]] = if ranking {
        &[MISSED, WHO, OF_MISSED, BEFORE]
    } else if counted {
        &[FIGURES, HAPPENED, MISSED, OF_FIGURES, OF_A_DAY, BEFORE]
    } else if has(&words, AGENDA) {
        // Of what is ahead the agenda tells; here only whether the day exists.
        return period::named(text, today, &[AGENDA, OF_A_DAY, OF_AGENDA]).transpose().map(|_| wish);
    } else {
        return Ok(wish);
    };
    Ok(period::named(text, today, known)
        .transpose()?
        .map_or(wish, |days| if ranking { Wish::MissedOn(days) } else { Wish::FiguresOf(days) }))
}

/// The wish of a message that names only a time. After a list of those who missed it is that list; for days ahead it is the agenda;
/// otherwise it is the figures.
fn of_another_time(days: Days, said: &str, today: Date) -> Wish {
    let told = spaced(said);
    let Days { first, last } = days;
    if has(&told, MISSED) && !has(&told, SUMMARY) {
        Wish::MissedOn(days)
    } else if today <= first {
        if ahead(today, last) <= AHEAD { Wish::Agenda(Some(days)) } else { Wish::Narrower }
    } else {
        Wish::FiguresOf(days)
    }
}

fn wish(text: &str, today: Date) -> Wish {
    let words = spaced(text);
    let says = |phrases| has(&words, phrases);
    let month = says(MONTH);
    if says(MISSED) {
        if says(COUNTED) || month && !says(WHO) {
            return figures(&words);
        }
        let whole = says_no_more(&words, &[MISSED, MONTH, WHO, OF_MISSED]) && !says(NOT_MISSED);
        return if whole { Wish::Missed { month } } else { Wish::Narrower };
    }
    if says(FIGURES) {
        return figures(&words);
    }
    if says(AGENDA) {
        return agenda(text, today);
    }
    if month {
        return figures(&words);
    }
    match days(&find_dates(text, today)) {
        Ok(Some(Days { first, last })) if today < first || today <= last && says(OF_A_DAY) => agenda(text, today),
        Ok(_) | Err(Unclear) => Wish::Other,
    }
}

fn figures(words: &str) -> Wish {
    let whole = says_no_more(words, &[FIGURES, MONTH, MISSED, OF_FIGURES]) && !has(words, NOT_MISSED);
    if whole { Wish::Figures } else { Wish::Narrower }
}

fn agenda(text: &str, today: Date) -> Wish {
    let found = find_dates(text, today);
    let mut rest = text.to_owned();
    for one in found.iter().rev() {
        rest.replace_range(one.start..one.end, " ");
    }
    let words = spaced(&rest);
    let narrows = !says_no_more(&words, &[AGENDA, OF_A_DAY, OF_AGENDA]) || has(&words, BEFORE);
    match days(&found) {
        Ok(None) if !narrows && find_times(&rest).is_empty() => Wish::Agenda(None),
        Ok(Some(Days { first, last })) if !narrows && find_times(&rest).is_empty() && today <= last => {
            if ahead(today, last) <= AHEAD {
                Wish::Agenda(Some(Days { first: first.max(today), last }))
            } else {
                Wish::Narrower
            }
        }
        Ok(_) | Err(Unclear) => Wish::Narrower,
    }
}

/// Days that do not follow each other, or that the question does not name clearly.
struct Unclear;

/// The days that a question names: "hoje e amanhã" are two in a row.
fn days(found: &[DateMatch]) -> Result<Option<Days>, Unclear> {
    let mut days: Option<Days> = None;
    for one in found {
        let (first, last) = match one.reading {
            Ok(DateSpan::Day(day)) => (day, day),
            Ok(DateSpan::Range { first, last }) => (first, last),
            Err(_) => return Err(Unclear),
        };
        days = Some(match days {
            None => Days { first, last },
            Some(before) if !one.either && before.last.tomorrow().is_ok_and(|next| next == first) => {
                Days { last, ..before }
            }
            Some(_) => return Err(Unclear),
        });
    }
    Ok(days)
}

fn ahead(today: Date, last: Date) -> i64 {
    last.duration_since(today).as_hours() / 24
}

/// Whether every word of a [`spaced`] question is one of these, or one that narrows nothing. Any other asks for less than all.
fn says_no_more(words: &str, known: &[&[&str]]) -> bool {
    words.split_whitespace().all(|word| {
        let alone = format!(" {word} ");
        is_stop_word(word) || PLAIN.contains(&word) || known.iter().any(|phrases| has(&alone, phrases))
    })
}

/// Whether these tools are those of an assistant of staff.
pub(super) fn serves(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    TOOLS.iter().all(|name| has(name)) && !has("get_services")
}

/// The next step: the report's call, or what it says.
pub(super) fn decide(dialogue: &Dialogue, tools: &[ToolDefinition], locale: Locale, may_call: bool) -> Decision {
    let wish = match asked(&dialogue.utterance.text, &dialogue.said, dialogue.today()) {
        Ok(wish) => wish,
        Err(written) => return Decision::Say(no_such_day(&written, locale)),
    };
    if let Some(last) = dialogue.outcomes.last() {
        let of_days = match wish {
            Wish::FiguresOf(days) => period::shown_figures(&dialogue.outcomes, days, locale),
            Wish::MissedOn(days) => period::shown_missed(&dialogue.outcomes, days, locale),
            Wish::Missed { .. } | Wish::Agenda(_) | Wish::Figures | Wish::Narrower | Wish::Other => None,
        };
        return Decision::Say(of_days.unwrap_or_else(|| shown(last, wish, locale)));
    }
    let calls = calls(wish, dialogue.today());
    let offered = calls.iter().all(|call| tools.iter().any(|tool| tool.name == call.name));
    match calls.is_empty() {
        false if may_call && offered => Decision::Call(calls),
        false if !offered => Decision::Say(format!("{} {}", not_that(locale), help(locale))),
        true if wish == Wish::Narrower => Decision::Say(format!("{} {}", not_that(locale), help(locale))),
        _ => Decision::Say(help(locale).to_owned()),
    }
}

fn calls(wish: Wish, today: Date) -> Vec<Call> {
    let call = |name: &str, arguments: Value| vec![Call { name: name.to_owned(), arguments }];
    match wish {
        Wish::Missed { month: true } => call("get_no_show_clients", json!({ "months": 1 })),
        Wish::Missed { month: false } => call("get_no_show_clients", json!({})),
        Wish::Agenda(Some(Days { last, .. })) => call("get_upcoming", json!({ "days": ahead(today, last) })),
        Wish::Agenda(None) => call("get_upcoming", json!({})),
        Wish::Figures => call("get_stats", json!({})),
        Wish::FiguresOf(days) => period::figures(days),
        Wish::MissedOn(days) => period::missed(days),
        Wish::Narrower | Wish::Other => Vec::new(),
    }
}

fn shown(outcome: &Outcome, wish: Wish, locale: Locale) -> String {
    let said = |pt: &str, en: &str| if locale == Locale::PtBr { pt.to_owned() } else { en.to_owned() };
    if outcome.code() == Some("forbidden") {
        return said(
            "Essa informação é só para quem tem permissão na equipe.",
            "That is only for staff who may see it.",
        );
    }
    if outcome.code() == Some("upgrade_required") {
        return said("Isso não está no plano de vocês.", "That is not in your plan.");
    }
    if outcome.code().is_some() {
        return said("Não consegui consultar isso agora.", "I could not look that up now.");
    }
    if let Some(layout) = outcome.result.get("layout").and_then(Value::as_str) {
        return layout.to_owned();
    }
    let none = json!([]);
    let ahead = outcome.result.get("appointments").unwrap_or(&none).as_array().map_or(&[][..], Vec::as_slice);
    let ahead: Vec<&Value> = ahead.iter().filter(|one| is_asked_for(one, wish)).collect();
    if ahead.is_empty() {
        let day = |key: &str| outcome.result.get(key).and_then(Value::as_str).and_then(|day| day.parse::<Date>().ok());
        let told = || Some(Days { first: day("from")?, last: day("to")? });
        let named = if let Wish::Agenda(named) = wish { named } else { None };
        let Some(days) = named.or_else(told) else {
            return said("Nada marcado nos próximos dias.", "Nothing is booked for the days ahead.");
        };
        let when = period::worded(days, locale);
        return said(&format!("Nada marcado {when}."), &format!("Nothing is booked {when}."));
    }
    let word = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    let line = |one: &&Value| {
        let [at, client, service, professional] =
            ["starts_at", "client", "service", "professional"].map(|key| word(one, key));
        format!("- {at}: {client}, {service} ({professional})")
    };
    ahead.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether an appointment is on the days that were asked for: the tool tells of all from now on.
fn is_asked_for(appointment: &Value, wish: Wish) -> bool {
    let Wish::Agenda(Some(Days { first, last })) = wish else { return true };
    let day = appointment.get("starts_at").and_then(Value::as_str).and_then(|starts| starts.get(..10));
    day.and_then(|day| day.parse::<Date>().ok()).is_some_and(|day| (first..=last).contains(&day))
}

fn no_such_day(written: &str, locale: Locale) -> String {
    match locale {
        Locale::PtBr => format!("Não achei a data {written} no calendário. De qual dia você quer saber?"),
        Locale::En => format!("I cannot find {written} in the calendar. Which day do you mean?"),
    }
}

fn not_that(locale: Locale) -> &'static str {
    match locale {
        Locale::PtBr => "Isso eu não sei separar sem um modelo de linguagem configurado.",
        Locale::En => "I cannot tell that apart without a language model that is configured.",
    }
}

fn help(locale: Locale) -> &'static str {
    match locale {
        Locale::PtBr => {
            "Posso mostrar o resumo do mês, a agenda dos próximos dias e quem mais faltou. O que você quer ver?"
        }
        Locale::En => {
            "I can show the month's summary, the agenda ahead and who missed most. What would you like to see?"
        }
    }
}

#[cfg(test)]
#[path = "analyst_tests.rs"]
mod tests;
