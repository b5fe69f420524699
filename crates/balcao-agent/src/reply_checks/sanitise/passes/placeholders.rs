//! Template slots that nothing filled, and values that are none.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, from, upto},
    rules::Rules,
};

static SLOTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\{\{[^{}\n]{0,60}\}\}|\{%[^%\n]{0,80}%\}|\$\{[^{}\n]{1,60}\}",
        r"\{(?:[\p{Ll}_][\w.]{0,40}|[\p{Lu}_]{2,40})\}",
        r"\[(?:[\p{Lu}][\p{Lu}_/]{2,}(?: [\p{Lu}_/]{1,})*|(?i:insira|inserir|insert|your|seu|sua|nome|name|data|date|horário|horario|time|link|telefone|phone|valor|serviço|servico|service|endereço|address|cliente|customer|profissional)(?: [\p{L} ]{1,40})?)\]",
        r"<(?i:nome|name|data|horário|horario|cliente|serviço|link|telefone|valor)(?: (?i:do|da|de|of)[\p{L} ]{1,30})?>",
        r"%(?:\d\$)?s\b|%\((?:\w+)\)s",
        r"\[object Object\]|\bInvalid Date\b|\bundefined\b|\bNaN\b|\bNoneType\b",
    ])
});
/// `null` and `None` as a value; both are words elsewhere.
static EMPTY: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"(?:[:=]\s*|\b(?:é|is|de|às|com)\s+)(null|None|nil)\b", r"^\s*(null|None|nil)\s*$"]));

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let public = rules.public_in(text);
    let mut cuts: Vec<Edit> = SLOTS
        .iter()
        .flat_map(|regex| regex.find_iter(text))
        .filter(|found| !public.iter().any(|kept| kept.start <= found.start() && found.end() <= kept.end))
        // `[texto](endereço)` is a link; the link pass reads it.
        .filter(|found| !from(text, found.end()).starts_with('('))
        .map(|found| Edit::new(with_comma(text, found.range()), Severity::Leak))
        .collect();
    for found in EMPTY.iter().flat_map(|regex| regex.captures_iter(text)) {
        cuts.extend(found.get(1).map(|value| Edit::new(value.range(), Severity::Leak)));
    }
    cuts
}

/// "Oi, {nome}!" loses its comma too.
fn with_comma(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let head = upto(text, range.start);
    match head.strip_suffix(", ") {
        Some(before) if from(text, range.end).starts_with(['!', ',', '.', '?']) => before.len()..range.end,
        _ => range,
    }
}
