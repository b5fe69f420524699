//! Markdown and HTML as WhatsApp writes them: `*bold*`, `_italic_`, `~struck~`, plain lines for headings and tables.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, Taken, part},
    rules::Rules,
};

static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\*{2,3}([^*\n]+?)\*{2,3}",
        r"(?:^|\b|\s)__([^_\n]+?)__",
        r"~~([^~\n]+?)~~",
        r"(?m)^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t#]*$",
        r"(?m)^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*(?:\n|\z)",
        r"(?i)</?(?:b|strong)\s*>",
        r"(?i)</?(?:i|em)\s*>",
        r"(?i)<br\s*/?>|</(?:p|div|li|tr|h[1-6])>",
        r"(?i)</?(?:p|div|span|u|s|del|ul|ol|a|h[1-6]|hr|table|tr|td|th|tbody|thead|code|pre|img|html|body|head|small|sub|sup|blockquote|font|center|mark)\b[^<>\n]*>",
        r"(?i)<li\b[^<>\n]*>",
        r"\*{2,}",
        r"(?m)^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*(?:\n|\z)",
        r"(?m)^[ \t]*\|(.+)\|[ \t]*$",
        r"\\\((.+?)\\\)|\\\[(.+?)\\\]",
    ])
});

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    if !text.contains(['*', '_', '~', '#', '<', '|', '-', '\\', '=']) {
        return Vec::new();
    }
    let (mut cuts, mut taken): (Vec<Edit>, Taken) = (Vec::new(), Taken::default());
    for (index, regex) in FORMS.iter().enumerate() {
        for found in regex.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            let range = whole.range();
            let shown = shown(index, &found, whole.as_str());
            if shown != part(text, range.clone()) && taken.take(&range) {
                cuts.push(if shown.is_empty() {
                    Edit::new(range, Severity::Form)
                } else {
                    Edit::replace(range, shown)
                });
            }
        }
    }
    cuts
}

/// What stands instead, by the place of the pattern in [`FORMS`].
fn shown(index: usize, found: &Captures<'_>, whole: &str) -> String {
    let inner = found.get(1).or_else(|| found.get(2)).map_or("", |inner| inner.as_str()).trim();
    match index {
        0 => format!("*{inner}*"),
        1 => {
            let lead = whole.len().saturating_sub(whole.trim_start().len());
            format!("{}_{inner}_", whole.get(..lead).unwrap_or_default())
        }
        2 => format!("~{inner}~"),
        3 if inner.is_empty() => String::new(),
        3 => format!("*{}*", inner.replace('*', "")),
        5 => "*".to_owned(),
        6 => "_".to_owned(),
        7 => "\n".to_owned(),
        9 => "- ".to_owned(),
        12 => {
            let cells: Vec<&str> = inner.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
            cells.join(" – ")
        }
        13 => inner.to_owned(),
        _ => String::new(),
    }
}
