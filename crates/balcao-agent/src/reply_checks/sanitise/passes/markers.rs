//! Tool calls inside tags and control tokens: whole blocks, blocks that were cut, and tags left alone.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, from, part, upto},
    rules::{Rules, is_technical},
    structured_data::{brackets, call_at, data_end, fence_end, is_data},
    tags::{Family, Side, Tag, tags},
};

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    if !text.contains(['<', '[', '>', '✿']) {
        return Vec::new();
    }
    let all: Vec<Tag> = tags(text, rules).into_iter().filter(|tag| tag.family != Family::Html).collect();
    let mut cuts = Vec::new();
    if !all.is_empty() {
        Reader { text, rules, closes: brackets(text), closers: closers(&all), all: &all }.read(&mut cuts);
    }
    cuts.extend(residue(text).map(|range| Edit::new(range, Severity::Leak)));
    cuts
}

/// For each opening tag the index of the tag that closes it: the next closing one of its name, unless the same name opens
/// again before that.
fn closers(all: &[Tag]) -> HashMap<usize, usize> {
    let mut waiting: HashMap<&str, usize> = HashMap::new();
    let mut found = HashMap::new();
    for (index, tag) in all.iter().enumerate().filter(|(_, tag)| !tag.base.is_empty() || tag.family == Family::Call) {
        match tag.side {
            Side::Open => drop(waiting.insert(&tag.base, index)),
            Side::Close => {
                if let Some(open) = waiting.remove(tag.base.as_str()) {
                    found.insert(open, index);
                }
            }
        }
    }
    found
}

struct Reader<'a> {
    text: &'a str,
    rules: &'a Rules,
    closes: HashMap<usize, usize>,
    closers: HashMap<usize, usize>,
    all: &'a [Tag],
}

impl Reader<'_> {
    fn read(&self, cuts: &mut Vec<Edit>) {
        let (mut index, mut done) = (0, 0);
        while let Some(tag) = self.all.get(index) {
            if tag.range.start < done {
                index = index.saturating_add(1);
                continue;
            }
            let holds = matches!(tag.family, Family::Call | Family::Value) && tag.side == Side::Open;
            let nested = tag.family == Family::Other && self.encloses_tags(index);
            let (end, harm) = if holds || nested {
                (self.block_end(index), Severity::Leak)
            } else if matches!(tag.family, Family::Answer | Family::Token | Family::Other) {
                (self.after_token(tag), Severity::Form)
            } else {
                (tag.range.end, Severity::Leak)
            };
            let start = if tag.family == Family::Answer || tag.family == Family::Token {
                tag.range.start
            } else {
                self.glued_before(tag, done)
            };
            cuts.push(Edit::new(start..end, harm));
            done = end;
            index = index.saturating_add(1);
        }
    }

    /// True for an unknown tag that holds other tags: invented XML.
    fn encloses_tags(&self, index: usize) -> bool {
        self.closers.get(&index).is_some_and(|close| *close > index.saturating_add(1))
    }

    /// Where the block ends that the tag at `index` opens.
    fn block_end(&self, index: usize) -> usize {
        let Some(tag) = self.all.get(index) else { return self.text.len() };
        match self.closers.get(&index).and_then(|close| self.all.get(*close)) {
            Some(close) => self.consume(close.range.end, index, false),
            None => self.consume(tag.range.end, index, tag.family == Family::Value),
        }
    }

    /// Goes on from `at` over whatever belongs to a call: tags, data, names, values.
    fn consume(&self, at: usize, index: usize, value: bool) -> usize {
        let (mut end, mut value) = (at, value);
        let mut next = index;
        loop {
            let rest = from(self.text, end);
            let skipped = rest.len().saturating_sub(rest.trim_start().len());
            let here = end.saturating_add(skipped);
            while self.all.get(next).is_some_and(|tag| tag.range.start < here) {
                next = next.saturating_add(1);
            }
            let tag = self.all.get(next);
            if let Some(tag) = tag.filter(|tag| tag.range.start == here) {
                if matches!(tag.family, Family::Think | Family::Answer | Family::Html) {
                    return end;
                }
                value = tag.side == Side::Open && matches!(tag.family, Family::Value | Family::Other);
                end = tag.range.end;
                continue;
            }
            let ahead = from(self.text, here);
            if ahead.is_empty() {
                return end;
            }
            if ahead.starts_with("```") {
                end = fence_end(self.text, here);
                continue;
            }
            if ahead.starts_with(['{', '[', '"']) && is_data(self.text, here) {
                end = data_end(self.text, here, &self.closes);
                continue;
            }
            let gap = tag.map_or(self.text.len(), |tag| tag.range.start);
            if value {
                // A value runs to the next tag; without one, the text was cut inside it.
                end = gap;
                value = false;
                continue;
            }
            let Some(len) = self.name_len(here, gap) else { return end };
            if len == 0 {
                return end;
            }
            end = here.saturating_add(len);
        }
    }

    /// The length of machine words at `here`: a tool's name, a role, a call in code. `gap` is where the next tag begins.
    fn name_len(&self, here: usize, gap: usize) -> Option<usize> {
        let ahead = from(self.text, here);
        let len = ahead.find(|c: char| c.is_whitespace() || matches!(c, '<' | '[' | '{' | '(')).unwrap_or(ahead.len());
        let word = upto(ahead, len);
        let behind = from(ahead, len);
        if behind.starts_with('(') {
            let open = here.saturating_add(len);
            return call_at(self.text, open, &self.closes, self.rules).map(|call| call.end.saturating_sub(here));
        }
        let plain = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '=' | '"'));
        let alone = behind.trim_start_matches(' ').is_empty()
            || behind.trim_start_matches(' ').starts_with(['\n', '<', '{', '['])
            || here.saturating_add(len) == gap;
        let named = is_technical(word) || word.contains(':') || word.contains('=') || self.rules.is_tool(word);
        (plain && !word.is_empty() && (alone || named)).then_some(len)
    }

    /// A token takes the name of a role behind it.
    fn after_token(&self, tag: &Tag) -> usize {
        let rest = from(self.text, tag.range.end);
        let role = ["assistant", "user", "system", "tool", "model", "developer"].iter().find(|role| {
            rest.starts_with(**role) && !from(rest, role.len()).starts_with(|c: char| c.is_alphanumeric() || c == ' ')
        });
        tag.range.end.saturating_add(role.map_or(0, |role| role.len()))
    }

    /// A name or value that stands directly before a tag whose beginning was lost: `agendar_horario<arg_key>`, `27/11</parameter>`.
    fn glued_before(&self, tag: &Tag, done: usize) -> usize {
        let head = part(self.text, done..tag.range.start);
        let start = |len: usize| tag.range.start.saturating_sub(len);
        if tag.family == Family::Value && tag.side == Side::Close {
            let from_line = head.rfind(['\n', '>', '.', '!', '?']).map_or(0, |at| at.saturating_add(1));
            return start(head.len().saturating_sub(from_line));
        }
        let word = from(head, head.trim_end_matches(|c: char| !c.is_whitespace()).len());
        let lone = head.trim_end().rsplit('\n').next().unwrap_or_default().trim();
        if !word.is_empty() && (is_technical(word) || self.rules.is_tool(word) || word.contains("functions.")) {
            return start(word.len());
        }
        // "call", alone on the line before an invoke tag.
        if matches!(lone, "call" | "calls" | "tool" | "tools" | "invoke" | "function" | "function call" | "functions") {
            let cut = head.trim_end().len().saturating_sub(lone.len());
            return start(head.len().saturating_sub(cut));
        }
        tag.range.start
    }
}

/// Names of tags that need no underscore to be known.
const MARKERS: &[&str] = &["invoke", "parameter", "function", "think", "thinking", "toolcall", "toolcalls", "tool"];
/// DeepSeek's namespace, with a bracket or without.
static DSML: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"[</|\s]*\|*DSML\|[|\s]*(?:\w+[^<>\n]*>)?|/?\|?DSML\|?\w*>?"]));

/// Ends of tags whose beginning was lost (`tool_call>`, `|>`), and beginnings at the text's end (`<`, `<|`).
fn residue(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = text.match_indices('>').filter_map(|(at, _)| {
        let head = upto(text, at).trim_end_matches('|');
        let start =
            head.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '|' | ':')).len();
        let word = from(head, start);
        let opened = upto(text, start).ends_with('<');
        let bar = head.len() < at;
        let marker =
            word.contains('_') || MARKERS.contains(&word.trim_start_matches('/').to_ascii_lowercase().as_str());
        (!opened && (bar || marker)).then(|| start..at.saturating_add(1))
    });
    let trimmed = text.trim_end();
    let tail = trimmed.trim_end_matches(['<', '|', '/', '[']);
    let half = from(trimmed, tail.len());
    let cut = (half.contains(['<', '[']) || half == "|").then_some(tail.len()..text.len());
    let names = DSML.iter().flat_map(|regex| regex.find_iter(text)).map(|found| found.range());
    let bars = text.match_indices("<|").map(|(at, bar)| at..at.saturating_add(bar.len()));
    ends.chain(cut).chain(bars).chain(names)
}
