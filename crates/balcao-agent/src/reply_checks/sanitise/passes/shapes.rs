//! Calls and data by their shape, whatever family wrote them: JSON, `ident(…)`, `ident{…}`, `to=…`, ReAct lines, YAML.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, after, before, from, line_of, part, upto},
    rules::{Rules, is_technical},
    structured_data::{brackets, call_at, data_end, is_data},
};

/// Words that models write before the data of a call.
static LEAD: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?i)(?:^|[\s(])(?:(?:await|return|print|const|let|var)\b\s*(?:\w+\s*=\s*)?\(?|\w+\s*=\s*|functools\s?|(?:call|calls|json|tools?|function|functions?\s?call|tool_code|tool[ _]calls?|args|arguments|parameters|params|input|name|resultado)\s*[:=]?\s*|>>>\s*[\w.]*\s*|(?:call|declaration):[\w.:]*\s*)$",
        r"(?:[\w]+[._:])+[\w]*\s*$",
    ])
});
/// A recipient of Harmony, with the noise that hosted models put between it and the data.
static RECIPIENT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[r"(?:\b(?:assistant)?\s?(?:commentary|analysis)?\s*)\bto=[A-Za-z_][\w.]*(?:[^\n{]{0,60}\{)?"])
});
/// Names with a machine's prefix: `functions.x`, `default_api.x`, `call:default_api:x`.
static PREFIXED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"\b(?:(?:call|declaration):)?(?:functions|default_api|multi_tool_use|tools)[.:][A-Za-z_][\w.]*(?::\d+)?|\bnamespace functions\b|\b(?:call|declaration):[a-z_]*(?:[:_][a-z_]+)+|(?m:^[ \t-]*(?:call|declaration):[a-z_:]*[ \t]*$)",
    ])
});
static REACT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?mi)^[\s*]*(?:thought|action|action input|observation|pensamento|ação|entrada da ação|observação)\s*\**\s*:",
        r"(?mi)^[\s*]*(?:final answer|resposta final)\s*\**\s*:\s*\**\s*",
        r"(?mi)^[\s*]*(?:action|action input|ação|entrada da ação|thought|pensamento)\s*\**\s*:",
    ])
});
static YAML: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?mi)^[ \t-]*(?:tool|tool_name|function|function_name|ferramenta|função|command|comando)\s*[:=]\s*[\x22']?([\w.-]+)[\x22']?\s*$",
        r"(?mi)^[ \t-]*(?:args|arguments|parameters|params|input|argumentos|parâmetros)\s*[:=]?\s*$|^[ \t]{2,}[\w-]+\s*[:=].*$",
    ])
});
/// The end of a quoted key and its colon.
static ORPHAN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r#"["'](?:name|arguments|parameters|function|tool|tool_name|query|input|type|id)["']\s*:|[\w.$-]*["']\s*:"#,
    ])
});
/// Markers of frameworks in square brackets.
static FRAMEWORK: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?im)\[\s*/?(?:tool|function)[ _-]?(?:call|result|use|response|output)s?\b[^\]\n]*(?:\]|$)",
        r"\b(?:Tool|AI|Human|System|Function|ChatCompletion)Message(?:Chunk)?\([^\n]*",
        r"(?i)[\[(*]\s*(?:(?:estou\s+)?(?:executando|chamando|consultando|verificando|acessando|usando|buscando|calling|executing|running|chama|executa|consulta|using|invoking)\b)[^\])*\n]{0,80}[\])*]",
        r">>>\s*(?:all\b|[a-z]+(?:_[a-z]+)+)",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let mut cuts = Vec::new();
    lines(text, rules, &mut cuts);
    for regex in FRAMEWORK.iter().chain(PREFIXED.iter()) {
        cuts.extend(regex.find_iter(text).map(|found| Edit::new(found.range(), Severity::Leak)));
    }
    let closes = brackets(text);
    if text.contains("to=") {
        for found in RECIPIENT.iter().flat_map(|regex| regex.find_iter(text)) {
            let brace = found.as_str().ends_with('{').then(|| found.end().saturating_sub(1));
            let end = brace.map_or(found.end(), |at| data_end(text, at, &closes));
            cuts.push(Edit::new(found.start()..end, Severity::Leak));
        }
    }
    orphans(text, &closes, &mut cuts);
    let mut at = 0;
    while let Some(found) = from(text, at).find(['{', '[', '"', '\'', '(']) {
        let here = at.saturating_add(found);
        let range = match from(text, here).chars().next() {
            Some('(') => call_at(text, here, &closes, rules).map(|call| whole_call(text, call)),
            Some('[') if let Some(end) = pythonic_end(text, here, &closes, rules) => Some(here..end),
            _ if is_data(text, here) => Some(start_of(text, here, rules)..data_end(text, here, &closes)),
            Some('{') => named_block(text, here, &closes, rules),
            _ => None,
        };
        at = range.as_ref().map_or(here, |range| range.end).max(here.saturating_add(1));
        cuts.extend(range.map(|range| Edit::new(range, Severity::Leak)));
    }
    cuts
}

/// The rest of data whose beginning was lost: `ments": {"dia": "27/11"}}`. A quote that closes nothing shows it.
fn orphans(text: &str, closes: &std::collections::HashMap<usize, usize>, cuts: &mut Vec<Edit>) {
    let mut done = 0;
    for found in ORPHAN.iter().flat_map(|regex| regex.find_iter(text)) {
        let quote = found.as_str().trim_end_matches([' ', ':']).chars().next_back().unwrap_or('"');
        let known = found.as_str().starts_with(['"', '\'']) && found.len() > 5;
        if found.start() < done || !known && before(text, found.start()).matches(quote).count() % 2 == 1 {
            continue;
        }
        let behind = from(text, found.end());
        let value = found.end().saturating_add(behind.len().saturating_sub(behind.trim_start_matches(' ').len()));
        let line = after(text, value);
        let closed = line.rfind(['}', ']']).map(|at| value.saturating_add(at).saturating_add(1));
        let data = from(text, value).starts_with(['"', '\'', '{', '[', '-'])
            || line.starts_with(|c: char| c.is_ascii_digit())
            || ["true", "false", "null", "None"].iter().any(|word| line.starts_with(word));
        let end = match closed {
            _ if data => data_end(text, value, closes).max(found.end()),
            Some(closed) => closed,
            None if line.is_empty() => value,
            None => continue,
        };
        done = end;
        cuts.push(Edit::new(found.start()..end, Severity::Leak));
    }
}

/// ReAct and YAML, which have no brackets.
fn lines(text: &str, rules: &Rules, cuts: &mut Vec<Edit>) {
    if !text.contains([':', '=']) {
        return;
    }
    let [any, answer, strong] = REACT.as_slice() else { return };
    // "Observação: chegue antes" is a remark; beside an action line, or before a name or data, it is machinery.
    let acts = strong.find_iter(text).filter(|found| {
        let value = part(text, found.end()..line_of(text, found.end()).end).trim();
        !found.as_str().trim_start().to_lowercase().starts_with('a') || machine_words(value, rules)
    });
    if acts.count() > 0 {
        for found in any.find_iter(text) {
            cuts.push(Edit::new(line_of(text, found.end()), Severity::Leak));
        }
    }
    cuts.extend(answer.find_iter(text).map(|found| Edit::new(found.range(), Severity::Form)));
    let [tool, argument] = YAML.as_slice() else { return };
    for found in tool.captures_iter(text) {
        let (Some(line), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if !machine_words(name.as_str(), rules) {
            continue;
        }
        let mut end = line.end();
        while let Some(next) = from(text, end).strip_prefix('\n') {
            let len = next.find('\n').unwrap_or(next.len());
            if !argument.is_match(upto(next, len)) {
                break;
            }
            end = end.saturating_add(len).saturating_add(1);
        }
        cuts.push(Edit::new(line.start()..end, Severity::Leak));
    }
}

fn machine_words(value: &str, rules: &Rules) -> bool {
    let word = value.trim_matches(['"', '\'', '`']);
    word.starts_with(['{', '['])
        || !word.contains(' ') && (is_technical(word) || rules.is_tool(word) || word.contains('('))
}

/// Where the data really starts: a name or lead word directly before it belongs to it.
fn start_of(text: &str, at: usize, rules: &Rules) -> usize {
    let mut start = at;
    for _ in 0..4 {
        let head = upto(text, start);
        let line = before(text, start);
        let lead = LEAD.iter().filter_map(|regex| regex.find(line)).map(|found| found.start()).min();
        if let Some(lead) = lead {
            start = start.saturating_sub(line.len()).saturating_add(lead);
            continue;
        }
        // A tool's name glued to the data, or alone on the line before it.
        let word = last_word(line);
        if !word.is_empty() && line.ends_with(word) && (is_technical(word) || rules.is_tool(word)) {
            start = start.saturating_sub(word.len());
            continue;
        }
        if line.trim().is_empty() && head.ends_with('\n') || line.is_empty() {
            let above = head.trim_end();
            let name = before(text, above.len()).trim();
            let lone = is_technical(name) && !name.contains(' ')
                || rules.is_tool(name)
                || matches!(
                    name,
                    "call" | "calls" | "json" | "tool" | "function call" | "tool_code" | "function" | "functools"
                );
            if !name.is_empty() && lone {
                start = above.len().saturating_sub(name.len());
                continue;
            }
        }
        break;
    }
    start
}

fn last_word(line: &str) -> &str {
    line.rsplit(char::is_whitespace).next().unwrap_or_default()
}

/// The call with what stands round it: an enclosing call, an assignment, a list's brackets.
fn whole_call(text: &str, call: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (call.start, call.end);
    let head = upto(text, start);
    if let Some(outer) = head.strip_suffix('(') {
        let name = outer.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        start = name.len();
        if from(text, end).starts_with(')') {
            end = end.saturating_add(1);
        }
    }
    let line = before(text, start);
    if let Some(found) = LEAD.first().and_then(|regex| regex.find(line)) {
        let blanks = found.as_str().len().saturating_sub(found.as_str().trim_start().len());
        start = start.saturating_sub(line.len()).saturating_add(found.start()).saturating_add(blanks);
    }
    if let Some(list) = upto(text, start).strip_suffix('[') {
        start = list.len();
    }
    let rest = from(text, end);
    if rest.starts_with([']', ';']) {
        end = end.saturating_add(1);
    } else if let Some(more) = rest.strip_prefix(',') {
        let next = more.trim_start();
        if next.starts_with(']') || next.find('(').is_some_and(|at| at < 60 && !upto(next, at).contains([' ', '\n'])) {
            end = end.saturating_add(1);
        }
    }
    start..end
}

/// `[agendar_horario(dia="27/11"), consultar_agenda()]`, also cut: where the list ends.
fn pythonic_end(
    text: &str,
    at: usize,
    closes: &std::collections::HashMap<usize, usize>,
    rules: &Rules,
) -> Option<usize> {
    let inner = from(text, at.saturating_add(1));
    let open = inner.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ' ')))?;
    let paren = at.saturating_add(1).saturating_add(open);
    if !from(text, paren).starts_with('(') {
        return None;
    }
    let call = call_at(text, paren, closes, rules)?;
    Some(closes.get(&at).copied().unwrap_or(call.end))
}

/// `agendar_horario{…}` and `call:x{…}`: a block in braces behind a technical name.
fn named_block(
    text: &str,
    at: usize,
    closes: &std::collections::HashMap<usize, usize>,
    rules: &Rules,
) -> Option<Range<usize>> {
    let head = upto(text, at);
    let word = last_word(before(text, at));
    let technical = is_technical(word)
        || rules.is_tool(word)
        || word.contains("call:")
        || word.contains("function=")
        || word.trim_start_matches(':').chars().all(|c| c.is_ascii_alphanumeric());
    if word.is_empty() || !technical {
        return None;
    }
    let line = line_of(text, at).end;
    Some(head.len().saturating_sub(word.len())..closes.get(&at).copied().unwrap_or(line))
}
