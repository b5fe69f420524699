//! A paragraph or long sentence that the model wrote twice, and one that it wrote in a loop.

use std::collections::HashSet;

use balcao_language::normalize;

use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, part, sentences},
    rules::Rules,
};

/// Shorter sentences may be said twice on purpose ("Sim! Sim!").
const SHORTEST: usize = 25;

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    let all = sentences(text);
    if all.len() < 2 {
        return Vec::new();
    }
    let mut seen: HashSet<String> = HashSet::new();
    let mut cuts = Vec::new();
    for mut range in all {
        let sentence = part(text, range.clone());
        if sentence.trim().len() < SHORTEST || seen.insert(normalize(sentence)) {
            continue;
        }
        if sentence.ends_with('\n') {
            range.end = range.end.saturating_sub(1);
        }
        cuts.push(Edit::new(range, Severity::Form));
    }
    cuts
}
