//! Finds the names that writers give themselves, by the grammar of the sentence: "sou a Ana", "me chamo …", "aqui é o …",
//! "Ana Prado falando", and a bare name as the answer to our question for it.
//!
//! A name in any other place belongs to another person: "o Pedro mandou um abraço", "o Wesley corta bem", "sou irmã da Carla". A sentence
//! may continue after the name ("sou a Ana tudo bem"), so any beginning of the rest counts as the name. A bare answer without a mark at
//! its end counts as a whole, or by its beginning if it is all in capitals.

mod person;
#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

use person::{Clause, Leads, is_common, is_reported};

use crate::{
    normalize::{Token, TokenKind, phrase_at, text_at, tokens},
    people::is_relative,
    statements::statements,
};

/// Words that begin with a name of the writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnName {
    /// The words, folded.
    words: Vec<String>,
    /// What of them may be the name.
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Any beginning.
    Beginning,
    /// A beginning, and not all: all of them are a question ("aqui é o Pedro?").
    LessThanAll,
    /// All of them.
    All,
}

impl OwnName {
    /// How many of these folded words, from the first on, are a name that this gives.
    fn given(&self, name: &[String]) -> usize {
        let same = self.words.iter().zip(name).take_while(|(ours, theirs)| ours == theirs).count();
        match self.part {
            Part::Beginning => same,
            Part::LessThanAll => same.min(self.words.len().saturating_sub(1)),
            Part::All if same == self.words.len() => same,
            Part::All => 0,
        }
    }
}

/// Whether these names give the folded words of a name: one of them, or several one behind the other ("sou a Ana", "meu sobrenome é
/// Prado").
#[must_use]
pub fn are_given(name: &[String], by: &[OwnName]) -> bool {
    let mut reached = vec![false; name.len().saturating_add(1)];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for from in 0..name.len() {
        let left = name.get(from..).unwrap_or_default();
        if left.is_empty() || reached.get(from) != Some(&true) {
            continue;
        }
        for one in by {
            let most = one.given(left);
            let least = if one.part == Part::All { most } else { 1 };
            for to in least..=most {
                if let Some(to) = reached.get_mut(from.saturating_add(to)).filter(|_| to > 0) {
                    *to = true;
                }
            }
        }
    }
    !name.is_empty() && reached.last() == Some(&true)
}

/// Builds of the first person that a name follows, with what else may; an article may stand between.
const NAMING: &[(Leads, &[&str])] = &[
    (Leads::Anything, &["sou", "i am", "i ' m", "im"]),
    (Leads::Calls, &["me chama", "me chame", "call me"]),
    (
        Leads::Names,
        &[
            "me chamo",
            "chamo - me",
            "me chama de",
            "me chame de",
            "me chamam de",
            "me chamar de",
            "my name is",
            "my name ' s",
        ],
    ),
];

/// Builds of the third person, which ask as well: "aqui é o Pedro?".
const PRESENTING: &[&str] = &[
    "aqui e",
    "aqui eh",
    "aqui fala",
    "quem fala e",
    "quem fala eh",
    "quem ta falando e",
    "quem esta falando e",
    "this is",
];

/// What has a name of the writer's.
const MY_NAME: &[&str] = &[
    "meu nome",
    "meu sobrenome",
    "meu apelido",
    "nome completo",
    "my name",
    "my full name",
    "my surname",
    "my last name",
    "my nickname",
];

/// What may stand between "meu nome" and the name.
const BETWEEN: &[&str] = &[
    "completo",
    "verdadeiro",
    "correto",
    "certo",
    "todo",
    "inteiro",
    "mesmo",
    "novo",
    "social",
    "de verdade",
    "de casada",
    "de solteira",
    "de batismo",
    "agora",
    "now",
    "na verdade",
    "e",
    "eh",
    "fica",
    "ficou",
    "virou",
    "pra",
    "para",
    "pro",
    "como",
    "por",
    "is",
    "to",
    ":",
    "=",
];

/// What closes a clause that begins with the writer's name.
const CLOSING: &[&str] =
    &["aqui", "falando", "here", "speaking", "e meu nome", "e o meu nome", "eh meu nome", "is my name"];

/// What may stand before a name, or around a bare one.
const AROUND: &[&str] = &[
    "o", "a", "e", "eh", "oi", "ola", "opa", "bom", "boa", "dia", "tarde", "noite", "claro", "sim", "isso", "pode",
    "anota", "anote", "anotar", "ai", "obrigado", "obrigada", "obg", "por", "favor", "pf", "pfv", "prazer", "mesmo",
    "so", "ok", "ta", "nome", "name", "it", "s", "sure", "yes", "please", "thanks", "hi", "hello", "the",
];

const ARTICLES: &[&str] = &["o", "a", "the"];
const NOT: &[&str] = &["nao", "n", "nem", "nunca", "not", "never"];

/// Longest name that is looked for, in words.
const LONGEST: usize = 10;

/// What a message names its writer. `asked`: it answers a question for their name, so that a bare one is theirs. What another person
/// says, and what stands in quotation marks, names that person.
#[must_use]
pub fn own_names(text: &str, asked: bool) -> Vec<OwnName> {
    let mut found = Vec::new();
    let mut spoken_of = asked;
    let has_small = text.chars().any(char::is_lowercase);
    // Another person speaks until the sentence ends; a quotation ends at its mark.
    let (mut is_of_other, mut is_quoted) = (false, false);
    for (clause, end) in clauses(text) {
        let all = tokens(clause);
        let one = Clause { text: clause, all: &all, has_small };
        let named = found.len();
        for index in 0..all.len() {
            is_quoted ^= text_at(&all, index) == "\"";
            if !(is_quoted || is_of_other || is_reported(&all, index)) {
                found.extend(name_at(&one, index, end == Some('?')));
            }
        }
        is_of_other |= is_reported(&all, all.len());
        if end != Some('?') && !is_of_other {
            found.extend(closed(&one).map(|words| OwnName { words, part: Part::All }));
        }
        if found.len() == named && spoken_of && !is_of_other {
            found.extend(bare(clause).filter(|name| name.words.first().is_some_and(|head| !is_common(head))));
        }
        // "Meu nome tá errado, é Thayane" gives the name in its next clause.
        let speaks = (0..all.len()).any(|index| phrase_at(&all, index, MY_NAME).is_some() || is_naming(&all, index));
        spoken_of = asked || speaks && end != Some('?');
        is_of_other &= matches!(end, Some(',' | ';' | '(' | ')'));
    }
    found.retain(|one| !one.words.is_empty());
    found
}

/// Whether a text of ours asks for the name of the person that it speaks to, and of no other.
#[must_use]
pub fn asks_own_name(text: &str) -> bool {
    const NAMED: &[&str] = &["nome", "sobrenome", "name", "surname"];
    const ADDRESSED: &[&str] = &[
        "voce se chama",
        "vc se chama",
        "te chamar",
        "lhe chamar",
        "chamar voce",
        "chamo voce",
        "com quem eu falo",
        "com quem falo",
        "com quem estou falando",
        "com quem eu estou falando",
        "com quem tenho",
        "quem fala",
        "quem e voce",
        "who am i",
        "call you",
    ];
    statements(text).iter().any(|one| {
        let all = tokens(one.text);
        let named = one.others.is_empty() && all.iter().any(|token| NAMED.contains(&token.text.as_str()));
        named || (0..all.len()).any(|index| phrase_at(&all, index, ADDRESSED).is_some())
    })
}

/// The clauses of a text, and the mark that ends each.
fn clauses(text: &str) -> Vec<(&str, Option<char>)> {
    let mut found = Vec::new();
    let mut begins = 0;
    for (index, mark) in text.char_indices() {
        let behind = index.saturating_add(mark.len_utf8());
        let apart = text.get(behind..).is_none_or(|rest| rest.chars().next().is_none_or(char::is_whitespace));
        let ends = mark == '\n' || matches!(mark, ',' | ';' | '!' | '?' | '(' | ')') || mark == '.' && apart;
        if ends {
            found.push((text.get(begins..index).unwrap_or_default(), Some(mark)));
            begins = behind;
        }
    }
    found.push((text.get(begins..).unwrap_or_default(), None));
    found.retain(|(clause, _)| !clause.trim().is_empty());
    found
}

fn is_naming(all: &[Token], index: usize) -> bool {
    naming_at(all, index).is_some_and(|(_, leads)| leads == Leads::Names) && !is_denied(all, index)
}

/// The longest build of naming at `index`, and what it leads to.
fn naming_at(all: &[Token], index: usize) -> Option<(usize, Leads)> {
    let found = NAMING.iter().filter_map(|(leads, builds)| Some((phrase_at(all, index, builds)?, *leads)));
    found.max_by_key(|(len, _)| *len)
}

/// Whether the word before a build denies it: "não sou a Ana", "não me chamo Bia".
fn is_denied(all: &[Token], index: usize) -> bool {
    let before = |back: usize| index.checked_sub(back).map_or("", |at| text_at(all, at));
    NOT.contains(&before(1)) || ["eu", "i"].contains(&before(1)) && NOT.contains(&before(2))
}

/// The name behind a build that begins at `index`.
fn name_at(clause: &Clause<'_>, index: usize, is_question: bool) -> Option<OwnName> {
    let all = clause.all;
    if is_denied(all, index) {
        return None;
    }
    let named = |from: usize, leads: Leads, part: Part| {
        let head = behind_articles(all, from);
        clause.is_name_at(head, head > from, leads).then(|| OwnName { words: run(all, head), part })
    };
    if let Some((len, leads)) = naming_at(all, index) {
        return named(index.saturating_add(len), leads, Part::Beginning);
    }
    if let Some(len) = phrase_at(all, index, MY_NAME) {
        let behind = index.saturating_add(len);
        let mut at = behind;
        while let Some(len) = phrase_at(all, at, BETWEEN) {
            at = at.saturating_add(len);
        }
        // "Marca no meu nome sexta" gives none.
        let leads = if at > behind { Leads::Names } else { Leads::Calls };
        return named(at, leads, Part::Beginning);
    }
    // "Nome: Ana Prado", as a form has it.
    if index == 0 && text_at(all, 0) == "nome" && text_at(all, 1) == ":" {
        return named(2, Leads::Names, Part::Beginning);
    }
    let len = phrase_at(all, index, PRESENTING)?;
    let part = if is_question { Part::LessThanAll } else { Part::Beginning };
    named(index.saturating_add(len), Leads::Anything, part)
}

/// The first place from `from` on without an article.
fn behind_articles(all: &[Token], from: usize) -> usize {
    (from..all.len()).find(|index| !ARTICLES.contains(&text_at(all, *index))).unwrap_or(all.len())
}

/// The words from `from` on: up to a number or a mark that joins no words.
fn run(all: &[Token], from: usize) -> Vec<String> {
    let mut words = Vec::new();
    for token in all.iter().skip(from) {
        match token.kind {
            // "Sou a Ana, mãe do Theo" without its mark.
            TokenKind::Word if !words.is_empty() && is_relative(&token.text) => break,
            TokenKind::Word => words.push(token.text.clone()),
            TokenKind::Mark if token.glued && matches!(token.text.as_str(), "'" | "’" | "-") => {}
            TokenKind::Mark | TokenKind::Number => break,
        }
        if words.len() >= LONGEST {
            break;
        }
    }
    words
}

/// The name that begins a clause which ends by saying whose it is: "Ana Prado falando", "Thayane é meu nome".
fn closed(clause: &Clause<'_>) -> Option<Vec<String>> {
    let all = clause.all;
    let end = (1..all.len())
        .find(|index| phrase_at(all, *index, CLOSING).is_some_and(|len| index.saturating_add(len) == all.len()))?;
    let inside = all.get(..end)?;
    let begins = inside.iter().position(|token| !AROUND.contains(&token.text.as_str()))?;
    let leads = if phrase_at(all, end, &["aqui", "falando", "here", "speaking"]).is_some() {
        Leads::Anything
    } else {
        Leads::Names
    };
    let has_article = begins.checked_sub(1).is_some_and(|before| ARTICLES.contains(&text_at(all, before)));
    clause.is_name_at(begins, has_article, leads).then(|| run(inside, begins))
}

/// A clause that is a name and nothing else, but for courtesy, an address of e-mail or a number.
fn bare(clause: &str) -> Option<OwnName> {
    let written = clause.split_whitespace().filter(|word| !word.contains(|c: char| c == '@' || c.is_ascii_digit()));
    let written: Vec<&str> = written.collect();
    let folded =
        |word: &&&str| tokens(word).into_iter().filter(|token| token.kind == TokenKind::Word).collect::<Vec<_>>();
    let is_around = |word: &&&str| folded(word).iter().all(|token| AROUND.contains(&token.text.as_str()));
    let first = written.iter().position(|word| !is_around(&word))?;
    let last = written.iter().rposition(|word| !is_around(&word))?;
    let inside = written.get(first..=last)?;
    let particle = |word: &str| ["da", "de", "do", "das", "dos"].contains(&word);
    let capital = |word: &&&str| word.chars().next().is_some_and(char::is_uppercase) || particle(word);
    let part = if inside.iter().all(|word| capital(&word)) { Part::Beginning } else { Part::All };
    let words = inside.iter().flat_map(|word| folded(&word)).map(|token| token.text).collect();
    Some(OwnName { words, part })
}

#[cfg(test)]
#[path = "own_name_tests.rs"]
mod tests;
