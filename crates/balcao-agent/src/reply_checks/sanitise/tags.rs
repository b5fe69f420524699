//! Reads tags and control tokens of every dialect, tolerantly: `<tool_call>`, `</x:invoke>`, `<|python_tag|>`,
//! `<parameter=dia>`, `[TOOL_CALLS]`, cut ones at the text's end included.

use std::{ops::Range, sync::LazyLock};

use balcao_language::normalize;
use regex::Regex;

use super::{edit::from, rules::Rules};

/// What a tag belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// A tool call or its result; what it encloses goes with it.
    Call,
    /// A part of a call that holds a value: `<parameter=…>`, `<arg_value>`.
    Value,
    /// Reasoning.
    Think,
    /// Wraps the answer itself, which stays.
    Answer,
    /// A template token: only the token goes.
    Token,
    /// HTML, left to the markup pass.
    Html,
    /// Anything else in angle brackets.
    Other,
}

/// Whether a tag opens or closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Open,
    Close,
}

/// One tag.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) range: Range<usize>,
    /// The name without namespace, separators, case, and words like "begin" and "end".
    pub(crate) base: String,
    pub(crate) family: Family,
    pub(crate) side: Side,
}

static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x) <{1,2} \s? (?P<slash>/)? \s? (?P<bar>\|*) \s? (?P<slash2>/)? (?:DSML\s*\|+\s*)?
        (?P<name> [\p{L}_][\w.:/\-]* (?:\x20[A-Za-z_]+\b)? | " )
        (?P<attributes> [=\s/] [^<>{}|\n]* )? (?P<bar2>\|*) \x20? (?P<end>>{1,2})?
        | \[ (?P<slash3>/)? (?P<square> (?i:TOOL_?CALLS?|TOOL_?RESULTS?|AVAILABLE_?TOOLS|TOOL_?CONTENT|ARGS|CALL_ID|THINK|INST|SYSTEM_PROMPT|PAD|UNK|BOS|EOS|unused\d+|CITATION) ) \]
        | (?P<flower>✿[A-Za-zÀ-ÿ]*✿?:?) | ◁ (?P<slash4>/)? (?P<triangle>\w*) ▷?"#,
    )
    .ok()
});

/// Square markers that the end of the text cut: `[TOOL_CA`.
static CUT_SQUARE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[/?[A-Z]{2,}(?:_[A-Z]*)?$").ok());

const HTML: &[&str] = &[
    "b",
    "strong",
    "i",
    "em",
    "u",
    "s",
    "del",
    "br",
    "p",
    "div",
    "span",
    "ul",
    "ol",
    "li",
    "a",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "table",
    "tr",
    "td",
    "th",
    "tbody",
    "thead",
    "code",
    "pre",
    "img",
    "html",
    "body",
    "head",
    "small",
    "sub",
    "sup",
    "blockquote",
    "font",
    "center",
    "mark",
];
const THINKING: &[&str] = &[
    "think",
    "thought",
    "reason",
    "reflect",
    "scratchpad",
    "analysis",
    "monolog",
    "pensament",
    "pensando",
    "raciocin",
    "analise",
    "innervoice",
];
const VALUES: &[&str] = &["param", "argkey", "argvalue", "argument", "argname", "escape", "args", "callid"];
const CALLS: &[&str] = &[
    "tool",
    "call",
    "func",
    "invoke",
    "action",
    "plugin",
    "pythontag",
    "python",
    "ferramenta",
    "chamada",
    "funcao",
    "constrain",
    "commentary",
    "observation",
    "steptml",
    "innerprefix",
    "innersuffix",
    "inner",
    "use",
    "execut",
];
const ANSWERS: &[&str] = &["answer", "final", "response", "resposta", "reply", "output", "text", "content"];
const SIDES: &[&str] = &["begin", "start", "end", "open", "close", "prefix", "suffix", "section"];

/// All tags of a text, in its order.
pub(crate) fn tags(text: &str, rules: &Rules) -> Vec<Tag> {
    let Some(regex) = TAG.as_ref() else { return Vec::new() };
    let mut out: Vec<Tag> = if text.contains(['<', '[', '✿', '◁']) {
        regex.captures_iter(text).filter_map(|found| read(text, &found, rules)).collect()
    } else {
        Vec::new()
    };
    if let Some(found) = CUT_SQUARE.as_ref().and_then(|regex| regex.find(text)) {
        let known = out.last().is_some_and(|last| last.range.end >= found.end());
        if !known {
            out.push(Tag { range: found.range(), base: String::new(), family: Family::Call, side: Side::Open });
        }
    }
    out
}

fn read(text: &str, found: &regex::Captures<'_>, rules: &Rules) -> Option<Tag> {
    let range = found.get(0)?.range();
    let slash = ["slash", "slash2", "slash3", "slash4"].iter().any(|name| found.name(name).is_some());
    let tag = |base: &str, family, close: bool| Tag {
        range: range.clone(),
        base: base.to_owned(),
        family,
        side: if close { Side::Close } else { Side::Open },
    };
    if let Some(square) = found.name("square") {
        let base = plain(square.as_str());
        let family = match base.as_str() {
            "think" => Family::Think,
            "inst" | "pad" | "unk" | "bos" | "eos" | "citation" => Family::Token,
            "args" | "callid" => Family::Value,
            _ => Family::Call,
        };
        return Some(tag(&base, family, slash));
    }
    if found.name("flower").is_some() {
        return Some(tag("flower", Family::Value, false));
    }
    if let Some(triangle) = found.name("triangle") {
        return Some(tag(&plain(triangle.as_str()), Family::Think, slash));
    }
    let name = found.name("name")?.as_str();
    let bars = |group: &str| found.name(group).is_some_and(|bar| !bar.as_str().is_empty());
    let (before, after) = (bars("bar"), bars("bar2"));
    let ended = found.name("end").is_some();
    let barred = before || after;
    if name.starts_with("http") || name.starts_with("www.") || (!barred && name.contains('@')) {
        return None;
    }
    let local = name.rsplit(':').find(|part| !part.is_empty()).unwrap_or(name);
    let whole = plain(local);
    let close = slash
        || (after && !before)
        || (barred || local.contains('_'))
            && ["end", "close", "suffix"].iter().any(|side| words(local).any(|word| word == *side));
    let base = SIDES.iter().fold(whole.clone(), |base, side| base.replace(side, ""));
    let base = base.trim_end_matches('s').to_owned();
    let family = family(local, &whole, barred, rules);
    let rest = from(text, range.end);
    let at_end = rest.trim_start().is_empty();
    if !ended {
        // Without its bracket it is a tag if the text ends in it, if a call's body follows, or if bars say so.
        let body = rest.trim_start().starts_with(['{', '<', '[', '(']) || rest.starts_with('\n');
        let machine = matches!(family, Family::Call | Family::Value | Family::Think);
        let certain = barred || machine && (body || slash || !found.get(0)?.as_str().starts_with("< "));
        let unfinished = at_end
            && (!name.contains(' ') || matches!(family, Family::Call | Family::Value | Family::Think))
            && found.name("attributes").is_none_or(|a| family != Family::Other || a.as_str().contains('"'));
        if !certain && !unfinished {
            return None;
        }
    }
    // An unended tag may not take prose that follows on its line.
    let range = match found.name("attributes") {
        Some(attributes) if !ended && !at_end && !attributes.as_str().contains(['=', '"']) => {
            range.start..attributes.start()
        }
        // Nor a word of it as part of its name.
        None if !ended && !at_end && name.contains(' ') => {
            let first = name.find(' ').unwrap_or(name.len());
            range.start..found.name("name")?.start().saturating_add(first)
        }
        _ => range,
    };
    Some(Tag { range, base, family, side: if close { Side::Close } else { Side::Open } })
}

fn family(local: &str, whole: &str, barred: bool, rules: &Rules) -> Family {
    let has = |stems: &[&str]| stems.iter().any(|stem| whole.contains(stem));
    if !barred && HTML.contains(&whole) {
        return Family::Html;
    }
    if has(THINKING) {
        Family::Think
    } else if has(VALUES) {
        Family::Value
    } else if has(CALLS)
        || barred && matches!(whole, "channel" | "message" | "start" | "end" | "return" | "sep" | "open" | "close")
        || rules.is_tool(local)
        || (!barred && local.contains('_'))
        || whole == "acao"
    {
        Family::Call
    } else if has(ANSWERS) {
        Family::Answer
    } else if rules.is_field(local) {
        Family::Value
    } else if barred || matches!(whole, "s" | "bos" | "eos" | "unk" | "pad" | "sys" | "name") {
        Family::Token
    } else {
        Family::Other
    }
}

fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split(['_', '-', '.', ' ', '/']).map(str::to_lowercase)
}

fn plain(name: &str) -> String {
    normalize(name).chars().filter(|c| c.is_alphanumeric()).collect()
}
