//! What the words of an offer ask for, and whether they say anything besides.

use balcao_language::{Agreement, Asked, agreement_about, are_given, is_first_name, mentions, own_names};

use super::denial::NO;
use super::named::without_when;
use super::vocabulary::{
    AFFIRMING, ASKED_FOR, ASKING, ASKING_WHICH, GOING_ON, GONE_ON_WITH, LEFT_AS, OFFERING, OPEN_QUESTIONS,
    PREPOSITIONS, STATING, STREETS, TAKEN, TITLES, WITHOUT, words_of,
};
use crate::turn::grounding::{DialogueHistory, Utterance, words};

/// So many parts before a comma may be courtesy or call the customer.
const MOST_LEADS: usize = 3;

/// Whether a question of ours asks for the deed and for nothing else: each word is of the deed or of what the call is about, a day, a time,
/// or one that asks for leave. "Quer que eu te avise se vagar sexta às 15h?" does not ask to book. A word that is not known makes it
/// another question, so that the customer is asked once more.
pub(super) fn asks_only(question: &str, deed: Asked, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let asked = without_tag(without_address(without_lead(question, deed, talk)), deed);
    let said = words(&without_when(&without_surnames(asked, about), talk.today));
    let is_of_deed = |word: &str| mentions(word, deed) || words_of(deed).contains(&word);
    are_known(&said, &words(about), is_of_deed)
}

/// Whether a statement of ours says nothing but what the call is about, its day and its time, and that they can be. Any other word may be
/// one that says the opposite: "quinta lotou", "o Wesley está de folga".
pub(super) fn states_only(statement: &str, deed: Asked, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let mut rest = statement;
    let leads = |lead: &str| is_lead(lead, deed, talk) && !may_mean_shut(lead);
    for _ in 0..MOST_LEADS {
        let Some((_, behind)) = rest.split_once(',').filter(|(lead, _)| leads(lead)) else { break };
        rest = behind;
    }
    if let Some((before, last)) = rest.rsplit_once(',') {
        let names_one = words(last).first().is_some_and(|name| is_first_name(name));
        rest = if names_one && is_lead(last.trim(), deed, talk) { before } else { rest };
    }
    let rest: String = rest.split_inclusive(',').filter(|piece| !is_beside(piece)).collect();
    let said = words(&without_when(&without_alternatives(&without_surnames(&rest, about)), talk.today));
    // "Marcado" may say that another has the time; "vou marcar" and "I'll book" do not.
    let is_to_come = |word: &str| mentions(word, deed) && (word.ends_with('r') || ["book", "schedule"].contains(&word));
    let states = |word: &str| is_to_come(word) || AFFIRMING.contains(&word) || STATING.contains(&word);
    are_known(&said, &words(about), states)
}

/// Whether a denial says nothing but that it cannot be, and so is said of what was asked for: "não tem mais vaga". "Barba a gente não faz" is
/// said of something else, and "não se preocupe" of nothing.
pub(super) fn denies_only(denial: &str, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let is_known = |word: &str| NO.contains(&word) || AFFIRMING.contains(&word) || STATING.contains(&word);
    are_known(&words(&without_when(denial, talk.today)), &words(about), is_known)
}

/// Whether what leads to a question behind a colon may deny: "lotou: quinta às 15h, posso marcar".
pub(super) fn leads_unclearly(question: &str, deed: Asked, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let lead = question.rsplit_once(':').map_or("", |(lead, _)| lead);
    !states_only(lead, deed, about, talk) && (agreement_about(lead, deed) != Agreement::Yes || may_mean_shut(lead))
}

/// Whether a text has the word that agrees, and that also says that the shop is shut: "fechado".
fn may_mean_shut(text: &str) -> bool {
    words(text).iter().any(|word| word.starts_with("fechad"))
}

/// Whether a part between commas says nothing of the day or the time: "não precisa pagar antes", "na Rua Augusta, 100".
fn is_beside(piece: &str) -> bool {
    let said = words(piece);
    let comes = |word: &String| ["vir", "ir", "marcar", "aparecer"].contains(&word.as_str());
    match said.as_slice() {
        [no, need, rest @ ..] if no == "nao" && need.starts_with("precis") => !rest.iter().any(comes),
        [at, street, ..] if ["na", "no", "em", "at"].contains(&at.as_str()) => STREETS.contains(&street.as_str()),
        [street, ..] => STREETS.contains(&street.as_str()),
        [] => false,
    }
}

/// Whether each word is one of the deed, of what the call is about, of leave or courtesy, or a number.
fn are_known(said: &[String], about: &[String], is_of_deed: impl Fn(&str) -> bool) -> bool {
    let at = |place: Option<usize>| place.and_then(|place| said.get(place)).map_or("", String::as_str);
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = |(place, word): (usize, &String)| {
        let (before, behind) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        match word.as_str() {
            // These two mean leave only together.
            "go" if behind == "ahead" => true,
            "ahead" if before == "go" => true,
            "sem" => WITHOUT.contains(&behind),
            _ if before == "sem" => true,
            // "0 vagas".
            "0" => false,
            // "Já está marcado" may say that another has the time.
            done if TAKEN.contains(&before) && ["do", "da", "ed"].iter().any(|end| done.ends_with(end)) => false,
            // "No valor de R$ 40" says a price, and "quer saber o valor" asks for another thing.
            "valor" => said.iter().skip(place).take(4).any(is_number),
            known => {
                about.iter().any(|one| one == known)
                    || is_of_deed(known)
                    || OPEN_QUESTIONS.contains(&known)
                    || OFFERING.contains(&known)
                    || PREPOSITIONS.contains(&known)
                    || GOING_ON.contains(&known)
                    || TITLES.contains(&known)
                    || is_number(word)
            }
        }
    };
    said.iter().enumerate().all(is_known)
}

/// A question without what it begins with before a comma, if that is courtesy or calls the customer: "Ótimo, Ana, posso marcar".
fn without_lead<'a>(question: &'a str, deed: Asked, talk: &DialogueHistory<'_>) -> &'a str {
    let mut rest = question;
    while let Some((lead, behind)) = rest.split_once(',') {
        if !is_lead(lead, deed, talk) {
            break;
        }
        rest = behind;
    }
    // Without a verb that asks, the name is what is asked about: "Bruno, sexta às 15h?".
    let asks = |word: &String| ASKING.contains(&word.as_str()) || mentions(word, deed);
    if words(rest).iter().any(asks) { rest } else { question }
}

/// Whether what stands before a comma agrees, or is a first name alone that was not spoken of.
fn is_lead(lead: &str, deed: Asked, talk: &DialogueHistory<'_>) -> bool {
    let mut said = words(lead);
    said.retain(|word| !TITLES.contains(&word.as_str()));
    let is_capital = |written: &str| written.chars().next().is_some_and(char::is_uppercase);
    let is_name = said.len() <= 2
        && said.first().is_some_and(|name| is_first_name(name))
        && lead.split_whitespace().all(is_capital)
        && !is_spoken_of(&said, talk);
    is_name || agreement_about(lead, deed) == Agreement::Yes
}

/// Whether a name is that of a person who is spoken of, such as a professional, and so may be what a question asks about.
fn is_spoken_of(name: &[String], talk: &DialogueHistory<'_>) -> bool {
    talk.lines.iter().any(|line| {
        let said = words(line.text());
        let is_led = |pair: &[String]| matches!(pair, [before, word] if name.contains(word) && ["o", "a", "com", "with"].contains(&before.as_str()));
        match line {
            Utterance::Us(_) => said.windows(2).any(is_led),
            // "Sou a Ana" gives the customer's own name.
            Utterance::Customer(text) => {
                name.iter().any(|word| said.contains(word)) && !are_given(name, &own_names(text, false))
            }
        }
    })
}

/// A question without the word of agreement that it ends with: "Sexta às 15h com o Wesley, fechado".
fn without_tag(question: &str, deed: Asked) -> &str {
    let Some((before, last)) = question.rsplit_once(',') else { return question };
    if agreement_about(last, deed) == Agreement::Yes && !words(before).is_empty() { before } else { question }
}

/// A text without the persons that it lists with "ou": "tenho o Wesley ou o Otávio" says that both can be.
fn without_alternatives(text: &str) -> String {
    let is_word = |written: &str, known: &[&str]| known.contains(&written.trim().to_lowercase().as_str());
    if !text.split_whitespace().any(|written| is_word(written, &["ou", "or"])) {
        return text.to_owned();
    }
    let mut is_led = false;
    let stays = |written: &&str| {
        let is_person = is_led && written.starts_with(char::is_uppercase);
        is_led = is_word(written, &["o", "a", "com", "with", "ou", "or"]);
        !is_person
    };
    text.split_inclusive(' ').filter(stays).collect()
}

/// A text without what follows a name of the call as its surname: "com Wesley Moura".
fn without_surnames(text: &str, about: &str) -> String {
    let about = words(about);
    let mut is_behind_name = false;
    let stays = |written: &&str| {
        let folded = words(written).concat();
        let is_surname = is_behind_name && written.starts_with(char::is_uppercase) && !about.contains(&folded);
        let ends = written.trim_end().ends_with([',', '.', ';', ':', '!', '?', ')']);
        is_behind_name = (is_surname || written.starts_with(char::is_uppercase) && about.contains(&folded)) && !ends;
        !is_surname
    };
    text.split_inclusive(' ').filter(stays).collect()
}

/// Whether a question of ours asks for nothing but a yes: every word of it is one of agreement, of courtesy, or offers to go on. One about
/// what is so asks for no yes to an offer.
pub(super) fn asks_for_a_yes(question: &str) -> bool {
    let said = words(question);
    let goes_on = said.iter().any(|word| GOING_ON.contains(&word.as_str()));
    let leaves = said.iter().any(|word| word.starts_with("deix"));
    let is_known = |word: &String| {
        let word = word.as_str();
        OPEN_QUESTIONS.contains(&word)
            || GOING_ON.contains(&word)
            || PREPOSITIONS.contains(&word)
            || goes_on && GONE_ON_WITH.contains(&word)
            || leaves && (LEFT_AS.contains(&word) || word == "ja")
            || goes_on && word == "ja"
    };
    !asks_about_state(question)
        && (agreement_about(question, Asked::Booking) == Agreement::Yes
            || !said.is_empty() && said.iter().all(is_known))
}

/// Whether a question of ours asks which day, time, person or service it shall be, and nothing else: "Que horas?", "Com o Wesley ou com o
/// Otávio?". The names that it offers have a capital.
pub(super) fn asks_which(question: &str, deed: Asked, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let text = without_when(without_lead(question, deed, talk), talk.today);
    let about = words(about);
    let mut asks = false;
    let is_known = |written: &str| {
        let is_capital = written.starts_with(char::is_uppercase);
        words(written).iter().all(|word| {
            let name = word.as_str();
            asks |= ASKING_WHICH.contains(&name);
            is_capital
                || about.contains(word)
                || mentions(name, deed)
                || [ASKING_WHICH, ASKED_FOR, OPEN_QUESTIONS, OFFERING, PREPOSITIONS, TITLES]
                    .iter()
                    .any(|list| list.contains(&name))
        })
    };
    text.split_whitespace().all(is_known) && asks && !asks_about_state(question)
}

/// Whether a question asks about what is so, and offers nothing: "Você já tem horário sexta às 15h?", "É seu?", "Por que sexta?".
pub(super) fn asks_about_state(question: &str) -> bool {
    let said = words(question);
    let said: Vec<&str> =
        said.iter().map(String::as_str).filter(|word| !["ja", "already", "now"].contains(word)).collect();
    let is_you = |word: &str| ["voce", "vc", "tu", "you"].contains(&word);
    let is_state = |word: &str| {
        [
            "tem", "tinha", "ta", "esta", "estava", "vem", "vinha", "foi", "fez", "marcou", "are", "have", "had",
            "were", "booked",
        ]
        .contains(&word)
    };
    let is = |word: &str| ["e", "eh", "is"].contains(&word);
    let yours = |rest: &[&str]| match rest {
        ["seu" | "sua" | "teu" | "tua" | "yours", ..] => rest.len() == 1,
        ["pra" | "para" | "for", you, ..] => is_you(you) && rest.len() == 2,
        _ => false,
    };
    let about_you = said.windows(2).any(|pair| matches!(pair, [you, state] if is_you(you) && is_state(state)));
    let is_yours = (0..said.len()).any(|place| {
        said.get(place).is_some_and(|word| is(word)) && said.get(place.saturating_add(1)..).is_some_and(yours)
    });
    let with_you =
        said.windows(2).any(|pair| matches!(pair, [with, you] if ["com", "with"].contains(with) && is_you(you)));
    let asks_why = matches!(said.as_slice(), ["por" | "pq" | "porque" | "why" | "because", second, ..] if *second == "que" || said.first() != Some(&"por"));
    // "Deixo sexta às 15h livre?" books nothing, nor does "Confirmo com ele?".
    let leaves_free = said.iter().any(|word| word.starts_with("deix"))
        && said.iter().any(|word| ["livre", "livres", "free"].contains(word));
    let with_other = said.windows(2).any(|pair| matches!(pair, ["com", "ele" | "ela"] | ["with", "him" | "her"]))
        && said.iter().any(|word| word.starts_with("confirm"));
    about_you || is_yours || with_you || asks_why || leaves_free || with_other
}

/// A question without the name that it ends with: "Posso marcar, Ana Prado".
fn without_address(question: &str) -> &str {
    let Some((before, last)) = question.rsplit_once(',') else { return question };
    let mut names = last.split_whitespace();
    let is_name = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    let is_address = names.clone().count() <= 2 && !last.trim().is_empty() && names.all(is_name);
    if is_address { before } else { question }
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_question_about_what_is_so_offers_nothing() {
        for question in [
            "Você já tem horário sexta às 15h com o Wesley",
            "O horário de sexta às 15h é seu",
            "Por que sexta às 15h",
            "É pra você",
            "Tudo bem com você",
            "Deixo sexta às 15h livre então",
            "Quer que eu confirme com ele",
        ] {
            assert!(asks_about_state(question) && !asks_for_a_yes(question), "{question}");
        }
        for question in ["Posso marcar", "Fica bom pra você", "Pode ser", "Quer que eu marque", "Confirma"] {
            assert!(!asks_about_state(question), "{question}");
        }
        for question in
            ["Posso deixar reservado", "Faço o agendamento", "Prossigo", "Deseja confirmar", "Coloco seu nome"]
        {
            assert!(asks_for_a_yes(question), "{question}");
        }
        for question in ["Está marcado", "Quer saber o valor"] {
            assert!(!asks_for_a_yes(question), "{question}");
        }
    }

    #[test]
    fn a_question_which_one_asks_for_a_day_a_time_a_person_or_a_service() {
        let talk =
            DialogueHistory { lines: Vec::new(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        let asks = |question: &str| asks_which(question, Asked::Booking, "corte , wesley", &talk);
        for question in [
            "Que horas",
            "Pra qual dia e horário",
            "Qual horário você prefere",
            "Com o Wesley ou com o Otávio",
            "Com quem prefere",
            "Tem alguma preferência de profissional",
        ] {
            assert!(asks(question), "{question}");
        }
        for question in
            ["Posso marcar", "Quer saber os preços ou o endereço", "Quer que eu chame o Otávio", "Por que sexta"]
        {
            assert!(!asks(question), "{question}");
        }
    }
}
