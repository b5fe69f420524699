//! Tests of the sanitiser: it removes leaks and keeps answers.

mod benign;
mod generated;
mod incremental;
mod material;
mod passes;
mod properties;

use balcao_agent::reply_checks::sanitise::{Sanitiser, SanitiserConfig, Verdict};

/// Tools and fields of a front desk.
pub(crate) fn config() -> SanitiserConfig {
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
    SanitiserConfig {
        tool_names: names(&[
            "check_availability",
            "create_appointment",
            "cancel_appointment",
            "get_subscriber_status",
            "transfer_to_human",
            "agendar_horario",
            "consultar_agenda",
            "findSlots",
            "remarcar-horario-cliente",
            "agenda",
            "cancelar",
        ]),
        field_names: names(&[
            "barber_name",
            "service_name",
            "start_hour",
            "date",
            "dia",
            "professional_id",
            "notify_customer",
        ]),
        allowed_hosts: names(&["figueira.example", "maps.app.goo.gl", "wa.me"]),
        hide_model_identity: true,
        max_chars: 4000,
        public_texts: names(&["7d9f1c7e-3b2a-4f60-9c1d-2f5f6f0b8a11", "Wi-Fi: Figueira_Clientes / senha Corte_2026!x"]),
    }
}

pub(crate) fn sanitiser() -> Sanitiser {
    Sanitiser::new(config())
}

pub(crate) fn sent(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Send(text) => Some(text),
        Verdict::Retry(_) | Verdict::Block(_) => None,
    }
}

/// Marks that no customer may see, in lower case.
const MARKS: &[&str] = &[
    "<tool",
    "</tool",
    "tool_call",
    "<function",
    "</function",
    "<parameter",
    "</parameter",
    "<invoke",
    "</invoke",
    "arg_key",
    "arg_value",
    "<|",
    "|>",
    "｜",
    "[tool_calls]",
    "[/tool_calls]",
    "[args]",
    "toolcall",
    "functools[",
    "to=functions",
    "default_api",
    "functions.",
    "dsml",
    "minimax",
    "\"name\"",
    "\"arguments\"",
    "\"parameters\"",
    "\"tool_name\"",
    "<think",
    "</think",
    "tool_code",
    "start_action",
    "end_action",
    "<start_function",
    "<end_function",
    "call:",
    "{\"",
    "[{",
    "\":",
    "seed:",
];

/// The first mark of a leak in a text, if any.
pub(crate) fn mark_in(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    MARKS.iter().find(|mark| lower.contains(**mark)).map(|mark| (*mark).to_owned()).or_else(|| {
        // A name with arguments: `ident(x=`, `ident{`, `ident("`.
        let open = lower.match_indices(['(', '{']).find(|(at, sign)| {
            let head = &lower[..*at];
            let name = head.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let tail = &lower[at + 1..];
            let word = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(tail.len());
            name && (*sign == "{" || tail.starts_with(['"', '{']) || word > 0 && tail[word..].starts_with('='))
        });
        open.map(|(at, _)| format!("call at {at}"))
    })
}
