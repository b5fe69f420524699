//! Staff who ask about the business: one of the ready-made reports, shown as its tool lays it out.

use balcao_language::fold;
use balcao_language::say::Locale;
use balcao_llm::ToolDefinition;
use serde_json::{Map, Value, json};

use super::{Call, Decision};
use crate::results::Outcome;
use crate::state::Dialogue;

/// The report that each word asks for; the first that occurs decides.
const REPORTS: [(&str, &[&str]); 3] = [
    ("get_no_show_clients", &["falt", "no-show", "no show", "missed", "compareceu"]),
    ("get_upcoming", &["proxim", "agenda", "marcado", "amanha", "semana que vem", "upcoming", "next", "coming"]),
    ("get_stats", &["resumo", "mes", "receita", "fatur", "numero", "total", "taxa", "summary", "month", "revenue"]),
];

/// Words that ask about a part of what the reports tell: another time, or one of many. They would answer another question.
const NARROWER: [&str; 24] = [
    "passado",
    "passada",
    "ontem",
    "ano",
    "trimestre",
    "janeiro",
    "fevereiro",
    "marco",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
    "profissional",
    "barbeiro",
    "servico",
    "yesterday",
    "last",
    "year",
    "professional",
];

/// Whether somebody asks for less than a whole report, or for another time than it tells of.
fn is_narrower(text: &str) -> bool {
    let folded = fold(text);
    let named = |word: &str| NARROWER.contains(&word);
    // A name inside of the sentence is somebody's.
    let mut words = text.split_whitespace().skip(1);
    folded.split(|letter: char| !letter.is_alphanumeric()).any(named)
        || words.any(|word| word.chars().next().is_some_and(char::is_uppercase))
}

/// Whether these tools are those of an assistant of staff.
pub(super) fn serves(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    REPORTS.iter().all(|(name, _)| has(name)) && !has("get_services")
}

/// The next step: the report's call, or what it says.
pub(super) fn decide(dialogue: &Dialogue, locale: Locale, may_call: bool) -> Decision {
    let words = fold(&dialogue.utterance.text);
    let asked = REPORTS.iter().find(|(_, signs)| signs.iter().any(|sign| words.contains(sign)));
    match (dialogue.outcomes.last(), asked) {
        (Some(outcome), _) => Decision::Say(shown(outcome, locale)),
        (None, Some(_)) if is_narrower(&dialogue.utterance.text) => {
            Decision::Say(format!("{} {}", not_that(locale), help(locale)))
        }
        (None, Some((name, _))) if may_call => {
            Decision::Call(vec![Call { name: (*name).to_owned(), arguments: Value::Object(Map::new()) }])
        }
        _ => Decision::Say(help(locale).to_owned()),
    }
}

fn shown(outcome: &Outcome, locale: Locale) -> String {
    let said = |pt: &str, en: &str| if locale == Locale::Pt { pt.to_owned() } else { en.to_owned() };
    if outcome.code() == Some("forbidden") {
        return said(
            "Essa informação é só para quem tem permissão na equipe.",
            "That is only for staff who may see it.",
        );
    }
    if outcome.code().is_some() {
        return said("Não consegui consultar isso agora.", "I could not look that up now.");
    }
    if let Some(layout) = outcome.result.get("layout").and_then(Value::as_str) {
        return layout.to_owned();
    }
    let none = json!([]);
    let ahead = outcome.result.get("appointments").unwrap_or(&none).as_array().map_or(&[][..], Vec::as_slice);
    if ahead.is_empty() {
        return said("Nada marcado nesse período.", "Nothing is booked for that time.");
    }
    let word = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    let line = |one: &Value| {
        let [at, client, service, professional] =
            ["starts_at", "client", "service", "professional"].map(|key| word(one, key));
        format!("- {at}: {client}, {service} ({professional})")
    };
    ahead.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn not_that(locale: Locale) -> &'static str {
    match locale {
        Locale::Pt => "Isso eu não sei separar sem um modelo de linguagem configurado.",
        Locale::En => "I cannot tell that apart without a language model that is configured.",
    }
}

fn help(locale: Locale) -> &'static str {
    match locale {
        Locale::Pt => {
            "Posso mostrar o resumo do mês, a agenda dos próximos dias e quem mais faltou. O que você quer ver?"
        }
        Locale::En => {
            "I can show the month's summary, the agenda ahead and who missed most. What would you like to see?"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_narrower;

    #[test]
    fn a_question_for_another_time_or_for_one_of_many_is_not_answered_by_a_report_of_all() {
        for asked in [
            "faturamento de outubro",
            "faturamento do mês passado",
            "e o mês passado?",
            "quanto o Otávio faturou?",
            "qual profissional vendeu mais?",
            "quantas faltas em outubro?",
            "faturamento do ano",
            "revenue last month",
        ] {
            assert!(is_narrower(asked), "{asked}");
        }
        for asked in [
            "resumo do mês",
            "quem mais faltou?",
            "Agenda de amanhã",
            "o que tem marcado na semana que vem?",
            "qual a receita do mês",
            "Qual a taxa de faltas?",
            "show me the month's summary",
        ] {
            assert!(!is_narrower(asked), "{asked}");
        }
    }
}
