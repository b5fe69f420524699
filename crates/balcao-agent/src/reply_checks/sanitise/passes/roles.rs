//! Names of speakers before the text, and dialogue that the model continued for the customer.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity},
    rules::Rules,
};

static ROLES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        // Our side: only the label goes.
        r"(?im)^[ \t*_>#]*(?:assistente(?: virtual)?|assistant|atendente|agente|agent|bot|ai|ia|model|modelo|resposta|response|reply|resposta (?:ao|para o) cliente|response_to_client|sistema)[ *_]*:[ *_]*",
        // Their side: what follows was never said.
        r"(?im)^[ \t*_>#]*(?:cliente|customer|usuário|usuario|user|human|humano)[ *_]*:[ *_]*\S",
    ])
});
/// Text for staff.
static STAFF: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?im)^[ \t*_\[(]*(?:nota interna|internal note|nota para a equipe|note to staff|resumo para (?:o atendente|a equipe)|summary for staff|handoff|tool result|resultado da ferramenta|system|developer)[ *_\])]*:.*$",
    ])
});

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    let [ours, theirs] = ROLES.as_slice() else { return Vec::new() };
    let mut cuts: Vec<Edit> = STAFF
        .iter()
        .flat_map(|regex| regex.find_iter(text))
        .map(|found| Edit::new(found.range(), Severity::Leak))
        .collect();
    let labels: Vec<_> = ours.find_iter(text).map(|found| found.range()).collect();
    let other = theirs.find_iter(text).find(|found| {
        // "Cliente: Pedro" in a summary is a label of one short line; a dialogue begins after our words or is answered.
        labels.iter().any(|label| label.start > found.start())
            || (found.start() > 0 && labels.iter().any(|label| label.start < found.start()))
            || spoken(text, found.end())
    });
    let end = other.map_or(text.len(), |found| found.start());
    cuts.extend(labels.iter().filter(|label| label.start < end).map(|label| Edit::new(label.clone(), Severity::Form)));
    if let Some(found) = other {
        if text.get(..found.start()).is_some_and(|before| !before.trim().is_empty()) {
            cuts.push(Edit::new(found.start()..text.len(), Severity::Leak));
        } else {
            // The reply opens with the customer's line: that line goes, our answer stays.
            let line = text
                .get(found.start()..)
                .and_then(|rest| rest.find('\n'))
                .map_or(text.len(), |at| found.start().saturating_add(at));
            cuts.push(Edit::new(found.start()..line, Severity::Leak));
            cuts.extend(
                labels
                    .iter()
                    .filter(|label| label.start >= end)
                    .take(1)
                    .map(|label| Edit::new(label.clone(), Severity::Form)),
            );
        }
    }
    cuts
}

/// A line of speech rather than a name: a question or several words in lower case.
fn spoken(text: &str, at: usize) -> bool {
    let line = text.get(at.saturating_sub(1)..).or_else(|| text.get(at..)).unwrap_or_default();
    let line = line.split('\n').next().unwrap_or_default().trim();
    line.ends_with(['?', '!']) || line.starts_with(char::is_lowercase) && line.chars().any(char::is_alphabetic)
}
