//! Whether a model's reply asks what the program asks about a held call, so that the question need not stand there twice.

use balcao_language::{Asked, find_dates, find_times, mentions};

use super::denial::denies;
use super::last_question;
use super::offer::{asks_about_state, asks_for_a_yes, asks_only};
use super::sentences::parts;
use crate::turn::grounding::{DialogueHistory, words};

/// The deeds that a question may be about instead.
const DEEDS: [Asked; 5] = [Asked::Booking, Asked::Cancelling, Asked::Rescheduling, Asked::Waiting, Asked::Reminding];

/// Whether a reply puts the question, in its own words or in those of the program. What the customer answers next must be about the held
/// call and nothing else: the last question of the reply asks for its deed, says each day, time and name of the question, and no other.
pub(in crate::turn) fn puts_question(
    reply: &str,
    question: &str,
    deed: Option<Asked>,
    talk: &DialogueHistory<'_>,
) -> bool {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if in_one_line(reply).ends_with(&in_one_line(question)) {
        return true;
    }
    let (Some(deed), Some((_, asked))) = (deed, last_question(reply)) else { return false };
    !denies(asked)
        && mentions(asked, deed)
        && DEEDS.into_iter().all(|other| other == deed || !mentions(asked, other) || mentions(question, other))
        && names_the_same(asked, question, talk)
        && asks_only(asked, deed, question, talk)
}

/// Whether a reply goes on about a question, be it in other words: its last question is about the deed, or about what the question of a
/// command of no such deed says.
pub(in crate::turn) fn goes_on_about(
    reply: &str,
    question: &str,
    deed: Option<Asked>,
    talk: &DialogueHistory<'_>,
) -> bool {
    let Some((_, asked)) = last_question(reply) else { return true };
    match deed {
        Some(deed) => mentions(asked, deed) && names_the_same(asked, question, talk),
        None => {
            let said = words(asked);
            let telling = |word: &&String| word.chars().count() >= 4 || word.bytes().all(|byte| byte.is_ascii_digit());
            let wanted = words(question);
            let wanted: Vec<&String> = wanted.iter().filter(telling).collect();
            wanted.iter().filter(|word| said.contains(word)).count().saturating_mul(2) >= wanted.len()
        }
    }
}

/// A reply without the question that it ends with, if a yes could answer that one instead of ours: it speaks of an act, names a day or a
/// time, or asks for a mere yes. Two questions at once make the yes unclear.
pub(in crate::turn) fn without_rival<'a>(reply: &'a str, talk: &DialogueHistory<'_>) -> &'a str {
    let Some((asked, behind)) = reply.rsplit_once('?') else { return reply };
    let question = parts(asked, &['.', '!', '?', '\n']).pop().unwrap_or_default();
    let is_rival = DEEDS.into_iter().any(|deed| mentions(question, deed))
        || asks_for_a_yes(question)
        || asks_about_state(question)
        || !find_dates(question, talk.today).is_empty()
        || !find_times(question).is_empty();
    // What is said behind the question goes on with it.
    if !is_rival || !behind.trim().is_empty() {
        return reply;
    }
    asked.strip_suffix(question).unwrap_or(reply).trim_end()
}

/// Whether two questions name the same days, times and names.
fn names_the_same(asked: &str, question: &str, talk: &DialogueHistory<'_>) -> bool {
    let days = |text: &str| {
        let mut all: Vec<String> =
            find_dates(text, talk.today).iter().map(|found| format!("{:?}", found.reading)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let times = |text: &str| {
        let mut all: Vec<String> = find_times(text).iter().map(|found| format!("{:?}", found.reading)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let said = words(asked);
    let is_name = |written: &&str| written.starts_with(char::is_uppercase);
    // The first word of a sentence has a capital whatever it is.
    let names = question.split_whitespace().skip(1).filter(is_name).flat_map(words);
    days(asked) == days(question)
        && times(asked) == times(question)
        && names.into_iter().all(|name| said.contains(&name))
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::*;

    const QUESTION: &str = "Posso cancelar o seu horário de Corte com João, sexta, 27/11 às 15h?";

    fn talk() -> DialogueHistory<'static> {
        DialogueHistory { lines: Vec::new(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None }
    }

    #[test]
    fn a_reply_puts_the_question_only_with_its_act_and_all_its_details() {
        let puts = |reply: &str| puts_question(reply, QUESTION, Some(Asked::Cancelling), &talk());
        for reply in [
            QUESTION,
            &format!("Claro!\n\n{QUESTION}"),
            "Posso cancelar seu Corte com João de sexta, 27/11 às 15h?",
            "Sem problema. Quer mesmo cancelar o Corte com João, sexta, 27/11, 15:00?",
        ] {
            assert!(puts(reply), "{reply}");
        }
        for reply in [
            "Posso cancelar?",
            "Posso cancelar seu Corte de sexta, 27/11 às 15h?",
            "Posso cancelar o Corte com João de sábado, 28/11 às 15h?",
            "Cancelo o Corte com João, sexta, 27/11 às 16h?",
            "Cancelei o Corte com João, sexta, 27/11 às 15h.",
            "Quer manter o Corte com João, sexta, 27/11 às 15h?",
            "Confirma presença no Corte com João, sexta, 27/11 às 15h?",
            "Não posso cancelar o Corte com João, sexta, 27/11 às 15h, tudo bem?",
            &format!("{QUESTION} Ou prefere manter?"),
        ] {
            assert!(!puts(reply), "{reply}");
        }
    }

    #[test]
    fn a_question_that_a_yes_could_answer_instead_is_left_out() {
        for (reply, rest) in [
            ("Quer manter sexta, 27/11, às 15h?", ""),
            ("Seu horário continua valendo. Tudo bem?", "Seu horário continua valendo."),
            ("Certo, Ana, mais alguma coisa?", "Certo, Ana, mais alguma coisa?"),
            ("Entendi, Ana.", "Entendi, Ana."),
            ("Custa R$ 1.500. Posso marcar às 10:00?", "Custa R$ 1.500."),
        ] {
            assert_eq!(without_rival(reply, &talk()), rest, "{reply}");
        }
    }
}
