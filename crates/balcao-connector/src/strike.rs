//! Takes secrets out of what a service says, in results as in errors: before processors, a model, the record and a customer see it.
//!
//! A secret is found as it is, as Base64 (at each of its three places in a longer text), as hexadecimal digits, and wherever codes spell
//! its bytes or some of them, [`DEPTH`] times over: of addresses, JSON, HTML, Markdown, programs and mail, Base64 and Base32, or plain
//! numbers in a row, whatever stands between them ([`decoding`]); whatever the case; also a part of it of [`WINDOW`] characters or more, or of [`WORD_WINDOW`] where
//! the part is of small letters and marks, as plain words are. Files of keys hold addresses and names that anybody may see: of a long
//! secret the parts are [`LONG_WINDOW`] characters.

use std::{borrow::Cow, sync::Arc, time::Duration};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::{Map, Number, Value};

use crate::{aside::aside, held::is_large};

mod clean_texts;
mod decoding;

use clean_texts::CleanTexts;
use decoding::readings;

/// Characters of a secret that may not be told in one piece.
const WINDOW: usize = 8;
/// The same where the characters may be those of plain words.
const WORD_WINDOW: usize = 16;
/// The same of a secret of more than [`LONG`] characters.
const LONG_WINDOW: usize = 40;
const LONG: usize = 128;
/// Bytes of all parts up to which a table of all steps is worth its room: it is some megabytes then, and several times as fast.
const MOST_OF_TABLE: usize = 16 * 1024;
/// Shorter secrets cannot be told from other words.
const SHORTEST: usize = 4;
/// Encodings within one another that are undone.
const DEPTH: usize = 2;
/// Entries of a list that may be the codes of a secret's bytes, and the longest text of one.
const LEAST_CODES: usize = 4;
const LONGEST_CODE: usize = 12;

/// Finds secrets, made ready once for all texts.
#[derive(Debug, Clone)]
pub struct Striker {
    windows: Option<AhoCorasick>,
    /// Bytes of the shortest part that must not leave: a shorter text holds none.
    shortest: usize,
}

impl Striker {
    /// For these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut windows: Vec<Vec<u8>> = secrets.into_iter().flat_map(|secret| forms(secret.trim())).collect();
        windows.sort();
        windows.dedup();
        if windows.is_empty() {
            return Self { windows: None, shortest: usize::MAX };
        }
        let shortest = windows.iter().map(Vec::len).min().unwrap_or(usize::MAX);
        let mut builder = AhoCorasickBuilder::new();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        if windows.iter().map(Vec::len).sum::<usize>() <= MOST_OF_TABLE {
            builder.kind(Some(AhoCorasickKind::DFA));
        }
        // So few and so short patterns always make an automaton.
        Self { windows: builder.build(windows).ok(), shortest }
    }

    /// A text without any secret, nor a large part of one; what was there is an ellipsis.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.struck(text).unwrap_or_else(|| text.to_owned())
    }

    /// Strikes what [`Striker::value`] strikes, in a large value beside the threads that serve others; `None`: not within `limit`.
    pub async fn value_within(self: &Arc<Self>, mut value: Value, limit: Duration) -> Option<Value> {
        if !is_large(&value) {
            self.value(&mut value);
            return Some(value);
        }
        let striker = Arc::clone(self);
        aside(limit, move || {
            striker.value(&mut value);
            value
        })
        .await
    }

    /// Strikes every text, key and long number within a value.
    pub fn value(&self, value: &mut Value) {
        self.strike_part(value, &mut CleanTexts::new());
    }

    /// Strikes every text, key and long number within a part of a value; `clean` are texts of the value that hold no secret.
    fn strike_part(&self, value: &mut Value, clean: &mut CleanTexts) {
        match value {
            Value::String(text) => {
                if let Some(struck) = self.struck_unless_clean(clean, text) {
                    *text = struck;
                }
            }
            Value::Number(number) => {
                // A number of so few digits is not written out.
                let is_short = number.as_i64().is_some_and(|whole| digits(whole) < self.shortest);
                if !is_short && self.struck(&number.to_string()).is_some() {
                    *value = "…".into();
                }
            }
            Value::Array(items) => {
                self.codes(items);
                items.iter_mut().for_each(|item| self.strike_part(item, clean));
            }
            Value::Object(fields) => {
                if self.spells(&numbered(fields)) {
                    *value = "…".into();
                    return;
                }
                fields.values_mut().for_each(|field| self.strike_part(field, clean));
                if fields.keys().any(|key| self.struck_unless_clean(clean, key).is_some()) {
                    let old = std::mem::take(fields);
                    *fields = old.into_iter().map(|(key, field)| (self.text(&key), field)).collect::<Map<_, _>>();
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Strikes entries of a list that together are the codes of a secret's bytes.
    fn codes(&self, items: &mut Vec<Value>) {
        let mut begin = 0;
        while begin < items.len() {
            let codes: Vec<Cow<'_, str>> = items.iter().skip(begin).map_while(code).collect();
            let count = codes.len();
            if self.spells(&codes) {
                items.splice(begin..begin + count, [Value::from("…")]);
                begin += 1;
            } else {
                begin += count + 1;
            }
        }
    }

    /// Whether the entries of a list together spell a secret: by codes of its bytes or by its characters.
    fn spells(&self, codes: &[Cow<'_, str>]) -> bool {
        codes.len() >= LEAST_CODES
            && (self.struck(&codes.join(",")).is_some() || self.struck(&codes.concat()).is_some())
    }

    /// As [`Striker::struck`], without a search where the text is known to be clean.
    fn struck_unless_clean(&self, clean: &mut CleanTexts, text: &str) -> Option<String> {
        if text.len() < self.shortest || clean.contains(text) {
            return None;
        }
        let struck = self.struck(text);
        if struck.is_none() {
            clean.insert(text);
        }
        struck
    }

    /// The text without secrets, if there is one in it.
    fn struck(&self, text: &str) -> Option<String> {
        let windows = self.windows.as_ref().filter(|_| text.len() >= self.shortest)?;
        let mut found = places(windows, text.as_bytes(), self.shortest.min(WINDOW), DEPTH);
        if found.is_empty() {
            return None;
        }
        // A long part may begin before a short one that ends before it.
        found.sort_unstable();
        let mut clean = String::new();
        let mut told = 0;
        for one in joined(&found) {
            // A match may begin or end within a character; then the whole character goes.
            let (from, to) = (text.floor_char_boundary(one.0), text.ceil_char_boundary(one.1));
            clean.push_str(text.get(told..from).unwrap_or_default());
            clean.push('…');
            told = to;
        }
        clean.push_str(text.get(told..).unwrap_or_default());
        Some(clean)
    }
}

/// Where the text holds one of these parts, of `least` bytes or more, as it is or in so many encodings within one another.
fn places(windows: &AhoCorasick, text: &[u8], least: usize, depth: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    // Nearly no text holds any, and this is the quicker question.
    if windows.is_match(text) {
        found.extend(windows.find_overlapping_iter(text).map(|one| (one.start(), one.end())));
    }
    if depth > 0 {
        // A code joins at most the longest part; a further code within it takes more room.
        for reading in readings(text, least, windows.max_pattern_len() * 2) {
            // Codes that spell neither a digit nor a mark of another code hold no further one.
            let left = if reading.spells_codes { depth - 1 } else { 0 };
            let within = places(windows, &reading.bytes, least, left);
            found.extend(within.iter().map(|one| (reading.place_of(one.0), reading.place_of(one.1))));
        }
    }
    found
}

/// Characters of a whole number, its sign included.
fn digits(whole: i64) -> usize {
    let digits = whole
        .unsigned_abs()
        .checked_ilog10()
        .map_or(1, |power| usize::try_from(power).unwrap_or(usize::MAX).saturating_add(1));
    digits + usize::from(whole < 0)
}

/// An entry of a list as it may be the code of a byte, or a piece of a text.
fn code(item: &Value) -> Option<Cow<'_, str>> {
    match item {
        Value::Number(number) => byte_of(number).map(|byte| byte.to_string().into()),
        Value::String(text) if text.len() <= LONGEST_CODE => Some(text.as_str().into()),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The byte that a number is, written as 115 or as 115.0.
fn byte_of(number: &Number) -> Option<u8> {
    if let Some(whole) = number.as_u64() {
        return u8::try_from(whole).ok();
    }
    number.to_string().strip_suffix(".0")?.parse().ok()
}

/// The entries of an object whose names are numbers, in the order of these; empty if an entry has another name or cannot be a code.
fn numbered(fields: &Map<String, Value>) -> Vec<Cow<'_, str>> {
    if fields.len() < LEAST_CODES {
        return Vec::new();
    }
    let entry = |(name, value): (&String, _)| Some((name.parse::<u64>().ok()?, code(value)?));
    let Some(mut entries) = fields.iter().map(entry).collect::<Option<Vec<_>>>() else { return Vec::new() };
    entries.sort_by_key(|(place, _)| *place);
    entries.into_iter().map(|(_, code)| code).collect()
}

/// Places in order of their beginnings, those that touch as one.
fn joined(places: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for &(from, to) in places {
        match all.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => all.push((from, to)),
        }
    }
    all
}

/// The parts of a secret that must not leave, as services echo them. Of Base64 in a longer text the letters that its neighbours decide
/// are left out.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let bytes = secret.as_bytes();
    if secret.chars().count() < SHORTEST {
        return Vec::new();
    }
    let mut forms = vec![bytes.to_vec()];
    forms.push(bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
    for before in 0..3_usize {
        let mut padded = vec![0; before];
        padded.extend_from_slice(bytes);
        for text in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            let first = (before * 8).div_ceil(6);
            let last = padded.len() * 8 / 6;
            forms.push(text.as_bytes().get(first..last).unwrap_or_default().to_vec());
        }
    }
    forms.iter().flat_map(|form| cut(form)).collect()
}

/// The parts of a form that may not be told.
fn cut(form: &[u8]) -> Vec<Vec<u8>> {
    if form.len() < SHORTEST {
        return Vec::new();
    }
    let window = if form.len() > LONG { LONG_WINDOW } else { WINDOW };
    let is_word =
        |part: &&[u8]| !part.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase() || !byte.is_ascii());
    let parts = form.windows(form.len().min(window)).filter(|part| !is_word(part));
    let words = form.windows(form.len().min(window.max(WORD_WINDOW)));
    parts.chain(words).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
#[path = "strike_tests.rs"]
mod tests;
