//! The configuration, compiled once: names to look for, texts to keep.

use std::{collections::HashSet, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};
use balcao_language::normalize;

use super::SanitiserConfig;

/// Identifiers that every agent stack produces, whatever the tools are called.
const COMMON_NAMES: &[&str] = &[
    "tool_call",
    "tool_calls",
    "tool_use",
    "tool_result",
    "tool_code",
    "tool_outputs",
    "tool_call_id",
    "tool_choice",
    "function_call",
    "function_calls",
    "function_name",
    "default_api",
    "multi_tool_use",
    "recipient_name",
    "functools",
    "finish_reason",
    "stop_reason",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "content_filter",
    "logprobs",
    "system_fingerprint",
    "system_prompt",
    "response_to_client",
    "tool_request",
    "confirmation_required",
    "invalid_arguments",
    "unknown_tool",
    "rate_limited",
    "upgrade_required",
    "_context",
    "_internal",
    "jsonrpc",
];

/// Everything that passes ask beside the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) config: SanitiserConfig,
    /// Tool names without case, accents and separators.
    tools: HashSet<String>,
    /// Argument names, likewise.
    fields: HashSet<String>,
    /// Names that cannot be ordinary words, in the spellings that models use.
    names: Option<AhoCorasick>,
    public: Option<AhoCorasick>,
}

impl Rules {
    pub(crate) fn new(config: SanitiserConfig) -> Self {
        let tools = config.tool_names.iter().map(|name| key(name)).collect();
        let fields = config.field_names.iter().map(|name| key(name)).collect();
        let mut names: Vec<String> = COMMON_NAMES.iter().map(|name| (*name).to_owned()).collect();
        for name in config.tool_names.iter().chain(&config.field_names).filter(|name| is_technical(name)) {
            names.extend(spellings(name));
        }
        let names = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(&names)
            .ok();
        let texts: Vec<&str> =
            config.public_texts.iter().map(|text| text.trim()).filter(|text| text.len() > 3).collect();
        let public = (!texts.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts).ok())
            .flatten();
        Self { config, tools, fields, names, public }
    }

    /// True if the word is a tool's name in any spelling: `agendar_horario`, `agendarHorario`, `agendar horário`.
    pub(crate) fn is_tool(&self, word: &str) -> bool {
        !word.is_empty() && self.tools.contains(&key(word))
    }

    /// True if the word is an argument's or result's name.
    pub(crate) fn is_field(&self, word: &str) -> bool {
        !word.is_empty() && self.fields.contains(&key(word))
    }

    /// Where technical names stand as words of their own.
    pub(crate) fn names_in(&self, text: &str) -> Vec<Range<usize>> {
        let Some(names) = &self.names else { return Vec::new() };
        names.find_iter(text).map(|found| found.range()).filter(|range| is_word(text, range)).collect()
    }

    /// Where the text repeats what the business publishes.
    pub(crate) fn public_in(&self, text: &str) -> Vec<Range<usize>> {
        self.public.as_ref().map_or_else(Vec::new, |public| public.find_iter(text).map(|found| found.range()).collect())
    }
}

/// A name that nobody writes in a message: with `_`, an inner capital, or a hyphen between more than two parts.
pub(crate) fn is_technical(name: &str) -> bool {
    let inner_capital = name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let letters = name.chars().any(char::is_alphabetic);
    letters && (name.contains('_') || inner_capital || name.matches('-').count() > 1)
}

/// The name without case, accents and separators.
pub(crate) fn key(name: &str) -> String {
    normalize(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// As written, with hyphens, and in camel case.
fn spellings(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split(['_', '-']).filter(|part| !part.is_empty()).collect();
    let mut all = vec![name.to_owned()];
    if parts.len() > 1 {
        // Joined and hyphenated forms of two short words may be ordinary ("dia-hora"): only the camel form is certain,
        // and it is found without regard to case.
        if parts.iter().map(|part| part.len()).sum::<usize>() > 8 {
            all.push(parts.concat());
        }
        all.push(parts.join("_"));
        if parts.len() > 2 {
            all.push(parts.join("-"));
        }
    }
    all
}

fn is_word(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|head| head.chars().next_back());
    let mut tail = text.get(range.end..).unwrap_or_default().chars();
    let after = tail.next();
    let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    // `@corte_da_hora` is a handle, `x@tool_use.com` an address.
    !joined(before) && !joined(after) && after != Some('@')
}
