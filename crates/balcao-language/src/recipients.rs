//! The persons, other than their writers, who messages want something for: "pra minha mãe", "pro meu vizinho", "no nome da Carla".
//!
//! Behind "para" and a possessive stands a person, unless the word is one of what a customer has, does, gets ready for or books. That
//! list is closed, and any other word is a person: to take a thing for a person costs one question, and to take a person for a thing
//! books under a wrong name. Without a possessive only the words of [`is_relative`] and first names say that a person is meant.

use crate::{
    agreement::{Asked, kind_of},
    dates::{month_named, weekday_named},
    first_names::is_first_name,
    forms::{is_form_of, is_function_word},
    normalize::{Token, TokenKind, before, phrase_at, text_at, tokens},
    numbers::word_value,
    people::{THIRD_PERSON, is_relative},
};

/// What leads to a person who something is wanted for.
const FOR: &[&str] =
    &["pra", "pro", "pras", "pros", "para", "p", "p /", "for", "nome de", "nome da", "nome do", "name of"];

/// What leads to such a person before a possessive alone: "to Mark" may be a verb, and "do João" whose something is.
const TO: &[&str] = &["to"];
const OF: &[&str] = &["de", "do", "da", "dos", "das", "of"];

/// What says of a person of the business that the writer comes to them: "pro meu barbeiro de sempre".
const OF_HABIT: &[&str] = &["de sempre", "de costume", "preferido", "preferida", "favorito", "favorita"];

const INDEFINITE: &[&str] = &["um", "uma", "uns", "umas"];
const ARTICLES: &[&str] = &["o", "a", "os", "as", "an"];
const POSSESSIVES: &[&str] = &["meu", "minha", "meus", "minhas", "nosso", "nossa", "nossos", "nossas", "my", "our"];

/// Stems of what may stand between a possessive and its noun. None names a person without a noun, as "pequeno" and "velho" do.
#[rustfmt::skip] // a table of words
const ADJECTIVES: &[&str] = &[
    "proxim", "primeir", "segund", "terceir", "ultim", "outr", "nov", "mesm", "unic", "melhor", "futur", "propri",
    "antig", "grand",
    "next", "first", "second", "third", "last", "other", "new", "same", "only", "best", "usual", "regular", "own", "big",
    "old", "little", "st", "nd", "rd", "th",
];

/// Stems of what a customer gets ready for.
#[rustfmt::skip] // a table of words
const OCCASIONS: &[&str] = &[
    "casament", "aniversari", "niver", "formatur", "noivad", "viagem", "viagens", "trabalh", "empreg", "entrevist",
    "batizad", "batism", "crism", "event", "reunia", "reunio", "show", "prov", "foto", "ensai", "fest", "baile",
    "cerimoni", "lua", "feria", "feriad", "natal", "jantar", "almoc", "encontr", "congress", "palestr", "apresentaca",
    "exame", "cirurgi", "vestibular", "aula", "treino", "jogo", "corrida", "mudanc", "compromiss", "gravaca", "volta",
    "chegada", "saida", "ida",
    "wedding", "marriage", "party", "parti", "birthday", "bday", "anniversary", "graduation", "prom", "engagement",
    "trip", "travel", "vacation", "holiday", "honeymoon", "work", "job", "interview", "baptism", "christening", "meeting",
    "exam", "photo", "pic", "picture", "photoshoot", "shoot", "rehearsal", "date", "gig", "concert", "game", "class",
    "flight", "lunch", "dinner",
];

/// Stems of what is treated, and of how.
#[rustfmt::skip] // a table of words
const TREATED: &[&str] = &[
    "cabel", "barb", "bigod", "cavanhaqu", "unh", "sobrancelh", "cili", "pele", "pelo", "rost", "face", "mao", "pe",
    "pez", "cort", "corte", "cor", "dente", "boc", "sorris", "aparelh", "cost", "colun", "joelh", "ombr", "pescoc", "olh",
    "nariz", "orelh", "cabec", "test", "corp", "barrig", "pern", "brac", "axil", "virilh", "buc", "dor", "mech", "luzes",
    "franj", "raiz", "cach", "tranc", "pentead", "maquiagem", "make", "massagem", "massagens", "limpeza", "avaliaca",
    "progressiv", "hidrataca", "depilaca", "tatuagem", "tatuagens", "tattoo", "piercing", "saude", "tratament",
    "procediment",
    "hair", "haircut", "cut", "trim", "beard", "mustache", "moustache", "nail", "eyebrow", "brow", "lash", "skin", "hand",
    "foot", "feet", "tooth", "teeth", "back", "neck", "shoulder", "knee", "head", "body", "leg", "arm", "eye", "ear",
    "nose", "mouth", "smile", "colour", "color", "root", "pain", "treatment", "checkup",
];

/// Stems of what belongs to a customer, and of idioms about them: "pro meu gosto", "pra minha pessoa".
#[rustfmt::skip] // a table of words
const BELONGINGS: &[&str] = &[
    "horari", "hora", "nome", "sobrenome", "apelid", "numer", "celular", "cel", "telefon", "fone", "email", "mail",
    "whats", "whatsapp", "zap", "insta", "instagram", "facebook", "enderec", "cas", "cep", "cpf", "rg", "bairr", "rua",
    "cidade", "predi", "apartament", "ap", "apto", "escritori", "empres", "conta", "plan", "conveni", "pacot",
    "assinatur", "combo", "agenda", "calendari", "retorn", "consulta", "sessa", "sesso", "atendiment", "agendament",
    "reserva", "marcaca", "encaixe", "servic", "vaga", "dia", "data", "semana", "mes", "ano", "tarde", "manha", "noite",
    "folga", "interval", "expedient", "turno", "gost", "confort", "lado", "vez", "parte", "pessoa", "conheciment",
    "informaca", "informaco", "seguranc", "sorte", "azar", "surpres", "rotin", "vida", "idade", "orcament", "bols",
    "carteira", "carro", "moto", "cartao", "cadastr", "ficha", "perfil", "pedid", "lista", "lembrete", "controle",
    "pagament", "comprovant", "preferenci", "necessidad", "problema", "objetiv", "estilo", "visual", "look",
    "name", "number", "phone", "cell", "mobile", "address", "house", "home", "place", "neighborhood", "neighbourhood",
    "account", "package", "calendar", "schedule", "time", "slot", "spot", "turn", "appointment", "booking",
    "reservation", "session", "return", "week", "weekend", "month", "year", "day", "morning", "afternoon", "evening",
    "night", "break", "taste", "comfort", "side", "part", "self", "sake", "record", "info", "information", "knowledge",
    "need", "budget", "style", "h", "hs", "hr", "hrs", "pm",
];

/// Endings that make no other word of a stem: "fotógrafo" differs from "foto", "cabeleireira" from "cabelo" and "dentista" from "dente".
#[rustfmt::skip] // a table of endings
const ENDINGS: &[&str] = &[
    "", "s", "es", "a", "as", "e", "o", "os", "inha", "inhas", "inho", "inhos", "zinha", "zinhas", "zinho", "zinhos",
];

/// The folded words for the person, other than the writer, who a message wants something for: "pra minha mãe", "pro meu filho João", "no
/// nome da Carla". `things`: names that are no such person, such as those of the service and the professional.
#[must_use]
pub fn meant_for(text: &str, things: &[&str]) -> Vec<String> {
    let all = tokens(text);
    let things = things.iter().flat_map(|name| tokens(name)).map(|token| token.text).collect::<Vec<_>>();
    persons(text, &all, &things).into_iter().map(|(_, word)| word).collect()
}

/// The words for such persons, each with the place of its token.
fn persons(text: &str, all: &[Token], things: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for index in 0..all.len() {
        let lead = phrase_at(all, index, FOR);
        let towards = lead.or_else(|| phrase_at(all, index, TO));
        // "Agenda meu irmão": the object of the verb.
        let booked = (kind_of(text_at(all, index), Asked::Booking) == Some(Asked::Booking)).then_some(1);
        if let Some(subject) = subject_at(text, all, index, things) {
            found.push((subject, text_at(all, subject).to_owned()));
            continue;
        }
        // "Quero levar meu pai".
        let brought = BRINGING.contains(&text_at(all, index)).then_some(1);
        let booked = booked.or(brought);
        let Some(len) = towards.or_else(|| phrase_at(all, index, OF)).or(booked) else { continue };
        let (noun, is_owned) = noun_from(all, index.saturating_add(len));
        let age = find_age(all, noun).filter(|_| is_owned && towards.is_some());
        let at = age.unwrap_or(noun);
        if lead.or(booked).is_none() && !is_owned {
            continue;
        }
        let word = text_at(all, at);
        let is_name = |word: &str| is_first_name(word) && !things.iter().any(|thing| thing == word);
        let is_person = is_relative(word)
            || phrase_at(all, at, THIRD_PERSON).is_some()
            || age.is_some()
            || towards.is_some() && is_person_by_place(text, all, at, is_owned, things);
        let is_pet = || is_pet_name(text, all, at) && !things.iter().any(|thing| thing == word);
        if is_person || lead.is_some() && (is_name(word) || is_pet()) {
            found.push((at, word.to_owned()));
            let next = at.saturating_add(1);
            let name = text_at(all, next);
            found.extend((is_person && is_name(name)).then(|| (next, name.to_owned())));
        }
    }
    found
}

/// Verbs of bringing a person along.
const BRINGING: &[&str] = &["levar", "levo", "trazer", "trago", "bring", "take"];

/// Verbs by which another person wants or needs something, or comes.
const WANTING: &[&str] = &[
    "quer",
    "queria",
    "precisa",
    "precisava",
    "vai",
    "vem",
    "gostaria",
    "deseja",
    "ta querendo",
    "esta querendo",
    "ta precisando",
    "esta precisando",
    "wants",
    "needs",
    "would like",
    "is going",
];

/// Where the noun stands of a person who wants something: "minha mãe quer cortar", "o João precisa de um horário".
fn subject_at(text: &str, all: &[Token], index: usize, things: &[String]) -> Option<usize> {
    let begins = POSSESSIVES.contains(&text_at(all, index)) || ["o", "a"].contains(&text_at(all, index));
    let is_first = index.checked_sub(1).is_none_or(|before| !is_function_word(text_at(all, before)));
    let (noun, is_owned) = noun_from(all, index);
    let word = text_at(all, noun);
    let is_name = |at: usize| is_first_name(text_at(all, at)) && !things.iter().any(|thing| thing == text_at(all, at));
    let is_person =
        if is_owned { is_relative(word) || is_person_by_place(text, all, noun, true, things) } else { is_name(noun) };
    let mut next = noun.saturating_add(1);
    while is_name(next) {
        next = next.saturating_add(1);
    }
    (begins && is_first && is_person && phrase_at(all, next, WANTING).is_some()).then_some(noun)
}

/// Whether a message wants something for its writer and for another person: "pra mim e pro meu filho". A word has to join the two:
/// "marca pra mim um corte pro meu vizinho" asks us a favour and wants one haircut.
#[must_use]
pub fn is_meant_for_both(text: &str) -> bool {
    const SELF: &[&str] = &["pra mim", "para mim", "p mim", "for me", "for myself", "eu e", "me and"];
    const JOINS: &[&str] = &["e", "and", "+", "&", "tambem", "tb", "tbm", "too", "also"];
    let all = tokens(text);
    let join = |index: &usize| JOINS.contains(&text_at(&all, *index));
    let own = (0..all.len()).filter(|index| phrase_at(&all, *index, SELF).is_some());
    let others = persons(text, &all, &[]);
    own.into_iter().any(|own| {
        let joined = |(other, _): &(usize, String)| (own.min(*other)..own.max(*other)).any(|index| join(&index));
        // "Barba pra mim, corte pro meu pai também".
        let ends = |(other, _): &(usize, String)| join(&own.max(*other).saturating_add(1));
        others.iter().any(|other| joined(other) || ends(other))
    })
}

/// Where the noun stands to which the words from here on belong, and whether a possessive is among these: "o meu próximo horário".
fn noun_from(all: &[Token], from: usize) -> (usize, bool) {
    let (mut at, mut is_owned) = (from, false);
    loop {
        let word = text_at(all, at);
        let is_possessive = POSSESSIVES.contains(&word);
        // "Pros meus dois filhos", "pro meu 1º horário".
        let counts = is_number(all, at) && word != "one" || word == "-" && is_number(all, at.saturating_sub(1));
        let describes = is_owned && (counts || begins_with(word, ADJECTIVES));
        if !(is_possessive || describes || ARTICLES.contains(&word) || INDEFINITE.contains(&word)) {
            return (at, is_owned);
        }
        is_owned = is_owned || is_possessive;
        at = at.saturating_add(1);
    }
}

fn is_number(all: &[Token], at: usize) -> bool {
    all.get(at).is_some_and(|token| token.kind == TokenKind::Number) || word_value(text_at(all, at)).is_some()
}

/// Whether a noun behind "para" is a person because it has a possessive, before it or behind it, and is nothing of the writer's own:
/// "meu vizinho", "uma vizinha minha", "a neighbour of mine". `text` is the message.
fn is_person_by_place(text: &str, all: &[Token], at: usize, is_owned: bool, things: &[String]) -> bool {
    let word = text_at(all, at);
    if ["one", "ones"].contains(&word) {
        // "My little one" is a child, "my usual one" a thing.
        return before(all, at, 1) == "little";
    }
    let next = at.saturating_add(1);
    let is_noun = all.get(at).is_some_and(|token| token.kind == TokenKind::Word && token.text.len() > 1)
        && !is_function_word(word);
    let is_owned_behind = INDEFINITE.contains(&before(all, at, 1)) && POSSESSIVES.contains(&text_at(all, next))
        || phrase_at(all, next, &["of mine", "of ours"]).is_some();
    is_noun
        && (is_owned || is_owned_behind)
        && (!is_of_the_writer(word) || is_pet_name(text, all, at))
        && phrase_at(all, next, OF_HABIT).is_none()
        && !things.iter().any(|thing| is_form_of(word, thing))
}

/// Where the years stand of an age at `at` that stands for a person: "my 5 year old", "o meu de 5 anos". "Meus 15 anos" are the writer's.
fn find_age(all: &[Token], at: usize) -> Option<usize> {
    const AGES: &[&str] = &["year old", "year - old", "years old", "yr old", "yo", "y o", "month old", "months old"];
    const IN_YEARS: &[&str] = &["ano", "anos", "mes", "meses", "aninho", "aninhos"];
    let years = at.saturating_add(2);
    let is_of_years =
        text_at(all, at) == "de" && is_number(all, at.saturating_add(1)) && IN_YEARS.contains(&text_at(all, years));
    if is_of_years { Some(years) } else { phrase_at(all, at, AGES).map(|_| at) }
}

/// Whether a diminutive is written as a name is: "minha Celinha" is a person, "minha barbinha" is not.
fn is_pet_name(text: &str, all: &[Token], at: usize) -> bool {
    let Some(token) = all.get(at) else { return false };
    let is_diminutive = ["inha", "inho"].iter().any(|ending| token.text.ends_with(ending));
    is_diminutive && text.get(token.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// Whether a word names a day, or what the writer has, does, gets ready for or books.
fn is_of_the_writer(word: &str) -> bool {
    let is_day = weekday_named(word).is_some() || month_named(word).is_some();
    is_day || [OCCASIONS, TREATED, BELONGINGS].iter().any(|stems| begins_with(word, stems))
}

/// Whether a word is one of the stems, bent.
fn begins_with(word: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| word.strip_prefix(*stem).is_some_and(|rest| ENDINGS.contains(&rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_person_it_wants_something_for() {
        for (text, persons) in [
            ("marca pra minha mãe sexta 15h", &["mae"][..]),
            ("corte pro meu filho João", &["filho", "joao"]),
            ("marca pro João sexta", &["joao"]),
            ("pode botar no nome da Carla", &["carla"]),
            ("quero o corte do meu filho sexta", &["filho"]),
            ("quero o corte do meu melhor amigo sexta", &["amigo"]),
            ("book a haircut for my son", &["son"]),
            ("marca pra ela sexta", &["ela"]),
            ("marca pro Wesley sexta", &[]),
            ("agenda meu irmão sexta", &["irmao"]),
            ("encaixa minha filha amanhã", &["filha"]),
            ("minha mãe quer cortar sexta", &["mae"]),
            ("tem horário sexta? meu sobrinho vai", &["sobrinho"]),
            ("o João Pedro quer cortar", &["joao"]),
            ("preciso levar meu filho pra cortar", &["filho"]),
            ("corte pro Pedrinho", &["pedrinho"]),
            ("meu cabelo precisa de um corte", &[]),
            ("o Wesley vem sexta", &[]),
            ("marca minha barba sexta", &[]),
            ("marca pra mim sexta", &[]),
            ("marca pra sexta às 15h", &[]),
            ("marca com minha amiga Carla", &[]),
            ("no meu nome", &[]),
            ("I want to mark it", &[]),
            ("give it to her", &[]),
        ] {
            assert_eq!(meant_for(text, &["Wesley Moura"]), persons, "{text}");
            assert!(!is_meant_for_both(text), "{text}");
        }
        for text in [
            "marca pra mim e pro meu filho",
            "quero barba pra mim e corte pro meu pai",
            "for me and for my son",
            "marca pra mim e pro meu vizinho",
            "marca barba pra mim, corte pro meu pai também",
            "marca pro meu filho e pra mim",
        ] {
            assert!(is_meant_for_both(text), "{text}");
        }
        for text in ["marca pra mim um corte pro meu vizinho", "me marca pra mim, por favor, a barba do meu filho"] {
            assert!(!meant_for(text, &[]).is_empty() && !is_meant_for_both(text), "{text}");
        }
    }

    #[test]
    fn behind_a_possessive_every_word_is_a_person_that_is_not_the_writers_own() {
        for (text, person) in [
            ("marca corte sexta 15h pro meu vizinho", "vizinho"),
            ("pro meu colega de quarto sexta", "colega"),
            ("marca pra minha cabeleireira", "cabeleireira"),
            ("marca pra minha inquilina", "inquilina"),
            ("pra minha dentista", "dentista"),
            ("pro meu fotógrafo", "fotografo"),
            ("para o meu contador", "contador"),
            ("p/ minha vó", "vo"),
            ("pra minha segunda vizinha", "vizinha"),
            ("pro meu novo sócio", "socio"),
            ("pros meus dois sobrinhos", "sobrinhos"),
            ("pra nossa chefe amanhã", "chefe"),
            ("pra uma vizinha minha", "vizinha"),
            ("no nome da minha inquilina", "inquilina"),
            ("for my roommate", "roommate"),
            ("give the slot to my neighbour", "neighbour"),
            ("for a neighbour of mine", "neighbour"),
            ("for our lads", "lads"),
            ("pra minha Celinha", "celinha"),
            ("book a haircut for my 5 year old", "year"),
            ("for my 5-year-old on friday", "year"),
            ("for my five year old", "year"),
            ("for my 5yo", "yo"),
            ("marca pro meu de 5 anos", "anos"),
            ("pra minha de três aninhos", "aninhos"),
            ("book a cut for my little one", "one"),
            ("for my little ones", "ones"),
        ] {
            assert_eq!(meant_for(text, &["Corte na máquina", "Wesley Moura"]), [person], "{text}");
        }
        for text in [
            "pro meu casamento",
            "quero cortar pro meu aniversário sexta",
            "pra minha barba",
            "pra minha barbinha",
            "pro meu barbeiro de sempre",
            "pra minha manicure preferida",
            "for my usual one",
            "pra minha festinha",
            "pras minhas unhas",
            "pros meus pés",
            "pro meu corte",
            "pra minha entrevista de trabalho",
            "pra nossa viagem",
            "pro meu próximo horário",
            "pra minha primeira vez",
            "pra minha segunda às 15h",
            "pra minha sexta",
            "pro meu 1º horário",
            "pros meus 15 anos",
            "manda pro meu celular",
            "pra minha pessoa",
            "pra um corte meu",
            "pra minha química sexta",
            "pra marcar meu corte",
            "pra mim, pro meu gosto",
            "pode ser pro meu mesmo",
            "no nome da minha empresa",
            "for my wedding",
            "for my hair",
            "for my next appointment",
            "for my 30th birthday",
            "move it to my usual time",
            "for my 3pm",
        ] {
            let persons = meant_for(text, &["Química capilar", "Wesley Moura"]);
            assert!(persons.is_empty(), "{text}: {persons:?}");
        }
    }
}
