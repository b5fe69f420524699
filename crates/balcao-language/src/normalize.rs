//! Text without case, accents and typographic variety, and its words with their places in the original.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower case, accents off, compatibility forms resolved (`ª` is `a`, full-width digits are digits), curly quotes and
/// dashes made plain, every run of white space one blank, none at the ends.
///
/// `"  Às 3 — AMANHÃ "` becomes `"as 3 - amanha"`. Folding twice changes nothing more.
#[must_use]
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = !out.is_empty();
            continue;
        }
        let before = out.len();
        if gap {
            out.push(' ');
        }
        let start = out.len();
        fold_char(c, &mut out);
        if out.len() == start {
            out.truncate(before);
        } else {
            gap = false;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Appends the folded form of one character; nothing for combining marks, joiners and variation selectors.
fn fold_char(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{00B4}' => out.push('\''),
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '«' | '»' => out.push('"'),
        '…' => out.push_str("..."),
        '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{00AD}' | '\u{FEFF}' => {}
        _ => {
            for part in std::iter::once(c).nfkd().filter(|part| !is_combining_mark(*part) && !part.is_whitespace()) {
                if part == c {
                    out.extend(part.to_lowercase().filter(|lower| !is_combining_mark(*lower)));
                } else {
                    fold_char(part, out);
                }
            }
        }
    }
}

/// What a [`Token`] is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters only.
    Word,
    /// ASCII digits only.
    Number,
    /// One other character: punctuation, a sign, an emoji, or a line break.
    Mark,
}

/// A piece of a text, folded, with its place in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The folded text: never empty.
    pub text: String,
    /// Byte offset of its first character in the original.
    pub start: usize,
    /// Byte offset after its last character in the original.
    pub end: usize,
    /// What it is made of.
    pub kind: TokenKind,
    /// True if no white space stands between it and the token before.
    pub glued: bool,
}

/// Splits a text into words, numbers and marks: `"às 15h30?"` is `as`, `15`, `h`, `30`, `?`.
///
/// A line break is a mark of its own (`"\n"`), because it separates the messages of a burst.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut glued = false;
    let mut open = false;
    let mut folded = String::new();
    for (start, c) in text.char_indices() {
        let end = start.saturating_add(c.len_utf8());
        if c == '\n' {
            out.push(Token { text: "\n".to_owned(), start, end, kind: TokenKind::Mark, glued: false });
            (glued, open) = (false, false);
            continue;
        }
        if c.is_whitespace() {
            (glued, open) = (false, false);
            continue;
        }
        folded.clear();
        fold_char(c, &mut folded);
        let Some(first) = folded.chars().next() else {
            // Accents and selectors belong to the character before them.
            if let Some(last) = out.last_mut().filter(|last| last.end == start) {
                last.end = end;
            }
            continue;
        };
        let kind = if first.is_alphabetic() {
            TokenKind::Word
        } else if first.is_ascii_digit() {
            TokenKind::Number
        } else {
            TokenKind::Mark
        };
        match out.last_mut() {
            Some(last) if open && last.kind == kind && kind != TokenKind::Mark => {
                last.text.push_str(&folded);
                last.end = end;
            }
            _ => out.push(Token { text: folded.clone(), start, end, kind, glued }),
        }
        (glued, open) = (true, true);
    }
    out
}

/// The folded text of the token at `index`; empty past the end.
pub(crate) fn text_at(tokens: &[Token], index: usize) -> &str {
    tokens.get(index).map_or("", |token| token.text.as_str())
}

/// The folded text of the token `back` places before `index`; empty before the start.
pub(crate) fn before(tokens: &[Token], index: usize, back: usize) -> &str {
    index.checked_sub(back).map_or("", |index| text_at(tokens, index))
}

/// True if the token at `index` stands directly behind the one before it.
pub(crate) fn is_glued(tokens: &[Token], index: usize) -> bool {
    tokens.get(index).is_some_and(|token| token.glued)
}

/// The length in tokens of the longest phrase (words separated by blanks) of `phrases` that starts at `index`.
pub(crate) fn phrase_at(tokens: &[Token], index: usize, phrases: &[&str]) -> Option<usize> {
    // Most phrases begin with another letter, and most others with another word: seen before they are taken apart.
    let first = text_at(tokens, index);
    let letter = first.as_bytes().first();
    let of = |phrase: &&str| {
        let mut next = index;
        for word in phrase.split(' ') {
            if text_at(tokens, next) != word {
                return None;
            }
            next = next.saturating_add(1);
        }
        Some(next.saturating_sub(index))
    };
    let begins = |phrase: &&&str| phrase.as_bytes().first() == letter && phrase.starts_with(first);
    phrases.iter().filter(begins).filter_map(of).max()
}

#[cfg(test)]
#[path = "normalize_tests.rs"]
mod tests;
