//! What a conversation was about, for staff and later turns: extracted, not invented.

use balcao_language::{Locale, format};
use balcao_llm::{Message, ModelRequest};

use crate::{
    catalog::Named,
    nlu::Act,
    state::{Dialogue, Goal},
};

/// Why a person is called, in one line: the customer's own last words, cut to 300 characters.
pub(crate) fn reason(dialogue: &Dialogue) -> String {
    let text: String =
        dialogue.utterance.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
    if dialogue.utterance.is(Act::Human) || text.is_empty() {
        format!("O cliente pediu para falar com uma pessoa. Última mensagem: «{text}»")
    } else {
        format!("O cliente aceitou falar com uma pessoa. Última mensagem: «{text}»")
    }
}

/// The summary of a transcript: the last requests, what is known of the appointment, what has been done.
pub(crate) fn summary(request: &ModelRequest, dialogue: &Dialogue, locale: Locale) -> String {
    let (asked, open, done) = match locale {
        Locale::PtBr => ("Cliente escreveu", "Em aberto", "Feito"),
        Locale::En => ("Customer wrote", "Open", "Done"),
    };
    let mut lines = Vec::new();
    let said = request.messages.iter().filter_map(|message| match message {
        Message::User { text } => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Message::Assistant { .. } | Message::ToolResult { .. } => None,
    });
    let said: Vec<String> = said.filter(|text| !text.is_empty()).collect();
    let last = said.iter().rev().take(3).rev().map(|text| format!("«{}»", text.chars().take(160).collect::<String>()));
    lines.push(format!("{asked}: {}", last.collect::<Vec<_>>().join(" · ")));
    let mut facts = Vec::new();
    match dialogue.goal {
        Goal::None => {}
        Goal::Book => facts.push(pick(locale, "quer marcar", "wants to book").to_owned()),
        Goal::Cancel => facts.push(pick(locale, "quer cancelar", "wants to cancel").to_owned()),
        Goal::Reschedule => facts.push(pick(locale, "quer remarcar", "wants to reschedule").to_owned()),
    }
    if dialogue.goal != Goal::None {
        facts.extend([dialogue.service(), dialogue.professional()].into_iter().filter_map(|named| match named {
            Named::One(name) => Some(name),
            Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
        }));
        facts.extend(dialogue.day.map(|day| format::day(day.first, locale)));
        facts.extend(dialogue.times.first().map(|time| format::time(*time, locale)));
    }
    if !facts.is_empty() {
        lines.push(format!("{open}: {}", facts.join(", ")));
    }
    let effects: Vec<String> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { name, content, is_error: false, .. }
                if crate::results::usual_name(name).ends_with("_appointment") =>
            {
                let result: serde_json::Value = serde_json::from_str(content).ok()?;
                let success = result.get("success")?.as_bool()?;
                success.then(|| crate::results::text(&result, &["message"])).flatten()
            }
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
        })
        .collect();
    if !effects.is_empty() {
        lines.push(format!("{done}: {}", effects.join(" · ")));
    }
    lines.join("\n")
}

fn pick(locale: Locale, pt: &'static str, en: &'static str) -> &'static str {
    match locale {
        Locale::PtBr => pt,
        Locale::En => en,
    }
}
