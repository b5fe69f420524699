//! What a pass wants changed, and how changes are put into a text.

use std::{borrow::Cow, ops::Range};

use super::Removal;

/// How bad it would have been to send what was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// Form only: an answer stays an answer.
    Form,
    /// Machinery that the customer must not see. Where it took the answer with it, the model is asked again.
    Leak,
    /// Secrets and the inside of the system. Where nothing else is left, asking again would not help.
    Danger,
}

/// One change that a pass asks for: a stretch of the text, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) with: Cow<'static, str>,
    pub(crate) harm: Severity,
}

impl Edit {
    pub(crate) fn new(range: Range<usize>, harm: Severity) -> Self {
        Self { range, with: Cow::Borrowed(""), harm }
    }

    pub(crate) fn replace(range: Range<usize>, with: impl Into<Cow<'static, str>>) -> Self {
        Self { range, with: with.into(), harm: Severity::Form }
    }
}

/// The text between two offsets; empty where they are no boundaries.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The text from an offset on.
pub(crate) fn from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The text up to an offset.
pub(crate) fn upto(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

/// How far one looks round a place: lines may be as long as the text, and looking at all of each would not be linear.
const NEAR: usize = 160;

/// What stands before an offset on its line, as far as [`NEAR`].
pub(crate) fn before(text: &str, at: usize) -> &str {
    let head = upto(text, at);
    let mut start = head.len().saturating_sub(NEAR);
    while !head.is_char_boundary(start) {
        start = start.saturating_add(1);
    }
    let near = from(head, start);
    near.rsplit('\n').next().unwrap_or(near)
}

/// What stands behind an offset, as far as [`NEAR`], over line breaks too.
pub(crate) fn near(text: &str, at: usize) -> &str {
    let tail = from(text, at);
    let mut end = tail.len().min(NEAR);
    while !tail.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    upto(tail, end)
}

/// What stands behind an offset on its line, as far as [`NEAR`].
pub(crate) fn after(text: &str, at: usize) -> &str {
    let near = near(text, at);
    near.split('\n').next().unwrap_or(near)
}

/// Stretches that are spoken for, to ask in little time whether another overlaps one.
#[derive(Debug, Default)]
pub(crate) struct Taken(std::collections::BTreeMap<usize, usize>);

impl Taken {
    /// Takes the range, unless part of it is taken already. True if it was free.
    pub(crate) fn take(&mut self, range: &Range<usize>) -> bool {
        let free = self.0.range(..range.end).next_back().is_none_or(|(_, end)| *end <= range.start);
        if free {
            self.0.insert(range.start, range.end);
        }
        free
    }
}

/// Puts the cuts into the text and notes what they removed. Overlapping cuts become one, of the worse kind.
///
/// Where a removal leaves blanks on both sides, one side goes with it, so that words stay one blank apart.
pub(crate) fn apply(text: &str, mut cuts: Vec<Edit>, pass: &str, removed: &mut Vec<Removal>) -> String {
    cuts.sort_by_key(|cut| (cut.range.start, cut.range.end));
    let mut merged: Vec<Edit> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match merged.last_mut() {
            Some(last) if cut.range.start < last.range.end => {
                last.range.end = last.range.end.max(cut.range.end);
                last.harm = last.harm.max(cut.harm);
                if !last.with.is_empty() && !cut.with.is_empty() {
                    last.with = Cow::Owned(format!("{}{}", last.with, cut.with));
                }
            }
            _ => merged.push(cut),
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for cut in merged {
        out.push_str(part(text, done..cut.range.start));
        out.push_str(&cut.with);
        done = cut.range.end;
        if !cut.with.is_empty() {
            continue;
        }
        let gone = part(text, cut.range.clone());
        if !gone.trim().is_empty() {
            removed.push(Removal { pass: pass.to_owned(), text: gone.chars().take(200).collect() });
        }
        if cut.harm == Severity::Form {
            continue;
        }
        let after = from(text, done);
        if out.is_empty() || out.ends_with([' ', '\n']) {
            let blanks = after.len().saturating_sub(after.trim_start_matches([' ', '\t']).len());
            done = done.saturating_add(blanks);
        }
        if from(text, done).starts_with(['.', ',', ';', '!', '?', ')', '\n']) && out.ends_with(' ') {
            out.truncate(out.trim_end_matches(' ').len());
        }
        // The end of a sentence that is gone does not follow the end of the one before it.
        if out.trim_end().ends_with(['.', '!', '?', '…', ':', '\n']) && from(text, done).starts_with(['.', ',', ';'])
        {
            done = done.saturating_add(1);
        }
        // A removed paragraph takes one of its two gaps with it.
        if (out.is_empty() || out.ends_with('\n')) && from(text, done).starts_with('\n') {
            let lines = from(text, done).len().saturating_sub(from(text, done).trim_start_matches('\n').len());
            done = done.saturating_add(lines);
            if lines > 1 && out.ends_with('\n') && !out.ends_with("\n\n") {
                out.push('\n');
            }
        }
    }
    out.push_str(from(text, done));
    out
}

/// The sentences of a text as byte ranges that cover it: each ends after its `.`, `!`, `?` or `…` and the blanks behind,
/// or with its line.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut start, mut ended) = (0, false);
    for (at, c) in text.char_indices() {
        let next = at.saturating_add(c.len_utf8());
        if c == '\n' {
            out.push(start..next);
            (start, ended) = (next, false);
        } else if c.is_whitespace() {
            if ended {
                // The blank belongs to the sentence before it.
                let more = from(text, next).starts_with([' ', '\t']);
                if !more {
                    out.push(start..next);
                    (start, ended) = (next, false);
                }
            }
        } else {
            ended = matches!(c, '.' | '!' | '?' | '…') || (ended && matches!(c, '"' | '\'' | ')' | '*' | '_'));
        }
    }
    if start < text.len() {
        out.push(start..text.len());
    }
    out
}

/// The sentence that an offset lies in, widened to all sentences that the range touches.
pub(crate) fn sentence_of(sentences: &[Range<usize>], range: &Range<usize>) -> Range<usize> {
    let first = sentences.partition_point(|sentence| sentence.end <= range.start);
    let last = sentences.partition_point(|sentence| sentence.start < range.end).saturating_sub(1);
    let start = sentences.get(first).map_or(range.start, |sentence| sentence.start);
    let end = sentences.get(last.max(first)).map_or(range.end, |sentence| sentence.end);
    start..end.max(range.end)
}

/// The line that an offset lies in, without its line break.
pub(crate) fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = upto(text, at).rfind('\n').map_or(0, |found| found.saturating_add(1));
    let end = from(text, at).find('\n').map_or(text.len(), |found| at.saturating_add(found));
    start..end
}

/// Blanks at line ends and piles of empty lines, which removals leave behind. A text that nothing was removed from stays.
pub(crate) fn tidy(text: &str, before: &str) -> String {
    if text == before {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut empty = 0_usize;
    for line in text.split('\n') {
        let line = line.trim_end();
        // A bullet or emphasis that lost its words.
        let hollow = !line.is_empty() && line.chars().all(|c| matches!(c, '*' | '_' | '-' | '•' | '`' | '>' | ' '));
        if line.is_empty() || hollow {
            empty = empty.saturating_add(1);
            continue;
        }
        if !out.is_empty() {
            out.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        out.push_str(line);
        empty = 0;
    }
    out.trim().to_owned()
}
