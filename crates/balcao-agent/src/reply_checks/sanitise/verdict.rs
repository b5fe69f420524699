//! Whether what is left of a text is an answer.

use balcao_language::normalize;

use super::{
    Removal, Verdict,
    edit::{Severity, part, sentences},
};

/// Openings of a promise to look something up, which a leaked call was meant to keep.
const PROMISES: &[&str] = &[
    "vou verificar",
    "vou consultar",
    "vou checar",
    "vou ver",
    "vou conferir",
    "vou buscar",
    "vou olhar",
    "vou procurar",
    "um momento",
    "um instante",
    "um minuto",
    "so um momento",
    "so um instante",
    "so um minuto",
    "so um segundo",
    "aguarde",
    "deixa eu ver",
    "deixe me ver",
    "deixa eu verificar",
    "deixe-me verificar",
    "ja verifico",
    "ja vejo",
    "vou agendar",
    "vou marcar",
    "vou cancelar",
    "vou remarcar",
    "vou reservar",
    "vou fazer isso",
    "verificando",
    "consultando",
    "let me check",
    "let me see",
    "let me look",
    "let me search",
    "let me get",
    "let me find",
    "i will check",
    "i'll check",
    "i'll look",
    "one moment",
    "just a moment",
    "just a second",
    "hold on",
    "i'll book",
    "i will book",
    "i'll search",
    "let me help",
];

/// The verdict on a cleaned text, given the worst that was removed from it.
pub(super) fn judge_text(clean: String, worst: Severity, removed: &[Removal]) -> Verdict {
    if is_readable(&clean, worst) {
        if worst == Severity::Leak && is_only_promise(&clean) {
            return Verdict::Retry("a leaked call left only a promise".to_owned());
        }
        return Verdict::Send(clean);
    }
    let passes: Vec<&str> = removed.iter().map(|removal| removal.pass.as_str()).collect();
    match (worst, passes.is_empty()) {
        (Severity::Danger, _) => Verdict::Block(format!("nothing but internal text ({})", passes.join(", "))),
        (_, true) => Verdict::Retry("empty".to_owned()),
        (_, false) => Verdict::Retry(format!("nothing readable was left ({})", passes.join(", "))),
    }
}

/// Words that a customer can read. After a leak one word is a remnant; without one, "Sim!" and "👍" are answers.
fn is_readable(text: &str, worst: Severity) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    match worst {
        Severity::Form => !text.is_empty() && text.chars().any(|c| c.is_alphanumeric() || u32::from(c) > 0x2190),
        Severity::Leak | Severity::Danger => words >= 2,
    }
}

/// True if every sentence but greetings promises to look.
fn is_only_promise(text: &str) -> bool {
    let mut promised = false;
    for sentence in sentences(text) {
        let folded = normalize(part(text, sentence));
        if PROMISES.iter().any(|promise| folded.contains(promise)) && !folded.contains('?') {
            promised = true;
        } else if folded.split(' ').filter(|word| word.len() > 2).count() > 2 {
            return false;
        }
    }
    promised
}
