//! Recognises data and code by its shape: JSON and its damaged relatives, calls, fences.
//!
//! Nothing here needs the text to be whole: a run of data ends where words begin, not where a parser is content.

use std::{collections::HashMap, ops::Range};

use super::{
    edit::{before, from, near, part, upto},
    rules::Rules,
};

/// Which bracket closes which: offsets of the opening to offsets after the closing one. Blind to quotes.
pub(crate) fn brackets(text: &str) -> HashMap<usize, usize> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut closes = HashMap::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' => open.push((c, at)),
            '}' | ']' | ')' => {
                let wanted = match c {
                    '}' => '{',
                    ']' => '[',
                    _ => '(',
                };
                if open.last().is_some_and(|(kind, _)| *kind == wanted)
                    && let Some((_, start)) = open.pop()
                {
                    closes.insert(start, at.saturating_add(1));
                }
            }
            _ => {}
        }
    }
    closes
}

/// True if data for a machine begins at `at`, where a bracket or quote stands.
pub(crate) fn is_data(text: &str, at: usize) -> bool {
    begins_data(near(text, at), upto(text, at).ends_with(char::is_alphanumeric), 4)
}

/// Looks `depth` brackets deep; nothing but data has more.
fn begins_data(rest: &str, glued: bool, depth: u8) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let mut chars = rest.chars();
    let first = chars.next();
    let inner = chars.as_str().trim_start();
    // A bracket that ends its line opens a block; one before an empty line was cut there.
    let line_ends = chars.as_str().trim_start_matches(' ').starts_with('\n');
    match first {
        Some('{') if line_ends => true,
        Some('[') if line_ends && chars.as_str().trim_start_matches([' ', '\n']).starts_with(['{', '[', '"', ']']) => {
            true
        }
        Some('[')
            if chars.as_str().starts_with('{')
                && chars.as_str().get(1..).is_some_and(|rest| rest.starts_with('\n')) =>
        {
            true
        }
        Some('{') => {
            if inner.is_empty() || inner.starts_with('}') {
                return true;
            }
            if inner.starts_with(['"', '\'']) {
                return quoted_key(inner) || !is_short_quote(inner);
            }
            if inner.starts_with('{') {
                return begins_data(inner, false, depth);
            }
            key_before_colon(inner) || inner.starts_with("...")
        }
        Some('[') => {
            if inner.is_empty() {
                return true;
            }
            match inner.chars().next() {
                Some('{') => inner.len() == 1 || begins_data(inner, false, depth),
                Some('[') => begins_data(inner, false, depth),
                Some('"') => true,
                Some('\'') => inner.contains("',") || inner.contains("']"),
                Some(']') => true,
                _ => false,
            }
        }
        Some('"' | '\'') => quoted_key(rest) && !glued,
        _ => false,
    }
}

/// `"key":`, or the text's end inside the quotes.
fn quoted_key(text: &str) -> bool {
    let Some(quote) = text.chars().next() else { return false };
    let body = from(text, quote.len_utf8());
    let Some(end) = body.find(quote) else {
        return body.len() < 60 && body.chars().all(|c| c.is_alphanumeric() || c == '_');
    };
    let key = upto(body, end);
    let after = from(body, end.saturating_add(quote.len_utf8())).trim_start();
    let name = key.len() < 60 && !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.$ ".contains(c));
    // "Corte": R$ 45 is a quoted word of a menu, not a key.
    let value = after.strip_prefix(':').map(str::trim_start);
    name && !key.starts_with(char::is_uppercase)
        && value.is_some_and(|value| {
            value.is_empty()
                || value.starts_with(['"', '\'', '{', '[', '-', '<', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
                || ["true", "false", "null", "None", "True", "False"].iter().any(|word| value.starts_with(word))
        })
}

/// A quoted stretch that ends soon and is followed by no colon: `{"oi"}`.
fn is_short_quote(text: &str) -> bool {
    let Some(quote) = text.chars().next() else { return false };
    let body = from(text, quote.len_utf8());
    body.find(quote).is_some_and(|end| end > 40 && body.get(..end).is_some_and(|words| words.contains(' ')))
}

/// `key:` or `key=` with a lower-case key, as JavaScript writes it.
fn key_before_colon(text: &str) -> bool {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let after = from(text, end).trim_start();
    end > 0
        && upto(text, end).starts_with(|c: char| c.is_lowercase() || c == '_')
        && after.strip_prefix([':', '=']).is_some_and(|value| {
            let value = value.trim_start();
            value.is_empty()
                || value.starts_with(['"', '\'', '{', '[', '<'])
                || value.starts_with(|c: char| c.is_ascii_digit() || c.is_lowercase())
        })
}

/// Where the data that begins at `at` ends: at its closing bracket if that is there, else where its tokens end.
pub(crate) fn data_end(text: &str, at: usize, closes: &HashMap<usize, usize>) -> usize {
    let end = run(text, at);
    match closes.get(&at) {
        Some(close) if *close > end && !part(text, end..*close).contains("\n\n") => run_on(text, *close),
        _ => end,
    }
}

/// Left-over closing brackets and quotes after a bracket that only seemed to be the last.
fn run_on(text: &str, at: usize) -> usize {
    let rest = from(text, at);
    let extra = rest.find(|c: char| !matches!(c, '}' | ']' | '"' | '\'')).unwrap_or(rest.len());
    at.saturating_add(extra)
}

/// Consumes tokens of data from `at`: brackets, strings, figures, literals, keys, and the separators between them.
fn run(text: &str, at: usize) -> usize {
    let (mut here, mut end, mut depth) = (at, at, 0_i32);
    let mut after_colon = false;
    loop {
        let rest = from(text, here);
        let Some(c) = rest.chars().next() else { return end };
        let mut step = c.len_utf8();
        match c {
            '\n' if rest.starts_with("\n\n") => return end,
            _ if c.is_whitespace() => {
                here = here.saturating_add(step);
                continue;
            }
            '{' | '[' => depth = depth.saturating_add(1),
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth <= 0 {
                    end = run_on(text, here.saturating_add(step));
                    let next = from(text, end).trim_start();
                    let more = next
                        .strip_prefix([',', ';'])
                        .map(str::trim_start)
                        .filter(|more| more.starts_with(['{', '[', '"']));
                    let Some(more) = more else { return end };
                    here = text.len().saturating_sub(more.len());
                    depth = 0;
                    continue;
                }
            }
            ',' | ':' | '=' | '\\' => {}
            '"' | '\'' => step = string_len(rest),
            '-' | '0'..='9' if depth > 0 || after_colon => {
                step = rest.find(|c: char| !(c.is_ascii_digit() || "+-.eE:T".contains(c))).unwrap_or(rest.len());
            }
            _ if c.is_alphabetic() || c == '_' => {
                let len = rest.find(|c: char| !(c.is_alphanumeric() || "_.-".contains(c))).unwrap_or(rest.len());
                let (word, behind) = (upto(rest, len), from(rest, len).trim_start());
                let literal = matches!(word, "true" | "false" | "null" | "None" | "True" | "False");
                let key = depth > 0 && behind.starts_with([':', '=']);
                let value = depth > 0 && after_colon && (behind.is_empty() || behind.starts_with([',', '}', ']']));
                if !(literal || key || value) {
                    return end;
                }
                step = len;
            }
            _ => return end,
        }
        after_colon = matches!(c, ':' | '=');
        here = here.saturating_add(step);
        end = here;
    }
}

/// The length of a quoted string with its quotes; an unclosed one ends with its line.
fn string_len(text: &str) -> usize {
    let Some(quote) = text.chars().next() else { return 0 };
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if c == quote => return at.saturating_add(c.len_utf8()),
            _ => {}
        }
    }
    text.len()
}

/// The call whose opening bracket stands at `open`: `ident(…)` with arguments of code. The range covers the name too.
pub(crate) fn call_at(text: &str, open: usize, closes: &HashMap<usize, usize>, rules: &Rules) -> Option<Range<usize>> {
    let head = upto(text, open);
    let name = head.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'));
    let mut start = name.len();
    let ident = from(head, start);
    let inner = from(text, open.saturating_add(1)).trim_start();
    let named = {
        let end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let behind = from(inner, end).trim_start();
        end > 0 && behind.starts_with('=') && !behind.starts_with("==")
    };
    let code = named || inner.starts_with(['{', '"', '\'']) || inner.starts_with(')') || inner.is_empty();
    let two_words = last_words(before(text, open), 2);
    let tool = rules.is_tool(ident) || two_words.is_some_and(|words| rules.is_tool(words));
    let dotted = ident.split('.').filter(|part| !part.is_empty()).count() > 1;
    let technical = matches!(ident, "print" | "exec" | "eval") || ident.contains('_') || dotted || ident.contains("::");
    if ident.is_empty() || !((tool || technical) && code || named) {
        return None;
    }
    if !rules.is_tool(ident)
        && let Some(words) = two_words.filter(|words| rules.is_tool(words))
    {
        start = head.len().saturating_sub(words.len());
    }
    let end = closes.get(&open).copied().unwrap_or_else(|| {
        let line = from(text, open);
        open.saturating_add(line.find('\n').unwrap_or(line.len()))
    });
    Some(start..end)
}

fn last_words(text: &str, count: usize) -> Option<&str> {
    let mut places = text.char_indices().rev().filter(|(_, c)| *c == ' ').map(|(at, _)| at.saturating_add(1));
    let at = places.nth(count.saturating_sub(1)).unwrap_or(0);
    text.get(at..).filter(|words| words.contains(' '))
}

/// Where the fence that begins at `at` ends: after its closing fence, or with the text.
pub(crate) fn fence_end(text: &str, at: usize) -> usize {
    let body = at.saturating_add(3);
    match from(text, body).find("```") {
        Some(close) => body.saturating_add(close).saturating_add(3),
        None => text.len(),
    }
}
