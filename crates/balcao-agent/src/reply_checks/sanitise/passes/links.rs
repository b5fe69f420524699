//! Links: only to hosts that the business allows, written so that WhatsApp shows them.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, Taken, before, from, upto},
    rules::Rules,
};

static LINKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"!?\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]*)>?[^()\n]*\)",
        r"<?\b((?:https?|ftp|file|javascript|data|ws|wss)(?:://|:)[^\s<>()]+[^\s<>().,;:!?'*_])>?",
        r"(?i)\b((?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|br|site|online|store|shop|link|me|ly|info|biz|xyz|click|top|ai|co|ru|cn|tk)(?:\.[a-z]{2})?(?::\d+)?(?:/[^\s<>()]*[^\s<>().,;:!?'*_])?)",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    if !text.contains("](") && !text.contains("://") && !text.contains('.') && !text.contains("javascript:") {
        return Vec::new();
    }
    let public = rules.public_in(text);
    let kept = |at: usize| public.iter().any(|kept| kept.contains(&at));
    let [markdown, full, bare] = LINKS.as_slice() else { return Vec::new() };
    let mut cuts: Vec<Edit> = Vec::new();
    for found in markdown.captures_iter(text) {
        let (Some(whole), Some(label), Some(target)) = (found.get(0), found.get(1), found.get(2)) else { continue };
        let (label, target) = (label.as_str().trim(), target.as_str());
        if kept(whole.start()) {
            continue;
        }
        let goal = target.trim_start_matches("mailto:").trim_start_matches("tel:");
        let shown = if target.starts_with("mailto:") || target.starts_with("tel:") || allowed(target, rules) {
            match label {
                _ if label == target || label == goal => target.to_owned(),
                "" => goal.to_owned(),
                _ => format!("{label} ({goal})"),
            }
        } else {
            label.to_owned()
        };
        cuts.push(if shown.is_empty() {
            Edit::new(whole.range(), Severity::Leak)
        } else {
            Edit::replace(whole.range(), shown)
        });
    }
    let mut taken = Taken::default();
    for cut in &cuts {
        taken.take(&cut.range);
    }
    for regex in [full, bare] {
        for found in regex.captures_iter(text) {
            let (Some(whole), Some(link)) = (found.get(0), found.get(1)) else { continue };
            let address = upto(text, whole.start()).ends_with(['@', '/', '.', '-', ':'])
                || from(text, whole.end()).starts_with('@');
            if address || kept(whole.start()) || !taken.take(&whole.range()) {
                continue;
            }
            if allowed(link.as_str(), rules) {
                if whole.range() != link.range() {
                    cuts.push(Edit::replace(whole.range(), link.as_str().to_owned()));
                }
                continue;
            }
            // An e-mail address is no link: "ana.lima@figueira.example" ends like a host.
            let handle =
                before(text, whole.start()).rsplit(char::is_whitespace).next().is_some_and(|word| word.contains('@'));
            if !handle {
                cuts.push(Edit::new(whole.range(), Severity::Leak));
            }
        }
    }
    cuts
}

/// True for a link to an allowed host or one below it. Other schemes than the web's are never allowed.
fn allowed(link: &str, rules: &Rules) -> bool {
    let link = link.to_ascii_lowercase();
    let rest = match link.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some(_) => return false,
        None if link.starts_with("javascript:") || link.starts_with("data:") => return false,
        None => &link,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // `https://figueira.example@evil.example` leads to the second.
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host).trim_end_matches('.');
    rules.config.allowed_hosts.iter().any(|allowed| {
        let allowed = allowed.to_ascii_lowercase();
        let allowed = allowed.strip_prefix("www.").unwrap_or(&allowed);
        host == allowed || host.strip_suffix(allowed).is_some_and(|sub| sub.ends_with('.'))
    })
}
