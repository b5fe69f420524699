//! Chain of thought: `<think>…</think>` in all its spellings. A closing tag alone drops everything before it, because the
//! opening one stood in the prompt; an opening one alone drops everything behind it.

use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, part},
    rules::Rules,
    tags::{Family, Side, tags},
};

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    if !text.contains(['<', '[', '◁']) {
        return Vec::new();
    }
    let all = tags(text, rules);
    let mut cuts = Vec::new();
    let mut open: Option<usize> = None;
    let mut depth = 0_usize;
    let mut first = true;
    for tag in all.iter().filter(|tag| tag.family == Family::Think || tag.base == "channel") {
        match (tag.side, open) {
            (Side::Open, None) => {
                // Gemma 4 writes `<|channel>thought`; whole channel tokens belong to the channels pass.
                if tag.base == "channel" && part(text, tag.range.clone()).ends_with("|>") {
                    continue;
                }
                (open, depth) = (Some(tag.range.start), 1);
            }
            (Side::Open, Some(_)) => depth = depth.saturating_add(1),
            (Side::Close, Some(start)) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    cuts.push(Edit::new(start..tag.range.end, Severity::Form));
                    open = None;
                }
            }
            (Side::Close, None) => {
                let start = if first { 0 } else { tag.range.start };
                cuts.push(Edit::new(start..tag.range.end, Severity::Leak));
            }
        }
        first = false;
    }
    if let Some(start) = open {
        cuts.push(Edit::new(start..text.len(), Severity::Leak));
    }
    cuts
}
