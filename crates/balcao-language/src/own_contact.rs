//! Whether writers give an e-mail address, a telephone number or a street as their own, by the build of their words.
//!
//! "Meu email é …", "moro na …", "anota aí: …", "é …" and the bare value give it; so does the value in answer to our question. What was
//! received, seen or passed by is only spoken of: "recebi um email de …", "passei na rua …".

use crate::{
    agreement::{Asked, LEADS},
    normalize::{Token, TokenKind, normalize, phrase_at, text_at, tokens},
    own_name::own_names,
    statements::{PLACES, statements},
    wishes::{COURTESY, Wish, wish_for},
};

/// Nouns for what reaches a person.
const NOUNS: &[&str] = &[
    "email",
    "e - mail",
    "mail",
    "endereco",
    "rua",
    "casa",
    "ap",
    "apartamento",
    "apto",
    "numero",
    "telefone",
    "fone",
    "tel",
    "celular",
    "cel",
    "whatsapp",
    "whats",
    "zap",
    "contato",
    "cep",
    "address",
    "home",
    "house",
    "place",
    "phone",
    "number",
    "contact",
];

/// Nouns for streets, which tell an address from other words with a number.
const STREETS: &[&str] = &[
    "rua", "r .", "av", "avenida", "travessa", "tv", "alameda", "al .", "praca", "estrada", "rodovia", "largo",
    "viela", "street", "avenue", "road", "lane",
];

/// Verbs of the first person that say where one lives.
const LIVING: &[&str] =
    &["moro", "moramos", "morando", "vivo", "resido", "me mudei", "mudei", "live", "living", "moved"];

/// Orders and permissions to note something.
const NOTING: &[&str] = &[
    "anota",
    "anote",
    "anotar",
    "salva",
    "salve",
    "salvar",
    "cadastra",
    "cadastre",
    "cadastrar",
    "registra",
    "registre",
    "registrar",
    "poe",
    "bota",
    "coloca",
    "coloque",
    "colocar",
    "usa",
    "use",
    "usar",
    "segue",
    "atualiza",
    "atualize",
    "atualizar",
    "muda",
    "mude",
    "mudar",
    "troca",
    "troque",
    "trocar",
    "corrige",
    "corrija",
    "note",
    "save",
    "add",
    "update",
    "write",
];

/// Verbs of sending, which reach the writer behind "me".
const SENDING: &[&str] = &[
    "manda", "mande", "mandar", "envia", "envie", "enviar", "escreve", "contata", "acha", "chama", "send", "reach",
    "email", "text", "call",
];

/// What says what something is.
const COPULAS: &[&str] = &["e", "eh", "fica", "seria", "sera", "agora e", "is", "it ' s", "its", "that ' s", ":", "="];

/// What may stand between a possessive or an article, its noun, and the value.
const BETWEEN: &[&str] = &[
    "o",
    "a",
    "os",
    "as",
    "no",
    "na",
    "de",
    "do",
    "da",
    "em",
    "pra",
    "para",
    "novo",
    "nova",
    "pessoal",
    "principal",
    "certo",
    "certa",
    "correto",
    "atual",
    "mesmo",
    "completo",
    "fixo",
    "aqui",
    "agora",
    "sempre",
    "so",
    "ai",
    "the",
    "new",
    "current",
    "at",
    "on",
    "to",
    ".",
    "-",
    "(",
    "<",
    "\"",
];

/// Possessives of the writer.
const OWN: &[&str] = &["meu", "minha", "nosso", "nossa", "my", "our"];

/// What chooses the value that answers our question.
const CHOOSING: &[&str] = &["ser", "seria", "acho que", "uso", "tenho", "prefiro", "use", "i use", "i have"];

/// Whether a value is an e-mail address, a telephone number or a street with its number, and says nothing else of it. "Recebeu um
/// e-mail de …" is a note, and no address of anybody's.
#[must_use]
pub fn is_contact(value: &str) -> bool {
    let all = tokens(value);
    let is_street = has_number(&all) && (0..all.len()).any(|index| phrase_at(&all, index, STREETS).is_some());
    let digits: usize = all.iter().filter(|token| token.kind == TokenKind::Number).map(|token| token.text.len()).sum();
    let words = value.split_whitespace().filter(|word| !word.contains('@')).count();
    let is_number = digits >= 8 && !all.iter().any(|token| token.kind == TokenKind::Word);
    let is_own = (0..all.len()).any(|index| {
        [LIVING, OWN].iter().any(|words| phrase_at(&all, index, words).is_some())
            || ["mora", "reside", "lives"].contains(&text_at(&all, index))
    });
    value.contains('@') && words == 0 || is_number || is_street && (is_own || begins_with_place(&all))
}

fn has_number(all: &[Token]) -> bool {
    all.iter().any(|token| token.kind == TokenKind::Number)
}

fn begins_with_place(all: &[Token]) -> bool {
    let skipped = usize::from(["na", "no", "a", "o", "the"].contains(&text_at(all, 0)));
    phrase_at(all, skipped, STREETS).is_some() || all.first().is_some_and(|token| token.kind == TokenKind::Number)
}

/// Whether a message gives the value as its writer's own. `asked`: it answers our question for such a value.
#[must_use]
pub fn gives_contact(text: &str, value: &str, asked: bool) -> bool {
    let clauses = statements(text);
    let wanted = wanted_words(value);
    let address = normalize(value);
    let (mut opened, mut is_given) = (true, false);
    for clause in &clauses {
        let all = tokens(clause.text);
        let place = value_in(&all, &wanted);
        // A clause that leads to the value opens for it what stands behind its comma or colon.
        let leads = !clause.goes_on || opened;
        if let Some((from, to)) = place {
            let mine = !(clause.denies || clause.open) && clause.others.is_empty();
            let gives_it = gives(&all, from, to) || leads && is_bare(&all, from, to) || asked && answers(&all, from);
            is_given |= mine && gives_it;
        }
        // A later address of the writer's corrects an earlier one: "é ana@exemplo.com, quer dizer bia@exemplo.com".
        let has_another =
            value.contains('@') && clause.text.contains('@') && !normalize(clause.text).contains(&address);
        if has_another && clause.others.is_empty() {
            is_given = false;
        }
        opened = leads
            && (place.is_some() && is_bare(&all, 0, all.len())
                || !own_names(clause.text, false).is_empty()
                || is_bare(&all, 0, 0)
                || wish_for(clause.text, Asked::Booking, &[]) != Wish::Absent)
            || gives(&all, all.len(), all.len())
            || has_lead(&all);
    }
    is_given
}

/// Whether a text of ours asks for what reaches the person that it speaks to.
#[must_use]
pub fn asks_own_contact(text: &str) -> bool {
    statements(text).iter().any(|one| {
        let all = tokens(one.text);
        let lives = |index: usize| phrase_at(&all, index, &["mora", "voce fica", "do you live", "reach you"]).is_some();
        one.others.is_empty() && (0..all.len()).any(|index| phrase_at(&all, index, NOUNS).is_some() || lives(index))
    })
}

fn wanted_words(value: &str) -> Vec<String> {
    let small = ["de", "da", "do", "na", "no", "em", "a", "o", "e"];
    let words = tokens(value).into_iter().filter(|token| token.kind != TokenKind::Mark);
    words.map(|token| token.text).filter(|word| !small.contains(&word.as_str())).collect()
}

/// The first and the last place of the value's words in a clause: the run around a number or an "@" of it.
fn value_in(all: &[Token], wanted: &[String]) -> Option<(usize, usize)> {
    let is_of = |index: usize| {
        let word = text_at(all, index);
        let is_short = word.len() <= 2 && !word.is_empty() && !COPULAS.contains(&word) && !BETWEEN.contains(&word);
        wanted.iter().any(|one| one == word || is_short && one.len() > 2 && one.starts_with(word))
    };
    let tells = |index: &usize| {
        let word = text_at(all, *index);
        let beside = |index: usize| text_at(all, index) == "@";
        let of_address = beside(index.saturating_add(1)) || index.checked_sub(1).is_some_and(beside);
        is_of(*index) && (word.len() > 3 || of_address || word.chars().all(|c| c.is_ascii_digit()))
    };
    let first = (0..all.len()).find(tells)?;
    let last = (0..all.len()).rev().find(tells)?;
    // "R. Augusta": what is shortened before it belongs to it.
    // The same of "ana" and "com" around "@exemplo".
    let begins = (0..first).rev().take(3).rfind(|index| is_of(*index)).unwrap_or(first);
    let behind = last.saturating_add(1);
    let ends = (behind..all.len()).take(4).rfind(|index| is_of(*index)).map_or(behind, |last| last.saturating_add(1));
    Some((begins, ends))
}

/// Whether the words before a value, or behind it, give it as the writer's.
fn gives(all: &[Token], from: usize, to: usize) -> bool {
    let between = |index: usize| [BETWEEN, COPULAS, NOUNS, PLACES].iter().find_map(|list| phrase_at(all, index, list));
    let reaches = |mut at: usize| {
        while at < from {
            let Some(len) = between(at) else { return false };
            at = at.saturating_add(len);
        }
        true
    };
    let start = (0..from).find(|index| phrase_at(all, *index, COURTESY).is_none()).unwrap_or(from);
    let own = (0..from).any(|index| {
        let noun = (1..=2).any(|more| phrase_at(all, index.saturating_add(more), NOUNS).is_some());
        OWN.contains(&text_at(all, index)) && noun && reaches(index.saturating_add(1))
    });
    let lives = (0..from).any(|index| phrase_at(all, index, LIVING).is_some());
    // "O email do trabalho é …", "é …", "endereço: …".
    let is_told = from > start && reaches(start) && (start..from).any(|index| phrase_at(all, index, COPULAS).is_some());
    // "Ana@… é meu email".
    let behind = phrase_at(all, to, COPULAS).is_some_and(|len| {
        let next = to.saturating_add(len);
        let next = next.saturating_add(usize::from(["o", "a"].contains(&text_at(all, next))));
        OWN.contains(&text_at(all, next))
    });
    own || lives || is_told || behind || orders(all, start, from)
}

/// Whether a clause orders to note what follows: "anota aí", "pode usar o", "me manda no".
fn orders(all: &[Token], start: usize, from: usize) -> bool {
    let verb_at = |index: usize, verbs: &[&str]| index < from && verbs.contains(&text_at(all, index));
    let led = |index: usize| phrase_at(all, index, LEADS).map(|len| index.saturating_add(len));
    let me = (0..from).any(|index| {
        let next = index.saturating_add(1);
        text_at(all, index) == "me" && verb_at(next, SENDING) || verb_at(index, SENDING) && text_at(all, next) == "me"
    });
    verb_at(start, NOTING) || (0..from).any(|index| led(index).is_some_and(|next| verb_at(next, NOTING))) || me
}

/// Whether a clause without the value leads to it: "anota aí", or the noun alone, as a form has it.
fn has_lead(all: &[Token]) -> bool {
    let start = (0..all.len()).find(|index| phrase_at(all, *index, COURTESY).is_none()).unwrap_or(all.len());
    let labels = phrase_at(all, start, NOUNS).is_some_and(|len| start.saturating_add(len) == all.len());
    labels || orders(all, start, all.len())
}

/// Whether nothing but courtesy and small words stands around a value.
fn is_bare(all: &[Token], from: usize, to: usize) -> bool {
    let is_small = |index: usize| {
        all.get(index).is_some_and(|token| token.kind == TokenKind::Mark)
            || [BETWEEN, COPULAS, COURTESY].iter().any(|list| phrase_at(all, index, list).is_some())
            || ["obrigado", "obrigada", "valeu", "thanks"].contains(&text_at(all, index))
    };
    (0..from).chain(to..all.len()).all(is_small)
}

/// Whether a clause begins with the value, but for words that only choose it: "pode ser o …", "uso o …".
fn answers(all: &[Token], from: usize) -> bool {
    let mut at = 0;
    while at < from {
        let lists = [LEADS, CHOOSING, BETWEEN, COPULAS, COURTESY];
        let Some(len) = lists.iter().find_map(|list| phrase_at(all, at, list)) else { return false };
        at = at.saturating_add(len);
    }
    true
}

#[cfg(test)]
#[path = "own_contact_tests.rs"]
mod tests;
