//! Sentences that say something was done or will be done.

use crate::reply_checks::claims::kind::ClaimKind;
use std::{ops::Range, sync::LazyLock};

use balcao_language::normalize;
use regex::Regex;

use super::words::{CLAIMS, NO_CLAIM, NOT_BEFORE, OFFERS, OWN_ACT, TAGS};

/// One claiming sentence.
#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub(super) sentence: &'a str,
    /// Where its facts stand: the sentence, and the next one if that only adds them.
    pub(super) facts: &'a str,
    /// Usually one; "cancelei o de quarta e marquei na sexta" has two.
    pub(super) kinds: Vec<ClaimKind>,
}

struct Pattern {
    kind: ClaimKind,
    regex: Regex,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    CLAIMS.iter().filter_map(|(kind, source)| Some(Pattern { kind: *kind, regex: compiled(source)? })).collect()
});
static INNOCENT: LazyLock<Vec<Regex>> =
    LazyLock::new(|| NO_CLAIM.iter().filter_map(|source| compiled(source)).collect());
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(NOT_BEFORE));
static FIRST_PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(OWN_ACT));
static OFFERING: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(OFFERS));

/// A pattern over folded text, whose letters are ASCII: so are its word boundaries, which keeps `regex` in its automaton.
fn compiled(source: &str) -> Option<Regex> {
    Regex::new(&source.replace(r"\b", r"(?-u:\b)").replace(r"\w", r"[a-z0-9_]").replace(r"\W", r"[^a-z0-9_]")).ok()
}

/// All claims of a reply, in its order.
pub(super) fn claims_in(text: &str) -> Vec<Claim<'_>> {
    let ranges = sentences(text);
    let asks = text.contains('?');
    let mut out = Vec::new();
    for (index, range) in ranges.iter().enumerate() {
        let sentence = text.get(range.clone()).unwrap_or_default();
        let last = index.saturating_add(1) == ranges.len();
        let kinds = kinds_of(sentence, last, asks);
        if kinds.is_empty() {
            continue;
        }
        // "Tá marcado! Sexta às 15h com o João.": the facts stand in the next sentence if this one has none.
        let bare = !sentence.chars().any(|c| c.is_ascii_digit());
        let next = ranges.get(index.saturating_add(1)).filter(|next| {
            let words = text.get((*next).clone()).unwrap_or_default();
            let folded = normalize(words);
            bare && !words.contains('?') && OFFERING.as_ref().is_none_or(|regex| !regex.is_match(&folded))
        });
        let end = next.map_or(range.end, |next| next.end);
        out.push(Claim { sentence, facts: text.get(range.start..end).unwrap_or(sentence), kinds });
    }
    out
}

/// Whether a sentence says that the writer did something: "cancelei", or a bare "Cancelado!", but not "Cancelados: 3".
pub(super) fn tells_of_own_act(sentence: &str) -> bool {
    let folded = normalize(sentence);
    FIRST_PERSON.as_ref().is_none_or(|regex| regex.is_match(&folded))
}

fn kinds_of(sentence: &str, last: bool, asks: bool) -> Vec<ClaimKind> {
    let mut folded = normalize(sentence);
    if folded.ends_with('?') {
        // "Marquei para as 15h, tudo bem?" claims; "Posso marcar, ou já está marcado?" asks.
        let Some((head, tail)) = folded.rsplit_once([',', '-']) else { return Vec::new() };
        let tail = tail.trim().trim_end_matches('?').trim();
        if !TAGS.contains(&tail) {
            return Vec::new();
        }
        folded = head.to_owned();
    }
    if INNOCENT.iter().any(|regex| regex.is_match(&folded)) {
        return Vec::new();
    }
    let mut kinds: Vec<ClaimKind> = Vec::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    for pattern in PATTERNS.iter() {
        let Some(found) = pattern
            .regex
            .find_iter(&folded)
            .find(|found| !is_denied(&folded, found.start()) && !denies(found.as_str()))
        else {
            continue;
        };
        let overlaps = taken.iter().any(|other| other.start < found.end() && found.start() < other.end);
        let weak = pattern.kind == ClaimKind::Done && (asks || !kinds.is_empty());
        let looking = pattern.kind == ClaimKind::Planned && found.as_str().ends_with('.') && !last;
        if overlaps || weak || looking || kinds.contains(&pattern.kind) {
            continue;
        }
        taken.push(found.range());
        kinds.push(pattern.kind);
    }
    // "Seu horário está confirmado" is a booking or one that exists: the stronger reading is enough.
    if kinds.contains(&ClaimKind::Existing) {
        kinds.retain(|kind| *kind != ClaimKind::Booked);
    }
    kinds
}

/// True if the words directly before deny, ask for or condition what follows.
fn is_denied(folded: &str, at: usize) -> bool {
    let head = folded.get(..at).unwrap_or_default();
    let clause = head.rsplit([',', ';', ':', '(']).next().unwrap_or_default();
    BEFORE.as_ref().is_some_and(|regex| regex.is_match(clause))
}

/// True if the words of the claim itself deny it: "seu horário não foi cancelado".
fn denies(claim: &str) -> bool {
    claim
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .any(|word| matches!(word, "nao" | "nunca" | "not" | "never" | "nem") || word.ends_with("n't"))
}

/// Sentences and clauses between semicolons. A full stop behind a title or a street's abbreviation ends nothing.
fn sentences(text: &str) -> Vec<Range<usize>> {
    const ABBREVIATED: &[&str] = &["dr", "dra", "sr", "sra", "av", "r", "prof", "mr", "mrs", "ms", "st", "n", "tel"];
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at.saturating_add(c.len_utf8());
        let gap = chars.peek().is_none_or(|(_, next)| {
            next.is_whitespace() || u32::from(*next) > 0x2190 || matches!(next, '*' | '_' | '"' | ')')
        });
        let ends = match c {
            '\n' | ';' => true,
            '!' | '?' | '…' => chars.peek().is_none_or(|(_, next)| !matches!(next, '!' | '?')),
            '.' if gap => {
                let head = text.get(start..at).unwrap_or_default();
                let word = head.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
                !ABBREVIATED.contains(&word.as_str())
            }
            _ => false,
        };
        if ends {
            out.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        out.push(start..text.len());
    }
    out.retain(|range| text.get(range.clone()).is_some_and(|sentence| sentence.chars().any(char::is_alphanumeric)));
    out
}
