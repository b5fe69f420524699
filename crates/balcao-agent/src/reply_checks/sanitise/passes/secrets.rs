//! Keys, tokens, passwords in addresses, environment variables. The whole line goes: what surrounds a secret explains it.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, sentence_of, sentences},
    rules::Rules,
};

static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\b(?:sk|pk|rk)-(?:ant-|proj-|live-|or-)?[A-Za-z0-9_-]{12,}",
        r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{8,}",
        r"\bAIza[A-Za-z0-9_-]{20,}",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}",
        r"\bEAA[A-Za-z0-9]{20,}",
        r"\bya29\.[A-Za-z0-9_-]{10,}",
        r"\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}|\bglpat-[A-Za-z0-9_-]{12,}",
        r"\bgsk_[A-Za-z0-9]{16,}|\bhf_[A-Za-z0-9]{16,}|\bnpm_[A-Za-z0-9]{16,}|\bxai-[A-Za-z0-9]{16,}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}",
        r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}",
        r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{12,}",
        r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\z)",
        r"\b[a-z][a-z0-9+]{2,15}://[^\s/:@]+:[^\s/@]+@\S+",
        r"\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqps?|sqlite)://\S+",
        r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s*[=:]\s*\S+",
        r"\$\{?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\}?",
        r"\b[A-Z][A-Z0-9]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD|URL|DSN)\b",
        r"(?i)\b(?:api[_ -]?key|access[_ -]?token|client[_ -]?secret|secret[_ -]?key)\s*[:=]\s*\S{6,}",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let lines = sentences(text);
    let public = rules.public_in(text);
    let mut cuts: Vec<Edit> = SECRETS
        .iter()
        .flat_map(|regex| regex.find_iter(text))
        .map(|found| found.range())
        .chain(random_tokens(text))
        .filter(|range| !public.iter().any(|kept| kept.start <= range.start && range.end <= kept.end))
        .map(|range| Edit::new(sentence_of(&lines, &range), Severity::Danger))
        .collect();
    cuts.dedup();
    cuts
}

/// Long words that may have been drawn at random.
static LONG: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns(&[r"[A-Za-z0-9_+=-]{32,}"]));

fn random_tokens(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    LONG.iter()
        .flat_map(|regex| regex.find_iter(text))
        .filter(|found| is_random(found.as_str()))
        .map(|found| found.range())
}

/// All three classes of characters, and over 4 bits in each character.
fn is_random(token: &str) -> bool {
    let classes: [fn(char) -> bool; 3] = [char::is_lowercase, char::is_uppercase, char::is_numeric];
    if !classes.iter().all(|class| token.chars().any(class)) {
        return false;
    }
    let mut counts = [0_u32; 128];
    for byte in token.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count = count.saturating_add(1);
        }
    }
    let total = f64::from(u32::try_from(token.len()).unwrap_or(u32::MAX));
    let bits: f64 =
        counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|p| -p * p.log2()).sum();
    bits > 4.0
}
