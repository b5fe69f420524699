//! A part of the day that contradicts the customer, or was not named: "me põe na fila de sábado de manhã" is not for the afternoon.

use balcao_language::{TimeReading, TimeWindow, find_times};

use super::{DialogueHistory, GroundingProblem, Utterance};

/// What is amiss with a part of the day: what was named last lies outside of it, or no part was named.
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>) -> Option<GroundingProblem> {
    let wanted = find_times(given).into_iter().find_map(|found| match found.reading {
        TimeReading::Window(window) => Some(window),
        TimeReading::At { .. } => None,
    })?;
    for line in &talk.lines {
        let times: Vec<TimeReading> = find_times(line.text()).into_iter().map(|found| found.reading).collect();
        if times.iter().any(|time| is_within(*time, wanted)) {
            return None;
        }
        if matches!(line, Utterance::Customer(_)) && !times.is_empty() {
            let expected = "the part of the day that the customer named; if it is to be another, ask first".to_owned();
            return Some(GroundingProblem { problem: "not_what_was_said", expected, nearest: None });
        }
    }
    Some(GroundingProblem::nobody_said("a part of the day that the customer named; leave it out if they named none"))
}

/// Whether a time lies in the part, or a span of time shares some of it.
fn is_within(time: TimeReading, part: TimeWindow) -> bool {
    match time {
        TimeReading::At { time, .. } => part.contains(time),
        TimeReading::Window(window) => window.from <= part.until && part.from <= window.until,
    }
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::*;

    /// The newest first.
    fn problem(talk: &[Utterance<'_>], given: &str) -> Option<&'static str> {
        let talk =
            DialogueHistory { lines: talk.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        find_problem(given, &talk).map(|amiss| amiss.problem)
    }

    #[test]
    fn a_part_of_the_day_is_one_that_was_named_or_proposed() {
        for (message, given, expected) in [
            ("me coloca na lista de espera sábado de manhã", "morning", None),
            ("me coloca na lista de espera sábado de manhã", "afternoon", Some("not_what_was_said")),
            ("me põe na lista de sábado à tarde", "afternoon", None),
            ("na fila de sábado depois das 19h", "evening", None),
            ("na fila de sábado às 10h", "morning", None),
            ("na fila de sábado às 10h", "evening", Some("not_what_was_said")),
            ("me coloca na lista de espera sábado", "morning", Some("nobody_said_so")),
            ("put me on the waiting list for saturday morning", "morning", None),
        ] {
            assert_eq!(problem(&[Utterance::Customer(message)], given), expected, "{message} {given}");
        }
        let (yes, offer) = (Utterance::Customer("sim"), Utterance::Us("Quer entrar na lista de sábado à noite?"));
        assert_eq!(problem(&[yes, offer], "evening"), None);
        assert_eq!(problem(&[yes, offer], "morning"), Some("nobody_said_so"));
    }
}
