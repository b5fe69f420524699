//! Matching a name that a customer wrote against the names that exist.
//!
//! In order: the same text folded; an alias; the first words of exactly one name ("joão" for "João Batista"); the same
//! sound in Portuguese ("Wanderson" and "Vanderson", "Stefane" and "Stephane"); close spelling. At each level one
//! candidate wins, several are reported, none passes on to the next. Two candidates that are both near are never decided.

use crate::normalize::{TokenKind, tokens};

/// Something that has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The canonical name first, then aliases.
    pub names: Vec<&'a str>,
}

impl<'a> Candidate<'a> {
    /// A candidate without aliases.
    #[must_use]
    pub fn named(name: &'a str) -> Self {
        Self { names: vec![name] }
    }
}

/// How a name was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is the canonical name, but for case, accents and punctuation.
    Exact,
    /// It is an alias.
    Alias,
    /// It is part of a name, sounds like it or is spelt nearly so: say which was understood.
    Near,
}

/// The result of a match. Indices are those of the candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMatch {
    /// Exactly one candidate.
    One {
        /// Which.
        index: usize,
        /// How.
        how: How,
    },
    /// Several that fit equally: ask.
    Several(Vec<usize>),
    /// None.
    None {
        /// The candidate whose spelling is nearest, as a suggestion; `None` if nothing comes close.
        nearest: Option<usize>,
    },
}

/// Below this similarity a spelling is another name. "Marcos" and "Marcelo" are 0.87 alike: that is not enough, so the
/// Jaro-Winkler measure only suggests; a match needs an edit distance that fits the length.
const SUGGESTED: f64 = 0.7;

/// Finds the candidate that `query` names.
#[must_use]
pub fn match_name(query: &str, candidates: &[Candidate<'_>]) -> NameMatch {
    let wanted = words(query);
    if wanted.is_empty() {
        return NameMatch::None { nearest: None };
    }
    let forms: Vec<Vec<Vec<String>>> =
        candidates.iter().map(|candidate| candidate.names.iter().map(|name| words(name)).collect()).collect();
    let level = |fits: &dyn Fn(&[Vec<String>]) -> bool| -> Vec<usize> {
        forms.iter().enumerate().filter(|(_, names)| fits(names)).map(|(index, _)| index).collect()
    };
    let decide = |found: Vec<usize>, how: How| match found.as_slice() {
        [] => None,
        [index] => Some(NameMatch::One { index: *index, how }),
        _ => Some(NameMatch::Several(found)),
    };
    let exact = level(&|names| names.first() == Some(&wanted));
    let alias = level(&|names| names.iter().skip(1).any(|name| *name == wanted));
    let prefix = level(&|names| names.iter().any(|name| starts_with(name, &wanted)));
    let part = level(&|names| names.iter().any(|name| wanted.iter().all(|word| name.contains(word))));
    let sound = sound_of(&wanted);
    let alike = level(&|names| names.iter().any(|name| sound_of(name) == sound));
    let first_alike = level(&|names| names.iter().any(|name| starts_with(&sound_words(name), &sound_words(&wanted))));
    let spelt = level(&|names| names.iter().any(|name| nearly(name, &wanted)));
    decide(exact, How::Exact)
        .or_else(|| decide(alias, How::Alias))
        .or_else(|| decide(prefix, How::Near))
        .or_else(|| decide(part, How::Near))
        .or_else(|| decide(alike, How::Near))
        .or_else(|| decide(first_alike, How::Near))
        .or_else(|| decide(spelt, How::Near))
        .unwrap_or_else(|| NameMatch::None { nearest: nearest(&wanted, &forms) })
}

/// The words of a name without particles and titles: "Dra. Maria da Silva" is `maria silva`.
fn words(name: &str) -> Vec<String> {
    const DROPPED: [&str; 22] = [
        "da", "de", "do", "das", "dos", "e", "o", "a", "com", "dr", "dra", "doutor", "doutora", "sr", "sra", "seu",
        "dona", "the", "with", "and", "um", "uma",
    ];
    let all: Vec<String> =
        tokens(name).into_iter().filter(|token| token.kind != TokenKind::Mark).map(|token| token.text).collect();
    let kept: Vec<String> = all.iter().filter(|word| !DROPPED.contains(&word.as_str())).cloned().collect();
    if kept.is_empty() { all } else { kept }
}

fn starts_with(name: &[String], wanted: &[String]) -> bool {
    let (Some(last), true) = (wanted.last(), name.len() >= wanted.len()) else { return false };
    let whole = wanted.len().saturating_sub(1);
    let same = name.iter().zip(wanted).take(whole).all(|(a, b)| a == b);
    // Of the last word three letters are enough: "vand" for "Vanderson".
    let begun = name.get(whole).is_some_and(|word| word == last || last.len() >= 3 && word.starts_with(last.as_str()));
    same && begun
}

/// How a word sounds in Brazil, roughly: two spellings of one name share it.
#[must_use]
pub fn sound(word: &str) -> String {
    let folded = crate::normalize::normalize(word)
        .replace("ph", "f")
        .replace("th", "t")
        .replace("ch", "x")
        .replace("sh", "x")
        .replace("ck", "k")
        .replace("qu", "k")
        .replace("ce", "se")
        .replace("ci", "si")
        .replace("sc", "s")
        .replace("ge", "je")
        .replace("gi", "ji")
        .replace("oao", "ao");
    // "Estephane" is how "Stephane" is spoken.
    let spoken = folded.strip_prefix('e').filter(|rest| {
        let mut rest = rest.chars();
        rest.next() == Some('s') && rest.next().is_some_and(|c| !"aeiou".contains(c))
    });
    let folded = spoken.unwrap_or(&folded);
    let mut out = String::new();
    for c in folded.chars() {
        let c = match c {
            'w' => 'v',
            'y' => 'i',
            'z' => 's',
            'c' | 'q' => 'k',
            'h' => continue,
            other => other,
        };
        if !out.ends_with(c) {
            out.push(c);
        }
    }
    // A final "e" is spoken as "i", a final "o" as "u"; a final nasal is one sound, however it is written.
    for (ending, spoken) in [("son", "som"), ("an", "am"), ("in", "im"), ("on", "om"), ("e", "i"), ("o", "u")] {
        if out.len() > ending.len().saturating_add(1)
            && let Some(stem) = out.strip_suffix(ending)
        {
            return format!("{stem}{spoken}");
        }
    }
    out
}

fn sound_words(words: &[String]) -> Vec<String> {
    words.iter().map(|word| sound(word)).collect()
}

fn sound_of(words: &[String]) -> String {
    sound_words(words).join(" ")
}

/// Close spelling: one edit from five letters on, two from eight; the first letters must agree.
fn nearly(name: &[String], wanted: &[String]) -> bool {
    let (whole, query) = (name.join(" "), wanted.join(" "));
    let first = name.first().map(String::as_str).unwrap_or_default();
    close(&whole, &query) || wanted.len() == 1 && close(first, &query)
}

fn close(name: &str, query: &str) -> bool {
    let length = name.chars().count().min(query.chars().count());
    let allowed = match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    let same_start = name.chars().next() == query.chars().next();
    // An added or lost last letter makes another person of a name: "Marcos" and "Marco", "Paulo" and "Paula".
    same_start && allowed > 0 && strsim::osa_distance(name, query) <= allowed && !differs_at_end_only(name, query)
}

fn differs_at_end_only(name: &str, query: &str) -> bool {
    let stem = |text: &str| -> String {
        let mut chars = text.chars();
        chars.next_back();
        chars.collect()
    };
    stem(name) == query || name == stem(query) || stem(name) == stem(query)
}

fn nearest(wanted: &[String], forms: &[Vec<Vec<String>>]) -> Option<usize> {
    let query = wanted.join(" ");
    let likeness = |name: &[String]| {
        let whole = strsim::jaro_winkler(&name.join(" "), &query);
        let first = name.first().map_or(0.0, |first| strsim::jaro_winkler(first, &query));
        whole.max(first)
    };
    let mut best: Option<(usize, f64)> = None;
    for (index, names) in forms.iter().enumerate() {
        let score = names.iter().map(|name| likeness(name)).fold(0.0, f64::max);
        if score >= SUGGESTED && best.is_none_or(|(_, least)| score > least) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
