//! The customer's own name: only what they named themselves, by the build of their words or in answer to our question for it.

use balcao_language::{OwnName, are_given, asks_own_name, own_names};

use super::{DialogueHistory, GroundingProblem, words};

/// What is amiss with a name that is kept as the customer's own.
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>) -> Option<GroundingProblem> {
    let said = talk.lines.iter().enumerate().filter_map(|(place, line)| {
        let asked = talk.last_by_us(place).is_some_and(asks_own_name);
        Some(own_names(line.by_customer()?, asked))
    });
    let said: Vec<OwnName> = said.flatten().collect();
    (!are_given(&words(given), &said))
        .then(|| GroundingProblem::nobody_said("a name that the customer gave themselves"))
}
