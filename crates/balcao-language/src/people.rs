//! Words for people: those for whom customers book, and those by which anybody will do.

use crate::normalize::{Token, before, phrase_at, text_at, tokens};

/// Those for whom a customer books, folded.
#[rustfmt::skip] // a table of words
const RELATIVES: &[&str] = &[
    "filho", "filha", "filhinho", "filhinha", "pai", "mae", "esposa", "esposo", "marido", "mulher",
    "namorado", "namorada", "noivo", "noiva", "irmao", "irma", "amigo", "amiga", "sobrinho", "sobrinha", "neto",
    "neta", "avo", "sogro", "sogra", "primo", "prima", "tio", "tia", "cunhado", "cunhada", "menino", "menina", "bebe",
    "crianca", "garoto", "garota",
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

/// Whether a folded word is one for a person, or for several, that a customer may book for: "filho", "sobrinhos", "friend". "Pais" is
/// none: without its accent it is also a country.
#[must_use]
pub fn is_relative(word: &str) -> bool {
    let of_several = || word.strip_suffix('s').is_some_and(|one| one != "pai" && RELATIVES.contains(&one));
    RELATIVES.contains(&word) || of_several()
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
