//! Takes secrets out of what a service says, in results as in errors: before processors, a model, the record and a customer see it.
//!
//! A secret is found as it is and as services echo it: as Base64 (at each of its three places in a longer text), as hexadecimal digits and
//! percent-encoded, whatever the case; also a part of it of [`WINDOW`] characters or more, if that is no plain word of small letters. Files
//! of keys hold addresses and names that anybody may see: of a long secret the parts are [`LONG_WINDOW`] characters.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::{Map, Value};

/// Characters of a secret that may not be told in one piece.
const WINDOW: usize = 8;
/// The same of a secret of more than [`LONG`] characters.
const LONG_WINDOW: usize = 40;
const LONG: usize = 128;
/// Shorter secrets cannot be told from other words.
const SHORTEST: usize = 4;

/// Finds secrets, made ready once for all texts.
#[derive(Debug, Clone)]
pub struct Striker {
    windows: Option<AhoCorasick>,
}

impl Striker {
    /// For these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut windows: Vec<Vec<u8>> =
            secrets.into_iter().flat_map(|secret| forms(secret.trim())).flat_map(|form| cut(&form)).collect();
        windows.sort();
        windows.dedup();
        if windows.is_empty() {
            return Self { windows: None };
        }
        let mut builder = AhoCorasickBuilder::new();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        // So few and so short patterns always make an automaton.
        Self { windows: builder.build(windows).ok() }
    }

    /// A text without any secret, nor a large part of one; what was there is an ellipsis.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.struck(text).unwrap_or_else(|| text.to_owned())
    }

    /// Strikes every text, key and long number within a value.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(struck) = self.struck(text) {
                    *text = struck;
                }
            }
            Value::Number(number) => {
                if self.struck(&number.to_string()).is_some() {
                    *value = "…".into();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.value(field));
                if fields.keys().any(|key| self.struck(key).is_some()) {
                    let old = std::mem::take(fields);
                    *fields = old.into_iter().map(|(key, field)| (self.text(&key), field)).collect::<Map<_, _>>();
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The text without secrets, if there is one in it.
    fn struck(&self, text: &str) -> Option<String> {
        let windows = self.windows.as_ref()?;
        let mut clean = String::new();
        let mut begins = 0;
        let mut found: Option<(usize, usize)> = None;
        let mut flush = |from: usize, to: usize, clean: &mut String| {
            // A match may begin or end within a character; then the whole character goes.
            let (from, to) = (text.floor_char_boundary(from), text.ceil_char_boundary(to));
            clean.push_str(text.get(begins..from).unwrap_or_default());
            clean.push('…');
            begins = to;
        };
        for one in windows.find_overlapping_iter(text) {
            found = match found {
                Some((from, to)) if one.start() <= to => Some((from, to.max(one.end()))),
                Some((from, to)) => {
                    flush(from, to, &mut clean);
                    Some((one.start(), one.end()))
                }
                None => Some((one.start(), one.end())),
            };
        }
        let (from, to) = found?;
        flush(from, to, &mut clean);
        clean.push_str(text.get(begins..).unwrap_or_default());
        Some(clean)
    }
}

/// A secret as services echo it. Of Base64 in a longer text the letters that its neighbours decide are left out.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let bytes = secret.as_bytes();
    if secret.chars().count() < SHORTEST {
        return Vec::new();
    }
    let mut forms = vec![bytes.to_vec()];
    forms.push(bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
    forms.push(percent(bytes));
    for before in 0..3_usize {
        let mut padded = vec![0; before];
        padded.extend_from_slice(bytes);
        for text in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            let first = (before * 8).div_ceil(6);
            let last = padded.len() * 8 / 6;
            forms.push(text.as_bytes().get(first..last).unwrap_or_default().to_vec());
        }
    }
    forms
}

fn percent(bytes: &[u8]) -> Vec<u8> {
    let kept = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    bytes.iter().flat_map(|byte| if kept(byte) { vec![*byte] } else { format!("%{byte:02X}").into_bytes() }).collect()
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
    parts.chain([form]).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
#[path = "strike_tests.rs"]
mod tests;
