//! The attendee: the answers of the customer to our questions for a name, and the guest that they book for, if any.

use balcao_language::{Agreement, Token, TokenKind, agreement, is_first_name, is_relative, normalize, tokens};

use super::named::{guest_with_number, introduced, name_behind};
use super::person_words::{NO_NAMES, PARTICLES, phone_in};
use crate::nlu::{capital, own_name};

/// How the writer's name is asked for.
pub const OWN_NAME: [&str; 2] = ["Qual é o seu nome?", "What is your name?"];
/// The question for the name of a guest.
pub const GUEST_NAME: [&str; 2] = ["Qual é o nome de quem vem?", "What is the name of whoever comes?"];

/// What may stand before a name in an answer.
const LEADS: [&str; 27] = [
    "dona", "seu", "sr", "sra", "d", "eu", "sou", "aqui", "e", "eh", "o", "a", "im", "nome", "dele", "dela", "chama",
    "se", "chamada", "ela", "ele", "me", "chamo", "meu", "she", "he", "is",
];
/// What ends a name in an answer.
const ENDS: [&str; 10] = ["e", "com", "telefone", "fone", "tel", "numero", "celular", "cel", "and", "phone"];
/// Words before the name of the attendee.
const TOWARDS: [&str; 7] = ["pra", "para", "pro", "pros", "p", "for", "do"];
/// Words between these and the relative.
const OWNERS: [&str; 8] = ["minha", "meu", "a", "o", "my", "um", "uma", "nosso"];

/// A guest that the writer books for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guest {
    /// Their name, once it was said.
    pub name: Option<String>,
    /// Their number, as it was written.
    pub phone: Option<String>,
}

/// Who comes, as far as it was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// What the writer answered when we asked for their name.
    pub own_name: Option<String>,
    /// Who comes instead of them.
    pub guest: Option<Guest>,
    /// A name of a guest or of a professional; undecided until a tool has returned the professionals.
    pub(super) unmet: Option<String>,
    /// Answers to a question for a name that may name a service; undecided until a tool has returned the services.
    pub(super) answers: Vec<String>,
}

impl Who {
    /// Takes in a message of the customer, which answers what we `said` last; `staff` if it names a professional. Who comes is said
    /// in the part of it that is dealt with `now`: the whole, if it has one wish.
    pub(super) fn hear(&mut self, text: &str, now: &str, said: &str, staff: bool) {
        let asked = |questions: &[&str]| questions.iter().any(|question| said.ends_with(question));
        let answered = || asked(&OWN_NAME).then(|| answered_name(text)).flatten();
        if let Some(own) = own_name(text).or_else(|| introduced(text)) {
            self.own_name = Some(own);
        } else if let Some(own) = answered() {
            self.own_name = Some(own);
            self.answers.push(text.to_owned());
        }
        let all = tokens(now);
        if let Some(after) = relative(&all) {
            let guest = self.guest.get_or_insert_default();
            let name = name_after(now, &all, after).or_else(|| name_behind(now, &all, after));
            guest.name = name.or(guest.name.take());
        }
        if let Some((name, phone)) = guest_with_number(now) {
            self.guest = Some(Guest { name: Some(name), phone: Some(phone) });
        }
        let Some(guest) = &mut self.guest else { return };
        guest.name = told_name(now, &all).or(guest.name.take());
        if asked(&GUEST_NAME)
            && !(staff && speaks_of_staff(now))
            && let Some(name) = answered_name(now)
        {
            guest.name = Some(name);
            self.answers.push(now.to_owned());
        }
        guest.phone = phone_in(now).or(guest.phone.take());
    }

    /// This answer was no name.
    pub(super) fn takes_back(&mut self, answer: &str) {
        let name = answered_name(answer);
        self.own_name.take_if(|own| Some(&*own) == name.as_ref());
        if let Some(guest) = &mut self.guest {
            guest.name.take_if(|own| Some(&*own) == name.as_ref());
        }
    }

    /// An appointment was made, and the next may be for another person.
    pub(super) fn booked(&mut self) {
        self.guest = None;
        self.unmet = None;
    }
}

/// Whether we ask for a name or a number: then what was wanted is still wanted.
pub(crate) fn is_asked_for(said: &str) -> bool {
    let of_number = ["com DDD?", "with area code?"];
    OWN_NAME.into_iter().chain(GUEST_NAME).chain(of_number).any(|question| said.ends_with(question))
}

/// Whether two replies ask the same: in the same words, or for the same name or service whatever stands before.
pub(super) fn same_question(one: &str, other: &str) -> bool {
    let for_name = |text: &str| OWN_NAME.into_iter().chain(GUEST_NAME).find(|question| text.ends_with(question));
    let for_service = |text: &str| {
        let (before, _) = text.rsplit_once('?')?;
        let last = normalize(before.rsplit(['.', '!', '?', '\n']).next()?.trim());
        (last.starts_with("qual servico") || last.starts_with("which service")).then_some(last)
    };
    one.contains('?')
        && (one == other
            || for_name(one).is_some() && for_name(one) == for_name(other)
            || for_service(one).is_some() && for_service(one) == for_service(other))
}

/// "Pra Lívia Campos", "para o joão": the name after such a preposition, if it begins with a common first name.
pub(super) fn named_behind_for(text: &str) -> Option<String> {
    let all = tokens(text);
    let is = |index: usize, words: &[&str]| all.get(index).is_some_and(|token| words.contains(&token.text.as_str()));
    let behind = |index: usize| index + 1 + usize::from(is(index + 1, &["a", "o"]));
    let leads = (0..all.len()).filter(|index| is(*index, &["pra", "para", "pro", "for"])).map(behind);
    let at = leads.into_iter().find(|at| all.get(*at).is_some_and(|token| is_first_name(&token.text)))?;
    let first = all.get(at)?;
    let first = capital(text.get(first.start..first.end)?);
    let more = all.get(at + 1).filter(|next| next.kind == TokenKind::Word).and_then(|_| name_after(text, &all, at + 1));
    Some(more.map_or(first.clone(), |more| format!("{first} {more}")))
}

/// "Ela se chama Lourdes", "o nome dele é Pedro": the name, wherever it is said.
fn told_name(text: &str, all: &[Token]) -> Option<String> {
    const TELLING: [&[&str]; 5] =
        [&["se", "chama"], &["nome", "dele"], &["nome", "dela"], &["his", "name"], &["her", "name"]];
    let says = |at: usize, words: &[&str]| {
        words.iter().enumerate().all(|(next, word)| all.get(at + next).is_some_and(|token| token.text == *word))
    };
    let at = (0..all.len()).find(|at| TELLING.iter().any(|words| says(*at, words)))?;
    answered_name(text.get(all.get(at + 2)?.start..)?)
}

/// Whether a message answers our question for a name with one.
pub(super) fn answers_a_name(text: &str, said: &str) -> bool {
    let asked = OWN_NAME.into_iter().chain(GUEST_NAME).any(|question| said.ends_with(question));
    asked && answered_name(text).is_some()
}

/// "Com o Wesley", "o Wesley pode?": the name means the professional, and not a customer with an equal name.
fn speaks_of_staff(text: &str) -> bool {
    let all = tokens(text);
    let named = all.iter().any(|token| ["nome", "chama", "chamada", "name"].contains(&token.text.as_str()));
    !named && all.iter().filter(|token| token.kind == TokenKind::Word && !is_lead(&token.text)).count() < 2
}

/// Behind "pra minha mãe", "for my son": the index of the next token.
fn relative(all: &[Token]) -> Option<usize> {
    let is = |index: usize, words: &[&str]| all.get(index).is_some_and(|token| words.contains(&token.text.as_str()));
    (0..all.len()).find_map(|index| {
        // "P/ minha mãe".
        let first = index + 1 + usize::from(is(index + 1, &["/"]));
        // "Para o meu pai" has two of them.
        let next = first + (first..first + 2).take_while(|at| is(*at, &OWNERS)).count();
        (is(index, &TOWARDS) && all.get(next).is_some_and(|token| is_relative(&token.text))).then_some(next + 1)
    })
}

/// The capitalised words that follow: "…, Maria Souza", "… a Maria da Silva". Those of another sentence are none.
fn name_after(text: &str, all: &[Token], from: usize) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for token in all.iter().skip(from) {
        let word = text.get(token.start..token.end)?;
        let capitalised = word.chars().next().is_some_and(char::is_uppercase);
        let particle = PARTICLES.contains(&token.text.as_str());
        match (words.is_empty(), token.kind == TokenKind::Word && capitalised) {
            (_, true) => words.push(word.to_owned()),
            (false, false) if particle && token.kind == TokenKind::Word => words.push(token.text.clone()),
            (true, false) if is_lead(&token.text) || token.kind != TokenKind::Word && token.text == "," => {}
            _ => break,
        }
    }
    while words.last().is_some_and(|last| PARTICLES.contains(&last.as_str())) {
        words.pop();
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn is_lead(folded: &str) -> bool {
    LEADS.contains(&folded)
}

/// What follows our question for a name, if it looks like one: "Pedro Alves", "sou o pedro", "Maria, 11 98888-7777".
fn answered_name(text: &str) -> Option<String> {
    let first = text.split([',', ';', '\n', '.', '!']).next().unwrap_or_default();
    // "Fechado", "s", "blz": an answer to what was asked before.
    if matches!(agreement(first), Agreement::Yes | Agreement::No) || first.trim().chars().nth(1).is_none() {
        return None;
    }
    let words = first.split_whitespace().skip_while(|word| is_lead(&normalize(word)));
    let words = words.take_while(|word| !ENDS.contains(&normalize(word).as_str()));
    let words: Vec<&str> = words.take_while(|word| word.chars().all(char::is_alphabetic)).collect();
    let plausible =
        (1..=5).contains(&words.len()) && words.iter().all(|word| !NO_NAMES.contains(&normalize(word).as_str()));
    let written = |word: &&str| {
        let folded = normalize(word);
        if PARTICLES.contains(&folded.as_str()) { folded } else { capital(word) }
    };
    plausible.then(|| words.iter().map(written).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{GUEST_NAME, Guest, OWN_NAME, Who, answered_name};

    fn guest(texts: &[&str]) -> Option<Guest> {
        let mut who = Who::default();
        texts.iter().for_each(|text| who.hear(text, text, "", false));
        who.guest
    }

    fn guest_with(name: Option<&str>, phone: Option<&str>) -> Option<Guest> {
        Some(Guest { name: name.map(str::to_owned), phone: phone.map(str::to_owned) })
    }

    #[test]
    fn whoever_comes_instead_has_their_own_name_and_number() {
        let cases: [(&[&str], Option<Guest>); 13] = [
            (&["pra minha mãe, Maria Souza 11 98888-7777"], guest_with(Some("Maria Souza"), Some("11 98888-7777"))),
            (&["quero marcar pro meu filho amanhã às 15h"], guest_with(None, None)),
            (
                &["marca p minha esposa Carla, 81 97701-5522, com saulo amanha 14h"],
                guest_with(Some("Carla"), Some("81 97701-5522")),
            ),
            (&["p/ meu filho Pedro"], guest_with(Some("Pedro"), None)),
            (
                &["é para o meu pai João da Silva, (11) 3222-1100."],
                guest_with(Some("João da Silva"), Some("(11) 3222-1100")),
            ),
            (&["para a minha esposa, a Ana"], guest_with(Some("Ana"), None)),
            (
                &["for my daughter Emma Stone, +55 11 98888-7777"],
                guest_with(Some("Emma Stone"), Some("+55 11 98888-7777")),
            ),
            (&["pra minha mãe", "o número dela é 11988887777"], guest_with(None, Some("11988887777"))),
            (&["pra minha mãe, ela se chama lourdes"], guest_with(Some("Lourdes"), None)),
            (
                &["pro meu irmão Pedro", "ops, o nome dele é Paulo, 31 97777-1234"],
                guest_with(Some("Paulo"), Some("31 97777-1234")),
            ),
            (&["amanhã 11h pra carla 81 99999-0000"], guest_with(Some("Carla"), Some("81 99999-0000"))),
            (&["quero marcar amanhã 11h, sou a Maria"], None),
            (&["meu pai corta aí"], None),
        ];
        for (texts, expected) in cases {
            assert_eq!(guest(texts), expected, "{texts:?}");
        }
    }

    #[test]
    fn a_professional_who_is_named_is_no_guest() {
        let guest_after = |text: &str| {
            let mut who = Who::default();
            who.hear("é pra minha mãe", "é pra minha mãe", "", false);
            who.hear(text, text, GUEST_NAME[0], true);
            who.guest.and_then(|guest| guest.name)
        };
        assert_eq!(guest_after("com o Wesley"), None);
        assert_eq!(guest_after("Wesley"), None);
        assert_eq!(guest_after("ela se chama Íris"), Some("Íris".to_owned()));
        assert_eq!(guest_after("Íris Prado"), Some("Íris Prado".to_owned()));
    }

    #[test]
    fn an_answer_is_a_name_if_it_looks_like_one_and_stands_until_another_is_given() {
        for (text, name) in [
            ("ana paula", Some("Ana Paula")),
            ("sou o Pedro", Some("Pedro")),
            ("é Maria da Silva.", Some("Maria da Silva")),
            ("Maria Souza, 11 98888-7777", Some("Maria Souza")),
            ("ela se chama Lourdes", Some("Lourdes")),
            ("o nome dela é Maria de Lourdes e o telefone é 31 98888-1234", Some("Maria de Lourdes")),
            ("Lourdes, com o Wesley", Some("Lourdes")),
            ("com o Wesley", None),
            ("melhor sábado", None),
            ("pra quê?", None),
            ("sim", None),
            ("15h", None),
            ("fechado", None),
            ("blz", None),
            ("s", None),
        ] {
            assert_eq!(answered_name(text).as_deref(), name, "{text}");
        }
        let mut who = Who::default();
        who.hear("pedro", "pedro", OWN_NAME[0], false);
        who.hear("melhor às 15h", "melhor às 15h", "Posso marcar?", false);
        assert_eq!(who.own_name.as_deref(), Some("Pedro"));
        who.hear("aqui é a Ana Lima, melhor sábado", "aqui é a Ana Lima, melhor sábado", "Posso marcar?", false);
        assert_eq!(who.own_name.as_deref(), Some("Ana Lima"));
        assert_eq!(answered_name("como assim"), None);
    }
}
