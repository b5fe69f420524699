//! The names that a customer gives: their own beside a request, a guest with a number, and the owner of an appointment.
//!
//! A word is a name if it is written with a capital or is a common first name; what follows it belongs to it while it is written
//! as a name is.

use balcao_language::{
    Token, TokenKind, dates::month_named, find_dates, find_times, is_first_name, is_relative, normalize,
    search::is_stop_word, tokens, weekday_named,
};
use jiff::civil::date;

use super::person_words::{PARTICLES, is_no_name, phone_in};
use crate::nlu::capital;

/// What writers call themselves by.
const INTRODUCTIONS: [&[&str]; 12] = [
    &["aqui", "quem", "fala", "e"],
    &["quem", "fala", "e"],
    &["quem", "ta", "falando", "e"],
    &["aqui", "e"],
    &["aqui", "eh"],
    &["eu", "sou"],
    &["sou"],
    &["this", "is"],
    &["i", "am"],
    &["i", "'", "m"],
    &["im"],
    &["it", "is"],
];
/// Roles that may follow "sou …" and are not names, however the customer writes them.
const ROLES: [&str; 20] = [
    "cliente",
    "paciente",
    "mensalista",
    "assinante",
    "novo",
    "nova",
    "eu",
    "aluno",
    "aluna",
    "mae",
    "pai",
    "dono",
    "dona",
    "gerente",
    "amigo",
    "amiga",
    "particular",
    "filho",
    "filha",
    "alergico",
];
/// What an appointment is called.
const APPOINTMENTS: [&str; 22] = [
    "horario",
    "horarios",
    "hora",
    "evento",
    "eventos",
    "compromisso",
    "compromissos",
    "agendamento",
    "agendamentos",
    "consulta",
    "consultas",
    "sessao",
    "sessoes",
    "reserva",
    "marcacao",
    "atendimento",
    "corte",
    "appointment",
    "appointments",
    "session",
    "visita",
    "vaga",
];
/// Words before the name of the attendee.
const TOWARDS: [&str; 6] = ["pra", "para", "pro", "pros", "p", "for"];
/// Words between a name and its number.
const NUMBERED: [&str; 12] =
    ["telefone", "fone", "tel", "numero", "celular", "cel", "whats", "zap", "o", "e", "phone", "number"];
/// A name has no more words.
const LONGEST: usize = 5;

/// "Sou a Ana Lima, quero marcar": the own name that a customer gives beside a request.
///
/// "Sou a Camila do 11912345678" claims to be a contact. A model must not accept such a claim.
pub(crate) fn introduced(text: &str) -> Option<String> {
    let all = tokens(text);
    let says = |at: usize, words: &[&str]| words.iter().enumerate().all(|(next, word)| is(&all, at + next, &[word]));
    (0..all.len()).find_map(|at| {
        let lead = INTRODUCTIONS.iter().find(|lead| says(at, lead))?;
        let next = at + lead.len();
        let next = next + usize::from(is(&all, next, &["a", "o", "dona", "seu", "the"]));
        let (name, end) = name_at(text, &all, next)?;
        let role = normalize(&name).split(' ').next().is_some_and(|first| ROLES.contains(&first));
        let numbered = is(&all, end, &["do", "da", "de", "no"]) && phone_at(text, &all, end + 1).is_some();
        (!role && !numbered).then_some(name)
    })
}

/// "Pra carla 81 99999-0000": a guest of the writer. The number of their own separates the guest from the writer.
pub(super) fn guest_with_number(text: &str) -> Option<(String, String)> {
    let all = tokens(text);
    (0..all.len()).filter(|at| is(&all, *at, &TOWARDS)).find_map(|at| {
        let first = at + 1 + usize::from(is(&all, at + 1, &["/"]));
        let first = first + usize::from(is(&all, first, &["a", "o", "dona", "seu"]));
        let named = |index: usize| all.get(index).is_some_and(|token| may_be_named(text, token));
        let end = (first..all.len()).take(LONGEST).find(|index| !named(*index)).unwrap_or(all.len());
        let gap = |index: &usize| {
            all.get(*index).is_some_and(|token| {
                token.kind == TokenKind::Mark && [",", ":", "-"].contains(&token.text.as_str())
                    || NUMBERED.contains(&token.text.as_str())
            })
        };
        let digits = (end..all.len()).find(|index| !gap(index))?;
        let phone = phone_at(text, &all, digits)?;
        let words: Vec<String> = all.get(first..end)?.iter().map(|token| written(text, token)).collect();
        (!words.is_empty()).then(|| (words.join(" "), phone))
    })
}

/// "O horário da Lívia", "Livia's appointment": the name of the owner, if the text names one.
pub(crate) fn owner_named(text: &str) -> Option<String> {
    let all = tokens(text);
    let of = (0..all.len()).find_map(|at| {
        let spoken = is(&all, at, &APPOINTMENTS) || is(&all, at, &["o", "a"]) && at > 0;
        let next = at + 1;
        if !spoken || !is(&all, next, &["da", "do", "de"]) {
            return None;
        }
        let next = next + 1 + usize::from(is(&all, next + 1, &["dona", "seu"]));
        name_at(text, &all, next).map(|(name, _)| name)
    });
    let owned = || {
        (0..all.len()).find_map(|at| {
            let s = is(&all, at + 1, &["'"]) && is(&all, at + 2, &["s"]) && is(&all, at + 3, &APPOINTMENTS);
            name_at(text, &all, at).filter(|_| s).map(|(name, _)| name)
        })
    };
    of.or_else(owned)
}

/// Behind "pra minha mãe": the name that follows in small letters, "dona celia" or "a maria souza".
pub(super) fn name_behind(text: &str, all: &[Token], from: usize) -> Option<String> {
    const TITLES: [&str; 5] = ["dona", "seu", "sr", "sra", "d"];
    let gap = |index: &usize| is(all, *index, &[",", ":", "-", ".", "a", "o", "e", "se", "chama"]);
    let first = (from..all.len()).find(|index| !gap(index))?;
    if !is(all, first, &TITLES) {
        return name_at(text, all, first).map(|(name, _)| name);
    }
    let first = first + 1 + usize::from(is(all, first + 1, &["."]));
    let named = |token: &&Token| may_be_named(text, token) && !is_stop_word(&token.text);
    let words: Vec<String> =
        all.iter().skip(first).take(LONGEST).take_while(named).map(|token| written(text, token)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn is(all: &[Token], index: usize, words: &[&str]) -> bool {
    all.get(index).is_some_and(|token| words.contains(&token.text.as_str()))
}

/// The name that begins at a token, and the token behind it.
fn name_at(text: &str, all: &[Token], from: usize) -> Option<(String, usize)> {
    let mut words = Vec::new();
    let mut end = from;
    for (index, token) in all.iter().enumerate().skip(from).take(LONGEST) {
        let particle = !words.is_empty() && PARTICLES.contains(&token.text.as_str());
        let next_named = all.get(index + 1).is_some_and(|next| is_written_as_name(text, next));
        if is_written_as_name(text, token) {
            words.push(written(text, token));
            end = index + 1;
        } else if particle && next_named {
            words.push(token.text.clone());
        } else {
            break;
        }
    }
    // What follows a lower-case first name up to the end of its clause, in a word or two, is the rest of it: "sou a ana lima, …".
    let rest: Vec<&Token> = all.iter().skip(end).take_while(|token| token.kind == TokenKind::Word).collect();
    let surname = |token: &&Token| !is_stop_word(&token.text) && may_be_named(text, token) && token.text.len() > 2;
    if !words.is_empty() && (1..=2).contains(&rest.len()) && rest.iter().all(surname) {
        words.extend(rest.iter().map(|token| written(text, token)));
        end += rest.len();
    }
    (!words.is_empty()).then(|| (words.join(" "), end))
}

fn is_written_as_name(text: &str, token: &Token) -> bool {
    let capital = text.get(token.start..token.end).and_then(|word| word.chars().next()).is_some_and(char::is_uppercase);
    (capital || is_first_name(&token.text)) && may_be_named(text, token)
}

/// Whether a word may be part of a name: no word for a day, a time, a relative or small talk.
fn may_be_named(text: &str, token: &Token) -> bool {
    let word = text.get(token.start..token.end).unwrap_or_default();
    token.kind == TokenKind::Word
        && token.text.chars().count() > 1
        && !is_no_name(&token.text)
        && !is_relative(&token.text)
        && weekday_named(&token.text).is_none()
        && month_named(&token.text).is_none()
        && find_dates(word, date(2026, 1, 1)).is_empty()
        && find_times(word).is_empty()
}

fn written(text: &str, token: &Token) -> String {
    if PARTICLES.contains(&token.text.as_str()) {
        return token.text.clone();
    }
    capital(text.get(token.start..token.end).unwrap_or_default())
}

/// The number that begins at a token.
fn phone_at(text: &str, all: &[Token], index: usize) -> Option<String> {
    let token = all.get(index)?;
    let opens = token.kind == TokenKind::Number || ["(", "+"].contains(&token.text.as_str());
    let rest = text.get(token.start..).filter(|_| opens)?;
    phone_in(rest).filter(|phone| rest.starts_with(phone.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{guest_with_number, introduced, owner_named};

    #[test]
    fn a_name_beside_a_request_is_heard_and_what_somebody_is_or_has_is_none() {
        for (text, name) in [
            ("sou a Ana Lima, quero marcar corte amanhã às 10", Some("Ana Lima")),
            ("oi, aqui é a Ana Lima quero marcar amanhã", Some("Ana Lima")),
            ("aqui quem fala é o pedro", Some("Pedro")),
            ("sou a ana lima, quero marcar", Some("Ana Lima")),
            ("sou a ana quero marcar amanhã com o wesley", Some("Ana")),
            ("sou o João da Silva e quero um corte", Some("João da Silva")),
            ("hi, I'm Emma Stone, can I book tomorrow?", Some("Emma Stone")),
            ("sou cliente de vocês", None),
            ("sou Mensalista", None),
            ("sou eu de novo", None),
            ("sou de BH", None),
            ("sou a Camila do 11912345678", None),
            ("sou alérgica a corante", None),
            ("aqui é muito longe", None),
            ("sou nova aqui", None),
        ] {
            assert_eq!(introduced(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn a_guest_is_told_by_a_number_of_their_own() {
        let found = |text: &str| guest_with_number(text);
        for (text, name, phone) in [
            ("marca amanhã às 11h pra carla 81 99999-0000", "Carla", "81 99999-0000"),
            ("pra a carla souza, tel 81 99999-0000", "Carla Souza", "81 99999-0000"),
            ("para Maria de Lourdes: (31) 98888-1234", "Maria de Lourdes", "(31) 98888-1234"),
            ("for emma +55 11 98888-7777 tomorrow", "Emma", "+55 11 98888-7777"),
        ] {
            assert_eq!(found(text), Some((name.to_owned(), phone.to_owned())), "{text}");
        }
        for text in [
            "quero marcar pra amanhã, meu número é 81 99999-0000",
            "pra sexta 81 99999-0000",
            "pra mim 81 99999-0000",
            "pra carla amanhã",
            "quero pra 15h",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn whose_appointment_is_meant() {
        for (text, name) in [
            ("cancela o evento da Lívia", Some("Lívia")),
            ("cancela o horário da livia campos", Some("Livia Campos")),
            ("remarca o horário da Lívia pra sexta 10h", Some("Lívia")),
            ("cancela o da Lívia", Some("Lívia")),
            ("cancel Livia's appointment", Some("Livia")),
            ("quando é a consulta do seu Jorge?", Some("Jorge")),
            ("cancela meu horário", None),
            ("cancela o horário de sexta", None),
            ("cancela o horário da tarde", None),
            ("cancela o horário de amanhã", None),
            ("cancela o horário do meu filho", None),
            ("cancela o horário da barba", None),
            ("cancela a consulta de Maio", None),
            ("cancela o horário das 15h", None),
        ] {
            assert_eq!(owner_named(text).as_deref(), name, "{text}");
        }
    }
}
