//! Staff who ask about the business: one of the ready-made reports, shown as its tool lays it out.

use balcao_language::fold;
use balcao_language::say::Locale;
use balcao_language::search::is_stop_word;
use balcao_llm::ToolDefinition;
use serde_json::{Map, Value, json};

use super::{Call, Decision};
use crate::results::Outcome;
use crate::state::Dialogue;

/// A ready-made report.
struct Report {
    tool: &'static str,
    /// Beginnings of words that ask for it; the first report of which one occurs is meant.
    signs: &'static [&'static str],
    /// Other words that a question for the whole of it may have, folded.
    also: &'static [&'static str],
}

const REPORTS: [Report; 3] = [
    Report {
        tool: "get_no_show_clients",
        signs: &["falt", "no-show", "no show", "missed", "compareceu"],
        also: &[
            "clientes",
            "cliente",
            "pessoas",
            "vezes",
            "lista",
            "ranking",
            "nao",
            "clients",
            "customers",
            "times",
            "appointments",
        ],
    },
    Report {
        tool: "get_upcoming",
        signs: &["proxim", "agenda", "marcado", "amanha", "semana que vem", "upcoming", "next", "coming"],
        also: &[
            "dia",
            "dias",
            "semana",
            "vem",
            "hoje",
            "horarios",
            "atendimentos",
            "clientes",
            "ahead",
            "days",
            "week",
            "today",
            "tomorrow",
            "appointments",
            "booked",
        ],
    },
    Report {
        tool: "get_stats",
        signs: &["resumo", "mes", "receita", "fatur", "numero", "total", "taxa", "summary", "month", "revenue"],
        also: &["atual", "geral", "atendimentos", "agendamentos", "negocio", "numbers", "business"],
    },
];

/// Words around a question that narrow nothing, folded.
const PLAIN: [&str; 17] = [
    "quanto", "quantos", "quantas", "teve", "mostra", "mostre", "mostrar", "manda", "ver", "nosso", "nossa", "show",
    "who", "most", "see", "give", "s",
];

/// Whether somebody asks for less than the whole report, for another time than it tells of, or about somebody else: whether a word
/// of theirs says more than that they want to see it. The report would answer another question.
fn is_narrower(text: &str, report: &Report) -> bool {
    let folded = fold(text);
    let says_no_more = |word: &str| {
        is_stop_word(word)
            || PLAIN.contains(&word)
            || report.also.contains(&word)
            || REPORTS.iter().flat_map(|report| report.signs).any(|sign| word.starts_with(sign))
    };
    !folded.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).all(says_no_more)
}

/// The report that folded words ask for.
fn asked(words: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|report| report.signs.iter().any(|sign| words.contains(sign)))
}

/// Whether these tools are those of an assistant of staff.
pub(super) fn serves(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    REPORTS.iter().all(|report| has(report.tool)) && !has("get_services")
}

/// The next step: the report's call, or what it says.
pub(super) fn decide(dialogue: &Dialogue, locale: Locale, may_call: bool) -> Decision {
    let words = fold(&dialogue.utterance.text);
    let asked = asked(&words);
    match (dialogue.outcomes.last(), asked) {
        (Some(outcome), _) => Decision::Say(shown(outcome, locale)),
        (None, Some(report)) if is_narrower(&dialogue.utterance.text, report) => {
            Decision::Say(format!("{} {}", not_that(locale), help(locale)))
        }
        (None, Some(report)) if may_call => {
            Decision::Call(vec![Call { name: report.tool.to_owned(), arguments: Value::Object(Map::new()) }])
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
    use super::{asked, is_narrower};
    use balcao_language::fold;

    fn narrower(question: &str) -> bool {
        is_narrower(question, asked(&fold(question)).unwrap())
    }

    #[test]
    fn a_question_for_another_time_for_one_of_many_or_of_somebody_else_is_not_answered_by_a_report_of_all() {
        for question in [
            "faturamento de outubro",
            "faturamento do mês passado",
            "e o mês passado?",
            "quanto o Otávio faturou?",
            "faturamento da iris",
            "qual profissional faturou mais?",
            "quantas faltas em outubro?",
            "faturamento do ano",
            "resumo de hoje",
            "resumo da semana",
            "clientes da outra barbearia faltaram?",
            "receita da figueira de contagem",
            "número de telefone da lívia",
            "total em select * from appointment",
            "revenue last month",
        ] {
            assert!(narrower(question), "{question}");
        }
        for question in [
            "resumo do mês",
            "quem mais faltou?",
            "quem faltou mais vezes",
            "Agenda de amanhã",
            "o que tem na agenda?",
            "o que tem marcado na semana que vem?",
            "como foi o mês?",
            "qual a receita do mês",
            "Qual a taxa de faltas?",
            "show me the month's summary",
            "who missed the most appointments",
        ] {
            assert!(!narrower(question), "{question}");
        }
    }
}
