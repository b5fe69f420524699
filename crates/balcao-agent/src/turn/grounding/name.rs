//! A name that nobody has said: who asked for another day has not asked for another barber.

use balcao_language::{Candidate, NameMatch, match_name};

use super::{DialogueHistory, GroundingProblem, Utterance, words};

/// Words that leave the choice to us, or to what we know of the customer.
const OURS_TO_CHOOSE: &[&str] = &[
    "qualquer",
    "qlq",
    "tanto",
    "quem",
    "alguem",
    "outro",
    "outra",
    "mesmo",
    "mesma",
    "sempre",
    "preferencia",
    "escolhe",
    "escolher",
    "livre",
    "disponivel",
    "any",
    "anyone",
    "anybody",
    "whoever",
    "someone",
    "other",
    "same",
    "usual",
];

/// Shorter words are no names.
const SHORTEST: usize = 3;

/// What is amiss with a name that neither the customer nor we have said. Spelt otherwise, or only in part, it is said.
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>) -> Option<GroundingProblem> {
    let names = |word: &String| {
        let name = [Candidate::named(given)];
        word.len() >= SHORTEST && matches!(match_name(word, &name), NameMatch::One { .. })
    };
    let said = |line: &Utterance<'_>| match line {
        Utterance::Us(text) => words(text).iter().any(names),
        Utterance::Customer(text) => {
            let said = words(text);
            said.iter().any(|word| OURS_TO_CHOOSE.contains(&word.as_str())) || said.iter().any(names)
        }
    };
    let unheard = !talk.lines.iter().any(said);
    unheard.then(|| {
        GroundingProblem::nobody_said("a name that the customer said or agreed to; leave it out if they named none")
    })
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::*;

    fn unheard(talk: &[Utterance<'_>], given: &str) -> bool {
        find_problem(
            given,
            &DialogueHistory { lines: talk.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None },
        )
        .is_some()
    }

    #[test]
    fn a_name_must_have_been_said_in_whatever_spelling() {
        for (message, given) in [
            ("marca com o wanderson quinta", "Vanderson Reis"),
            ("quero com a Stefane", "Stephane Duarte"),
            ("com o joao, por favor", "João"),
            ("com qualquer um", "João Batista"),
            ("com o de sempre", "João Batista"),
        ] {
            assert!(!unheard(&[Utterance::Customer(message)], given), "{message} {given}");
        }
        assert!(!unheard(&[Utterance::Customer("isso"), Utterance::Us("Com João Batista, pode ser?")], "João Batista"));
        assert!(unheard(&[Utterance::Customer("dá pra passar meu horário de sexta pra sábado 10h?")], "João"));
        assert!(unheard(&[Utterance::Customer("quero cortar amanhã às 15h")], "Vanderson Reis"));
    }
}
