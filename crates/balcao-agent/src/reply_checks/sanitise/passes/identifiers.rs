//! Ids, names of tools and fields, machine time, citation marks.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, after, before, part, sentence_of, sentences, upto},
    rules::Rules,
};

/// Ids and marks that go alone, with their label and brackets; the sentence stays.
static IDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let label = r"(?i:[(\[]?\s*\b(?:(?:com|de|o|seu|the|your)\s+)?(?:id|código|codigo|code|ref(?:erência)?|uuid|identificador|identifier)\b\s*(?:é|is|nº|n°|do \w+|interno)?\s*[:=#]?\s*)?";
    let shapes = [
        r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
        r"(?:wamid\.[\w=+/-]{6,}|(?:call|toolu|chatcmpl|resp|req|msg|run|thread|asst|fc|evt|cus|sub|srvtoolu)[_-][A-Za-z0-9]{6,}[\w-]*)",
        r"(?:apt|con|ctc|org|trn|svc|pro|stf|fup|wai|ten|usr|pay|slt|slot|con|tag|nte|job)_[0-9A-Za-z-]{6,}",
        r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
        r"[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}",
        r"[12][0-9A-Za-z]{26}",
    ];
    let mut sources: Vec<String> = shapes.iter().map(|shape| format!(r"{label}\b{shape}\b\s?[)\]]?")).collect();
    sources.push(
        r"(?i)[(\[]?\b(?:(?:com|de) )?(?:o )?ids?\b\s*(?:[:=#]|é|nº|n°|do \w+:?|interno)?\s*#?\d{2,}\b\s?[)\]]?"
            .to_owned(),
    );
    sources.push(
        r"【[^】\n]*】?|\[\^\d+\]|\[doc_\d+\]|:contentReference\S*|\{index=\d+\}|oaicite\S*|<co:\s*\d+>".to_owned(),
    );
    patterns(&sources)
});
static TIME: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\b(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?:\[[\w/+-]+\])?",
        r"\b1[5-9]\d{8}(?:\d{3})?\b",
        r"(?:^|\s)[\d*/,-]+ [\d*/,-]+ [\d*/,-]+ [\d*/,-]+ [\d*/,-]+(?:\s|$)",
    ])
});
static FIELDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*_(?:ids?|uuid|cents|ms|json|url|uri|api|schema|args|params|payload|enum|bool)\b",
        r"\b[a-zA-Z]\w*=(?:[\x22'][^\x22'\n]*[\x22']|\d[\w:-]*|true|false|null|None)",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let public = rules.public_in(text);
    let kept = |range: &Range<usize>| public.iter().any(|kept| kept.start <= range.start && range.end <= kept.end);
    let all = sentences(text);
    let mut cuts = Vec::new();
    for found in IDS.iter().flat_map(|regex| regex.find_iter(text)) {
        let blanks = found.as_str().len().saturating_sub(found.as_str().trim_start().len());
        let range = found.start().saturating_add(blanks)..found.end();
        let core = public.iter().any(|kept| kept.start < range.end && range.start < kept.end);
        if core || !mixed(text, &range) || in_word(text, &range) {
            continue;
        }
        cuts.push(Edit::new(range, Severity::Leak));
    }
    let [instant, epoch, cron] = TIME.as_slice() else { return cuts };
    for found in instant.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        let group = |index: usize| found.get(index).map_or("", |group| group.as_str());
        let minutes = if group(5) == "00" { String::new() } else { group(5).to_owned() };
        let hour = group(4).strip_prefix('0').unwrap_or(group(4));
        cuts.push(Edit::replace(whole.range(), format!("{}/{} {hour}h{minutes}", group(3), group(2))));
    }
    for found in epoch.find_iter(text).filter(|found| !near_phone(text, &found.range()) && !kept(&found.range())) {
        cuts.push(Edit::new(found.range(), Severity::Leak));
    }
    cuts.extend(
        cron.find_iter(text)
            .filter(|found| found.as_str().contains('*'))
            .map(|found| Edit::new(found.range(), Severity::Leak)),
    );
    let names = rules.names_in(text).into_iter();
    let fields = FIELDS.iter().flat_map(|regex| regex.find_iter(text)).map(|found| found.range());
    for range in names.chain(fields).filter(|range| !kept(range) && !in_word(text, range)) {
        let end = range.end;
        let mut cut = sentence_of(&all, &range);
        // The line break stays, so that what stands below does not move up.
        if part(text, cut.clone()).ends_with('\n') && cut.end > end {
            cut.end = cut.end.saturating_sub(1);
        }
        cuts.push(Edit::new(cut, Severity::Leak));
    }
    cuts
}

/// Ids hold a figure, so that a long word of letters alone is none.
fn mixed(text: &str, range: &Range<usize>) -> bool {
    let found = part(text, range.clone());
    found.contains(['【', '^', ':', '<', '{']) || found.chars().any(|c| c.is_ascii_digit())
}

/// Part of an address, handle or link.
fn in_word(text: &str, range: &Range<usize>) -> bool {
    let head = before(text, range.start);
    let word = head.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let tail = after(text, range.end);
    word.starts_with('@') && word.len() > 1
        || word.contains("://")
        || word.starts_with("www.")
        || word.contains('@') && word.len() > 1
        || tail.starts_with('@')
}

/// Ten figures that begin with 15 to 19 may be a phone number of São Paulo's interior.
fn near_phone(text: &str, range: &Range<usize>) -> bool {
    if range.len() == 10 {
        return true;
    }
    upto(text, range.start).ends_with(['+', '-', '(', '/'])
}
