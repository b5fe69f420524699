//! How long before something the customer wants to hear of it: "me lembra uma hora antes" is not planned for a day before.

use balcao_language::{Asked, find_dates, find_times, lead_times, mentions};

use super::{DialogueHistory, GroundingProblem, Utterance, words};

/// What is amiss with these minutes: what was named last is another amount, or no amount was named. Who asks for a reminder at a time
/// or on a day leaves the minutes to be reckoned.
pub(super) fn find_problem(given: u32, talk: &DialogueHistory<'_>) -> Option<GroundingProblem> {
    for line in &talk.lines {
        let named = lead_times(line.text());
        if named.contains(&given) {
            return None;
        }
        let Utterance::Customer(text) = line else { continue };
        let on_the_eve = || words(text).iter().any(|word| ["vespera", "anterior", "eve"].contains(&word.as_str()));
        let names_when = || !find_times(text).is_empty() || !find_dates(text, talk.today).is_empty() || on_the_eve();
        if mentions(text, Asked::Reminding) && named.is_empty() && names_when() {
            return None;
        }
        if let Some(nearest) = named.first() {
            let shown: Vec<String> = named.iter().map(ToString::to_string).collect();
            return Some(GroundingProblem {
                problem: "not_what_was_said",
                expected: format!(
                    "the minutes that the customer named: {}; if it is to be another, ask first",
                    shown.join(", ")
                ),
                nearest: Some(nearest.to_string()),
            });
        }
    }
    Some(GroundingProblem::nobody_said("an amount of time that the customer named; leave it out if they named none"))
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::*;

    /// The newest first.
    fn problem(talk: &[Utterance<'_>], given: u32) -> Option<&'static str> {
        let talk =
            DialogueHistory { lines: talk.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        find_problem(given, &talk).map(|amiss| amiss.problem)
    }

    #[test]
    fn minutes_are_those_that_were_named_or_proposed() {
        for (message, given, expected) in [
            ("me lembra uma hora antes", 60, None),
            ("me lembra uma hora antes", 1_440, Some("not_what_was_said")),
            ("me avisa 30 min antes", 30, None),
            ("me lembra", 60, Some("nobody_said_so")),
            ("me lembra às 14h", 60, None),
            ("me lembra no dia anterior", 1_440, None),
            ("me lembra amanhã cedo", 300, None),
            ("quero cortar sexta 15h", 60, Some("nobody_said_so")),
        ] {
            assert_eq!(problem(&[Utterance::Customer(message)], given), expected, "{message} {given}");
        }
        let (yes, offer) = (Utterance::Customer("sim"), Utterance::Us("Quer que eu te lembre 2 horas antes?"));
        assert_eq!(problem(&[yes, offer], 120), None);
        assert_eq!(problem(&[yes, offer], 10_080), Some("nobody_said_so"));
    }
}
