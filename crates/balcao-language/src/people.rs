//! Words for people: those for whom customers book, and those by which anybody will do.

use crate::{
    agreement::{Asked, kind_of},
    first_names::is_first_name,
    normalize::{Token, before, phrase_at, text_at, tokens},
};

/// Those for whom a customer books, folded.
#[rustfmt::skip] // a table of words
const RELATIVES: &[&str] = &[
    "filho", "filha", "filhos", "filhinho", "filhinha", "pai", "mae", "esposa", "esposo", "marido", "mulher",
    "namorado", "namorada", "noivo", "noiva", "irmao", "irma", "amigo", "amiga", "sobrinho", "sobrinha", "neto",
    "neta", "avo", "sogro", "sogra", "primo", "prima", "tio", "tia", "cunhado", "cunhada", "menino", "menina", "bebe",
    "son", "daughter", "wife", "husband", "father", "mother", "dad", "mom", "brother", "sister", "friend", "kid",
];

/// Words of the third person.
pub(crate) const THIRD_PERSON: &[&str] = &[
    "ele", "ela", "eles", "elas", "dele", "dela", "deles", "delas", "se chama", "he", "she", "they", "his", "her",
    "their", "him", "them",
];

/// Anybody, said of people.
#[rustfmt::skip] // a table of words
const PEOPLE: &[&str] = &[
    "qualquer profissional", "qualquer barbeiro", "qualquer barbeira", "qualquer medico", "qualquer medica",
    "qualquer dentista", "qualquer pessoa", "com qualquer", "quem tiver", "quem estiver", "quem puder", "quem vc quiser",
    "quem voce quiser", "tanto faz com quem", "tanto faz quem", "anyone", "anybody", "whoever", "any barber",
];

/// The same, unless it is said of a time.
#[rustfmt::skip] // a table of words
const PREFERENCE: &[&str] = &[
    "sem preferencia", "nao tenho preferencia", "n tenho preferencia", "nao tem preferencia", "n tem preferencia",
    "nenhuma preferencia", "no preference",
];

/// Anything will do: of people only where it answers with whom, and never of a time.
#[rustfmt::skip] // a table of words
const ANYTHING: &[&str] = &[
    "tanto faz", "tnt faz", "tto faz", "qualquer um", "qualquer uma", "voce escolhe", "vc escolhe", "vcs escolhem",
    "voces escolhem", "pode escolher", "o que tiver livre", "o que estiver livre", "indiferente", "any of them",
    "doesn ' t matter", "doesnt matter", "don ' t mind", "dont mind",
];

const TIMES: &[&str] = &["horario", "horarios", "hora", "hr", "dia", "dias", "data", "time", "day"];
const SMALL: &[&str] = &["o", "a", "os", "as", "de", "do", "da", "dos", "das", "the", "of"];

/// Whether a folded word is one for somebody whom a customer may book for: "filho", "sobrinho", "friend".
#[must_use]
pub fn is_relative(word: &str) -> bool {
    RELATIVES.contains(&word)
}

/// The folded words for the person, other than the writer, who a message wants something for: "pra minha mãe", "pro meu filho João", "no
/// nome da Carla". `things`: names that are no such person, such as the professional's.
#[must_use]
pub fn meant_for(text: &str, things: &[&str]) -> Vec<String> {
    const FOR: &[&str] = &["pra", "pro", "para", "p", "for", "nome de", "nome da", "nome do", "name of"];
    const OF: &[&str] = &["do meu", "da minha", "do nosso", "da nossa", "de meu", "de minha", "of my"];
    const DETERMINERS: &[&str] = &["o", "a", "meu", "minha", "nosso", "nossa", "um", "uma", "my", "our"];
    let all = tokens(text);
    let others = things.iter().flat_map(|name| tokens(name)).map(|token| token.text).collect::<Vec<_>>();
    let mut found = Vec::new();
    for index in 0..all.len() {
        let lead = phrase_at(&all, index, FOR);
        // "Agenda meu irmão": the object of the verb.
        let booked = || (kind_of(text_at(&all, index), Asked::Booking) == Some(Asked::Booking)).then_some(1);
        let Some(len) = lead.or_else(|| phrase_at(&all, index, OF)).or_else(booked) else { continue };
        let mut at = index.saturating_add(len);
        while DETERMINERS.contains(&text_at(&all, at)) {
            at = at.saturating_add(1);
        }
        let word = text_at(&all, at);
        let is_name = |word: &str| is_first_name(word) && !others.iter().any(|other| other == word);
        let person = is_relative(word) || phrase_at(&all, at, THIRD_PERSON).is_some();
        if person || lead.is_some() && is_name(word) {
            found.push(word.to_owned());
            let next = text_at(&all, at.saturating_add(1));
            found.extend((person && is_name(next)).then(|| next.to_owned()));
        }
    }
    found
}

/// Whether a message wants something for its writer and for another person: "pra mim e pro meu filho".
#[must_use]
pub fn is_meant_for_both(text: &str) -> bool {
    const SELF: &[&str] = &["pra mim", "para mim", "p mim", "for me", "for myself", "eu e", "me and"];
    let all = tokens(text);
    !meant_for(text, &[]).is_empty() && (0..all.len()).any(|index| phrase_at(&all, index, SELF).is_some())
}

/// Whether a text says that anybody will do: "com qualquer um", "quem estiver livre". `asked` if it answers with whom: then
/// "tanto faz" does, too. "Tanto faz o horário" is said of a time, and of nobody.
#[must_use]
pub fn anybody_will_do(text: &str, asked: bool) -> bool {
    let all = tokens(text);
    (0..all.len()).any(|index| {
        let of_people = |phrases| phrase_at(&all, index, phrases).is_some_and(|len| !of_a_time(&all, index, len));
        phrase_at(&all, index, PEOPLE).is_some() || of_people(PREFERENCE) || asked && of_people(ANYTHING)
    })
}

/// Whether a time is named directly before or behind a phrase.
fn of_a_time(all: &[Token], index: usize, len: usize) -> bool {
    let mut next = index.saturating_add(len);
    while SMALL.contains(&text_at(all, next)) {
        next = next.saturating_add(1);
    }
    TIMES.contains(&text_at(all, next)) || TIMES.contains(&before(all, index, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_meant_for_whom_its_prepositions_name() {
        for (text, whom) in [
            ("marca pra minha mãe sexta 15h", &["mae"][..]),
            ("corte pro meu filho João", &["filho", "joao"]),
            ("marca pro João sexta", &["joao"]),
            ("pode botar no nome da Carla", &["carla"]),
            ("quero o corte do meu filho sexta", &["filho"]),
            ("book a haircut for my son", &["son"]),
            ("marca pra ela sexta", &["ela"]),
            ("marca pro Wesley sexta", &[]),
            ("agenda meu irmão sexta", &["irmao"]),
            ("encaixa minha filha amanhã", &["filha"]),
            ("marca minha barba sexta", &[]),
            ("marca pra mim sexta", &[]),
            ("marca pra sexta às 15h", &[]),
            ("marca com minha amiga Carla", &[]),
            ("no meu nome", &[]),
        ] {
            assert_eq!(meant_for(text, &["Wesley Moura"]), whom, "{text}");
            assert!(!is_meant_for_both(text), "{text}");
        }
        for text in
            ["marca pra mim e pro meu filho", "quero barba pra mim e corte pro meu pai", "for me and for my son"]
        {
            assert!(is_meant_for_both(text), "{text}");
        }
    }

    #[test]
    fn anybody_will_do_if_it_is_said_of_people_or_answers_with_whom() {
        for (text, asked, expected) in [
            ("tanto faz", true, true),
            ("Tanto faz!", false, false),
            ("tnt faz", true, true),
            ("pra mim é indiferente", true, true),
            ("qualquer um tá bom", true, true),
            ("qualquer um", false, false),
            ("com qualquer um", false, true),
            ("não tenho preferência", true, true),
            ("sem preferência", false, true),
            ("quem estiver livre", false, true),
            ("quem vc quiser", false, true),
            ("tanto faz com quem", false, true),
            ("anyone is fine", false, true),
            ("it doesn't matter", true, true),
            ("tanto faz, dia 5 às 15h", true, true),
            ("quem tiver horário", false, true),
            ("tanto faz o horário", true, false),
            ("o horário tanto faz", true, false),
            ("sem preferência de horário", true, false),
            ("qualquer um dos dias", true, false),
            ("qualquer horário", true, false),
            ("com a Íris", true, false),
        ] {
            assert_eq!(anybody_will_do(text, asked), expected, "{text}");
        }
    }
}
