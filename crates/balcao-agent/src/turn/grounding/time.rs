//! A time that contradicts the customer, or that nobody named: "quero cortar amanhã" is not booked at nine, and "às 15h" not
//! at a quarter to four because that was free.

use balcao_language::{TimeReading, TimeWindow, bare_hours, find_times};
use jiff::{ToSpan, civil::Time};

use super::{DialogueHistory, GroundingProblem, LOOK_BACK, Utterance, words};

/// Words that leave the time open: nothing that is booked contradicts them.
const OPEN: &[&str] = &[
    "qualquer",
    "outro",
    "outra",
    "outros",
    "outras",
    "tanto",
    "senao",
    "caso",
    "mais",
    "any",
    "other",
    "another",
    "otherwise",
    "earlier",
    "later",
];

/// Words that leave the choice to us: what is booked need not have been named.
const OURS_TO_CHOOSE: &[&str] = &[
    "qualquer", "tanto", "primeiro", "primeira", "ultimo", "ultima", "cedo", "quando", "escolhe", "escolher", "decide",
    "encaixe", "encaixa", "mesmo", "mesma", "sempre", "any", "first", "earliest", "last", "whenever", "whatever",
    "same", "usual", "choose",
];

/// A customer who says "umas 15h" means up to so many minutes before or after.
const ABOUT_MINUTES: i64 = 60;

/// So many bytes before or behind a time hold the words of its clause that say whether it can be.
const CLAUSE: usize = 120;

/// What is amiss with the time `given`: the customer's last message that names times names others, and we have not proposed
/// it since; or nobody has named it although somebody must have; or the customer has only asked whether it is free.
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>, must_be_named: bool) -> Option<GroundingProblem> {
    let wanted = clock_time(given)?;
    if let Some(named) = contradicting(talk, wanted) {
        return Some(GroundingProblem {
            problem: "not_what_was_said",
            expected: format!(
                "the time that the customer named: {}; if it is to be another, ask first",
                named.join(", ")
            ),
            nearest: named.into_iter().next().filter(|time| time.len() == 5),
        });
    }
    if !must_be_named {
        return None;
    }
    if !talk.lines.iter().any(|line| names(line, wanted)) {
        return Some(GroundingProblem::nobody_said("a time that the customer named or agreed to"));
    }
    let newest = talk.of_customer().next().unwrap_or_default();
    only_asks(newest).then(|| GroundingProblem {
        problem: "only_asked",
        expected: "the customer asked whether it is free, not to book it: answer, and offer to book".to_owned(),
        nearest: None,
    })
}

/// The times of the last message that names any, if none of them is the wanted one.
fn contradicting(talk: &DialogueHistory<'_>, wanted: Time) -> Option<Vec<String>> {
    let mut looked_at = 0;
    for line in &talk.lines {
        match line {
            Utterance::Us(_) if names(line, wanted) => return None,
            Utterance::Us(_) => {}
            Utterance::Customer(text) => {
                if names(line, wanted) || words(text).iter().any(|word| OPEN.contains(&word.as_str())) {
                    return None;
                }
                let named = named(text);
                if named.iter().any(|reading| fits(*reading, wanted)) {
                    return None;
                }
                if !named.is_empty() {
                    return Some(named.into_iter().map(shown).collect());
                }
                looked_at += 1;
            }
        }
        if looked_at >= LOOK_BACK {
            return None;
        }
    }
    None
}

/// True if a line names the time, or, where the customer speaks, leaves it to us.
fn names(line: &Utterance<'_>, wanted: Time) -> bool {
    let is_wanted = |reading: &TimeReading| matches!(reading, TimeReading::At { .. }) && fits(*reading, wanted);
    match line {
        Utterance::Us(text) => find_times(text).iter().any(|found| is_wanted(&found.reading)),
        Utterance::Customer(text) => {
            bare_hours(text).iter().any(|found| is_wanted(&found.reading))
                || named(text).iter().any(is_wanted)
                || words(text).iter().any(|word| OURS_TO_CHOOSE.contains(&word.as_str()))
        }
    }
}

/// The times that a message names and does not rule out ("15h não dá", "não posso às 15h").
fn named(message: &str) -> Vec<TimeReading> {
    let stands = |start: usize, end: usize| {
        let from = message.floor_char_boundary(start.saturating_sub(CLAUSE));
        let to = message.floor_char_boundary(end.saturating_add(CLAUSE));
        let (before, after) = (message.get(from..start).unwrap_or_default(), message.get(end..to).unwrap_or_default());
        let clause = words(before.rsplit([',', '.', ';', '?', '!', '\n']).next().unwrap_or_default());
        let refuses = |pair: &[String]| matches!(pair, [no, verb] if no == "nao" && ["posso", "consigo", "da", "rola"].contains(&verb.as_str()));
        !clause.windows(2).any(refuses) && !words(after).iter().take(2).any(|word| word == "nao" || word == "not")
    };
    find_times(message).iter().filter(|found| stands(found.start, found.end)).map(|found| found.reading).collect()
}

/// A time as calls give it: "15:00", "9:00".
pub(in crate::turn) fn clock_time(given: &str) -> Option<Time> {
    given.parse().ok().or_else(|| format!("0{given}").parse().ok())
}

/// Whether a time is one that was said: exactly, about it, or within a part of the day.
pub(in crate::turn) fn fits(reading: TimeReading, wanted: Time) -> bool {
    match reading {
        TimeReading::Window(window) => window.contains(wanted),
        TimeReading::At { time, assumed_pm, approximate } => {
            let about = |time: Time| {
                let minutes = |time: Time| i64::from(time.hour()) * 60 + i64::from(time.minute());
                (minutes(time) - minutes(wanted)).abs() <= if approximate { ABOUT_MINUTES } else { 0 }
            };
            about(time) || assumed_pm && about(time.wrapping_sub(12.hours()))
        }
    }
}

fn shown(reading: TimeReading) -> String {
    match reading {
        TimeReading::At { time, .. } => time.strftime("%H:%M").to_string(),
        TimeReading::Window(TimeWindow { from, until, .. }) => {
            format!("{} to {}", from.strftime("%H:%M"), until.strftime("%H:%M"))
        }
    }
}

/// True if a message asks what is free and nothing more: "tem horário sexta 15h?", and no "marca", "quero", "pode ser".
fn only_asks(message: &str) -> bool {
    const FREE: &[&str] = &[
        "tem",
        "teria",
        "teriam",
        "tinha",
        "livre",
        "vago",
        "vaga",
        "disponivel",
        "disponibilidade",
        "free",
        "available",
    ];
    const WISHES: &[&str] = &[
        "marc", "agend", "reserv", "quer", "queria", "gostaria", "preciso", "confirm", "fech", "pode", "bota",
        "coloca", "encaix", "book", "schedul", "want", "like", "need", "please", "sim", "isso", "ok", "yes",
    ];
    let said = words(message);
    message.contains('?')
        && said.iter().any(|word| FREE.contains(&word.as_str()))
        && !said.iter().any(|word| WISHES.iter().any(|wish| word.starts_with(wish)))
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
        find_problem(given, &talk, true).map(|amiss| amiss.problem)
    }

    #[test]
    fn a_time_that_was_not_said_is_a_mistake_of_the_caller() {
        for (message, given) in [
            ("quero hidratação com a Stefane sexta 15h", "15:45"),
            ("marca um corte quinta às 3 da tarde", "16:00"),
            ("pode ser 28/11 de manhã, umas 9h", "14:00"),
            ("15h não dá, marca 16h", "15:30"),
            ("depois das 18h, pode marcar", "17:30"),
            ("book me at 3pm please", "15:30"),
        ] {
            assert_eq!(problem(&[Utterance::Customer(message)], given), Some("not_what_was_said"), "{message} {given}");
        }
    }

    #[test]
    fn a_time_that_nobody_named_is_nobodys_wish() {
        let (day, part) = (
            Utterance::Customer("quero cortar amanhã com o João"),
            Utterance::Customer("amanhã de manhã quero cortar"),
        );
        assert_eq!(problem(&[day], "09:00"), Some("nobody_said_so"));
        assert_eq!(problem(&[part], "09:00"), Some("nobody_said_so"));
        assert_eq!(problem(&[], "09:00"), Some("nobody_said_so"));
    }

    #[test]
    fn what_was_said_proposed_or_left_to_us_is_none() {
        for (message, given) in [
            ("marca quinta 16h", "16:00"),
            ("marca quinta 9h", "9:00"),
            ("às 3 tá bom", "15:00"),
            ("pode ser 10", "10:00"),
            ("umas 15h, pode marcar", "15:45"),
            ("amanhã, qualquer horário", "09:00"),
            ("o primeiro que tiver amanhã", "09:00"),
            ("passa das 15h pras 17h", "17:00"),
            ("no mesmo horário da outra vez", "11:00"),
            ("marca", "as três"),
        ] {
            assert_eq!(problem(&[Utterance::Customer(message)], given), None, "{message} {given}");
        }
        let asked = Utterance::Customer("quero sexta 15h");
        let agreed = Utterance::Customer("pode confirmar");
        assert_eq!(problem(&[agreed, Utterance::Us("15h não tem; pode ser 15h45?"), asked], "15:45"), None);
        assert_eq!(problem(&[agreed, Utterance::Us("Está livre."), asked], "15:45"), Some("not_what_was_said"));
        assert_eq!(problem(&[agreed, agreed, agreed, asked], "15:00"), None);
    }

    #[test]
    fn a_question_for_what_is_free_books_nothing() {
        for (message, only) in [
            ("tem horário sexta 15h?", true),
            ("amanhã 14h tá livre?", true),
            ("sexta 15h tem? se tiver pode marcar", false),
            ("queria marcar sexta 15h, tem?", false),
            ("quero sexta 15h", false),
        ] {
            let found =
                problem(&[Utterance::Customer(message)], if message.contains("14h") { "14:00" } else { "15:00" });
            assert_eq!(found, only.then_some("only_asked"), "{message}");
        }
    }
}
