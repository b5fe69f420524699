//! Cuts a long text into messages where a reader would pause.

use unicode_segmentation::UnicodeSegmentation;

use crate::outbound::limits::length;

/// Words that end in a full stop without ending a sentence.
const ABBREVIATIONS: [&str; 16] =
    ["sr", "sra", "srta", "dr", "dra", "prof", "profa", "av", "r", "al", "pç", "nº", "n", "tel", "ex", "mr"];

/// Cuts `text` into parts of at most `limit` UTF-16 units each, in order, without blanks at their ends.
///
/// A cut falls at the last paragraph or line break of the second half of a part, else at the last end of a sentence, else
/// at the last blank, else between two characters as people see them. Nothing but blanks at the cuts is lost. A text that
/// fits is one part; a blank text is none. `limit` counts as 1 if it is 0; a single character longer than the limit (a long
/// emoji) is cut within.
#[must_use]
pub fn split_text(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(1);
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (part, after) = if length(rest) <= limit { (rest, "") } else { first_part(rest, limit) };
        let part = part.trim();
        if !part.is_empty() {
            parts.push(part.to_owned());
        }
        rest = after.trim_start();
    }
    parts
}

/// The first part of a text that is longer than the limit, and what remains.
fn first_part(text: &str, limit: usize) -> (&str, &str) {
    let window = prefix(text, limit);
    let half = window.len() / 2;
    let last = |cuts: &mut dyn Iterator<Item = usize>| cuts.filter(|cut| *cut > 0).last();
    let breaks = |mark: &'static str| window.match_indices(mark).map(move |(at, found)| at + found.len());
    let cut = last(&mut breaks("\n\n").filter(|cut| *cut > half))
        .or_else(|| last(&mut breaks("\n").filter(|cut| *cut > half)))
        .or_else(|| last(&mut sentence_ends(text, window.len())))
        .or_else(|| last(&mut breaks("\n")))
        .or_else(|| last(&mut blanks(text, window.len())))
        .or_else(|| last(&mut window.grapheme_indices(true).map(|(at, _)| at).chain(whole(text, window.len()))))
        .unwrap_or(window.len());
    text.split_at_checked(cut.max(first_letter(text))).unwrap_or((text, ""))
}

/// The longest beginning of at most `limit` UTF-16 units, at least one letter.
fn prefix(text: &str, limit: usize) -> &str {
    let mut units = 0;
    let end = text
        .char_indices()
        .take_while(|(_, letter)| {
            units += letter.len_utf16();
            units <= limit
        })
        .last()
        .map_or_else(|| first_letter(text), |(at, letter)| at + letter.len_utf8());
    text.get(..end).unwrap_or(text)
}

fn first_letter(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Where a blank stands, up to and including right behind the window.
fn blanks(text: &str, window: usize) -> impl Iterator<Item = usize> {
    text.char_indices()
        .take_while(move |(at, _)| *at <= window)
        .filter(|(_, letter)| letter.is_whitespace())
        .map(|(at, _)| at)
}

/// Where a blank follows the end of a sentence.
fn sentence_ends(text: &str, window: usize) -> impl Iterator<Item = usize> {
    blanks(text, window).filter(move |cut| text.get(..*cut).is_some_and(ends_sentence))
}

fn ends_sentence(before: &str) -> bool {
    let bare = before.trim_end_matches(['"', '”', '\'', '’', ')', '*', '_', '~']);
    if bare.ends_with(['!', '?', '…', '。']) {
        return true;
    }
    let Some(sentence) = bare.strip_suffix('.') else { return false };
    let word = sentence.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or_default();
    // "1." begins a row of a list; "Dr." begins a name.
    let number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    !number && !ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// The window's end, if it stands between two characters as people see them.
fn whole(text: &str, window: usize) -> Option<usize> {
    text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= window).find(|at| *at == window)
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
