//! Stack traces, SQL, database and network errors, paths, error codes, API metadata. They go with their sentence.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, before, sentence_of, sentences},
    rules::Rules,
};

/// Whole lines and blocks of traces.
static TRACES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?m)^.*Traceback \(most recent call last\).*(?:\n[ \t]+.*|\n\w*(?:Error|Exception)\b.*)*",
        r#"(?m)^\s*File "[^"\n]+", line \d+.*(?:\n[ \t]+.*)?"#,
        r"(?m)^\s*at [\w.<>$ ]+\([^)\n]*\)\s*$|^\s*at (?:async )?[\w./<>$-]+:\d+(?::\d+)?.*$",
        r"(?m)^.*thread '[^'\n]*' panicked at.*(?:\n(?:note:|stack backtrace|[ \t]*\d+:).*)*",
        r"(?m)^[\w.]*(?:Error|Exception|Panic): .*$",
        r"(?m)^\s*(?i:caused by|stack ?trace|stack backtrace)\s*:.*$",
        r"(?m)^goroutine \d+ \[.*$",
    ])
});
static ERRORS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?i)\bselect\b[^.!?\n]{1,200}?\bfrom\s+\w+",
        r"(?i)\binsert\s+into\s+\w+",
        r"(?i)\bupdate\s+\w+\s+set\s+\w+\s*=",
        r"(?i)\bdelete\s+from\s+\w+",
        r"(?i)\b(?:drop|alter|create|truncate)\s+(?:table|index|database)\b",
        r"(?i)\b(?:unique|foreign key|check|not null) constraint\b|\bviolates\b.{0,40}\bconstraint|duplicate key value|\bSQLSTATE\b|database is locked|no such (?:table|column)|syntax error at or near",
        r"\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_AGAIN|ENOENT|EACCES)\b",
        r"(?i)\b(?:internal server error|bad gateway|service unavailable|gateway timeout|unprocessable entity|too many requests)\b",
        r"(?i)\bHTTP(?:/\d(?:\.\d)?)?\s?[45]\d\d\b|\b(?:status|code|código|erro|error)\s*(?:code)?\s*[:=]?\s*[45]\d\d\b",
        r"(?i)\b(?:connection|conexão) (?:refused|reset|timed out|recusada)|\btimeout of \d+\s?ms|\bdeadline exceeded|null pointer|segmentation fault|index out of (?:bounds|range)|stack overflow",
        r"\bcurl\s+-|\b(?:GET|POST|PUT|PATCH|DELETE)\s+/\w",
        r"(?:^|[\s(])/(?:api|v\d|srv|app|usr|var|etc|home|opt|tmp|root|proc|webhooks?)/[\w./-]*",
        r"\b[A-Za-z]:\\[\w\\.-]+|[A-Za-z]:/(?:Users|Windows)/\S*",
        r"\b[\w/-]+\.(?:rs|py|js|ts|tsx|go|java|rb|php|yaml|yml|toml|sql|env|so|dll):\d+|\b(?:src|crates|packs|node_modules|dist)/[\w./-]+",
        r"\b(?:ERR|E|ERROR)_[A-Z][A-Z_]+\b|\b[A-Z]{3,}_[A-Z]{3,}(?:_[A-Z]+)*\b",
        r"(?i)\bcode:\s*\d{4,}",
        r"\b(?:TypeError|ValueError|KeyError|NameError|RuntimeError|ReferenceError|SyntaxError|AttributeError|IndexError|NullPointerException|[A-Z]\w+Exception)\b",
        r"(?i)\b(?:stack ?trace|core dumped|panicked at|unwrap\(\)|undefined is not|cannot read propert)",
        r"(?i)\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?|\b(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d+\.\d+(?::\d+)?|\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|svc|lan|intranet|cluster)\b(?::\d+)?",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let public = rules.public_in(text);
    let kept =
        |range: &std::ops::Range<usize>| public.iter().any(|kept| kept.start <= range.start && range.end <= kept.end);
    let all = sentences(text);
    let mut cuts: Vec<Edit> = TRACES
        .iter()
        .flat_map(|regex| regex.find_iter(text))
        .map(|found| Edit::new(found.range(), Severity::Danger))
        .collect();
    for found in ERRORS.iter().flat_map(|regex| regex.find_iter(text)) {
        let range = found.range();
        if kept(&range) || in_link(text, &range) {
            continue;
        }
        // A statement may go on over lines that hold no sentence of their own; its own sentence is what a customer would read.
        cuts.push(Edit::new(sentence_of(&all, &range), Severity::Danger));
    }
    cuts
}

/// A path inside a web address is the link pass's business.
fn in_link(text: &str, range: &std::ops::Range<usize>) -> bool {
    let word = before(text, range.start).rsplit(char::is_whitespace).next().unwrap_or_default();
    word.contains("://") || word.starts_with("www.")
}
