//! Text that was escaped for a machine on its way: HTML entities (also twice), backslash escapes, invented separators.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, upto},
    rules::Rules,
};

static ENTITY: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"&(?:amp;)*(lt|gt|quot|apos|amp|nbsp|#39|#34|#60|#62|#124|#x3[cCeE]|#x22|#x27);"]));
static BACKSLASH: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r#"\\+(["'/\[\]{}<>|_*`~#]|u003[cCeE]|u0022|n|t|r\b)"#]));
/// MiniMax M3 writes this between all its tags; where the text ends inside it, its beginning goes as well.
const SEPARATOR: &str = "]<]minimax[>[";
const NAMED: &str = "minimax[>[";

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    let mut cuts = Vec::new();
    if text.contains('&') {
        for found in ENTITY.iter().flat_map(|regex| regex.captures_iter(text)) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
            let plain = match name.as_str() {
                "lt" | "#60" => "<",
                "gt" | "#62" => ">",
                "quot" | "#34" | "#x22" => "\"",
                "apos" | "#39" | "#x27" => "'",
                "amp" => "&",
                "nbsp" => " ",
                "#124" => "|",
                other => {
                    if other.eq_ignore_ascii_case("#x3c") {
                        "<"
                    } else {
                        ">"
                    }
                }
            };
            cuts.push(Edit::replace(whole.range(), plain));
        }
    }
    if text.contains('\\') {
        for found in BACKSLASH.iter().flat_map(|regex| regex.captures_iter(text)) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
            let plain = match name.as_str() {
                "n" => "\n".to_owned(),
                "t" | "r" => " ".to_owned(),
                "u0022" => "\"".to_owned(),
                long if long.len() > 1 => (if long.ends_with(['c', 'C']) { "<" } else { ">" }).to_owned(),
                sign => sign.to_owned(),
            };
            cuts.push(Edit::replace(whole.range(), plain));
        }
    }
    // Its beginning may be lost.
    cuts.extend(text.match_indices(NAMED).map(|(at, all)| {
        let start = upto(text, at).trim_end_matches([']', '<']).len();
        Edit::new(start..at.saturating_add(all.len()), Severity::Leak)
    }));
    if text.contains("]<") {
        let half = (2..SEPARATOR.len()).rev().filter_map(|len| SEPARATOR.get(..len)).find(|half| text.ends_with(half));
        if let Some(half) = half {
            cuts.push(Edit::new(text.len().saturating_sub(half.len())..text.len(), Severity::Leak));
        }
    }
    cuts
}
