//! Harmony, the channels of gpt-oss and its hosted relatives: only what the `final` channel says is the answer.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, part},
    rules::Rules,
};

static TOKEN: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"(?i)<\|\s*(start|channel|message|constrain|call|return|end)\s*\|>"]));
/// Harmony whose tokens were lost: the channel's name glued to what follows.
static GLUED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?s)\A\s*(?:assistant)?(?:analysis|commentary)\s?\p{Lu}.*?assistant\s?final:?\s*",
        r"(?s)\A\s*(?:assistant\s*)?analysis\p{Lu}.*\z",
        r"\bassistant\s?(?:final|analysis|commentary)\b",
        r"(?s)\b(?:assistant\s*)?(?:commentary\s*)?(?:analysis\s*)?to=[\w.]+",
    ])
});

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    let mut cuts = Vec::new();
    if text.contains("assistant") || text.contains("analysis") || text.contains("commentary") {
        for regex in GLUED.iter().take(3) {
            if let Some(found) = regex.find(text) {
                cuts.push(Edit::new(found.range(), Severity::Leak));
                return cuts;
            }
        }
    }
    if !text.contains("<|") {
        return cuts;
    }
    let tokens: Vec<(std::ops::Range<usize>, String)> = TOKEN
        .iter()
        .flat_map(|regex| regex.captures_iter(text))
        .filter_map(|found| Some((found.get(0)?.range(), found.get(1)?.as_str().to_ascii_lowercase())))
        .collect();
    if !tokens.iter().any(|(_, name)| name == "channel" || name == "message") {
        return cuts;
    }
    let mut answer = true;
    for (index, (range, name)) in tokens.iter().enumerate() {
        let end = tokens.get(index.saturating_add(1)).map_or(text.len(), |(next, _)| next.start);
        let body = part(text, range.end..end);
        let next = tokens.get(index.saturating_add(1)).map(|(_, name)| name.as_str());
        let keep = match name.as_str() {
            "channel" => {
                answer = body.trim_start().starts_with("final");
                false
            }
            "message" => answer && next != Some("call"),
            "start" => {
                answer = true;
                false
            }
            // What follows the end of a message is no part of any channel.
            "call" | "return" | "end" => {
                answer = true;
                true
            }
            _ => false,
        };
        cuts.push(Edit::new(range.start..if keep { range.end } else { end }, Severity::Leak));
        // A channel without its message token: "<|channel|>final Olá".
        if name == "channel" && answer && next != Some("message") && next != Some("constrain") {
            let head = body.len().saturating_sub(body.trim_start().trim_start_matches("final").len());
            cuts.pop();
            cuts.push(Edit::new(range.start..range.end.saturating_add(head), Severity::Leak));
        }
    }
    cuts
}
