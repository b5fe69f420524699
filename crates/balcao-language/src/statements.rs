//! What a message states, clause by clause: whether the clause denies, and whether it is about another person.
//!
//! "Não me chamo Ana" gives nobody the name Ana, and "minha filha é a Bia, mora na rua Augusta" tells neither a name nor an address
//! of the customer. A clause ends at a mark, at "mas", and at an "e" before words of the first person. What is about another person
//! stays so through the sentence, until words of the first person follow.

use crate::{
    fold::{Token, TokenKind, at, phrase_at, tokens},
    people::is_relative,
    tongue::english,
    wishes::NEGATIONS,
};

/// One clause of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// As it was written.
    pub text: &'a str,
    /// It has a negation.
    pub denies: bool,
    /// The words, folded, by which it is about another person: "filha", "dele". Empty: it is about whoever wrote it.
    pub others: Vec<String>,
}

/// Words of the third person.
const THIRD_PERSON: &[&str] = &[
    "ele", "ela", "eles", "elas", "dele", "dela", "deles", "delas", "se chama", "chama se", "he", "she", "they", "his",
    "her", "their", "him", "them", "'s name", "' s name",
];

/// Words of the first person.
const FIRST_PERSON: &[&str] = &[
    "eu", "me", "meu", "minha", "meus", "minhas", "sou", "moro", "tenho", "prefiro", "gosto", "i", "my", "mine",
    "i ' m",
];

/// The clauses of a message, in its order.
#[must_use]
pub fn statements(text: &str) -> Vec<Statement<'_>> {
    let all = tokens(text);
    let in_english = english(text) == Some(true);
    let mut found: Vec<Statement<'_>> = Vec::new();
    let mut begins = 0;
    let mut carried: Vec<String> = Vec::new();
    for index in 0..=all.len() {
        let Some(end) = end_at(&all, index, text) else { continue };
        let clause = all.get(begins..index).unwrap_or_default();
        if let (Some(first), Some(last)) = (clause.first(), clause.last()) {
            let mut others = others_in(clause);
            if others.is_empty() && !has(clause, FIRST_PERSON) {
                others = carried;
            }
            carried = others.clone();
            let text = text.get(first.start..last.end).unwrap_or_default();
            found.push(Statement { text, denies: denies(clause, in_english), others });
        }
        if end == End::Sentence {
            carried = Vec::new();
        }
        // An "e" before the first person belongs to what follows, and says nothing.
        begins = if end == End::Joined { index } else { index.saturating_add(1) };
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Clause,
    Sentence,
    Joined,
}

/// How a clause ends before the token at `index`, if one does.
fn end_at(all: &[Token], index: usize, text: &str) -> Option<End> {
    let Some(token) = all.get(index) else { return Some(End::Sentence) };
    // "ana.prado@exemplo.com.br" and "R$ 1.200" are one word each.
    let apart = text.get(token.end..).is_none_or(|rest| rest.chars().next().is_none_or(char::is_whitespace));
    let first_person = |from: usize| {
        let own = phrase_at(all, from, FIRST_PERSON).is_some();
        own && !is_relative(at(all, from.saturating_add(1)))
    };
    match (token.kind, token.text.as_str()) {
        (TokenKind::Mark, "\n") => Some(End::Sentence),
        (TokenKind::Mark, "." | "!" | "?") if apart => Some(End::Sentence),
        (TokenKind::Mark, "," | ";" | ":" | "(" | ")") if apart => Some(End::Clause),
        (TokenKind::Word, "mas" | "but") => Some(End::Clause),
        (TokenKind::Word, "e" | "and") if first_person(index.saturating_add(1)) => Some(End::Joined),
        _ => None,
    }
}

fn others_in(clause: &[Token]) -> Vec<String> {
    let of_other = |index: &usize| is_relative(at(clause, *index)) || phrase_at(clause, *index, THIRD_PERSON).is_some();
    (0..clause.len()).filter(of_other).map(|index| at(clause, index).to_owned()).collect()
}

fn denies(clause: &[Token], in_english: bool) -> bool {
    (0..clause.len()).any(|index| {
        let in_the = !in_english && at(clause, index) == "no";
        phrase_at(clause, index, NEGATIONS).is_some() && !in_the
    })
}

fn has(clause: &[Token], phrases: &[&str]) -> bool {
    (0..clause.len()).any(|index| phrase_at(clause, index, phrases).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By clause: its text, whether it denies, whether it is about another.
    fn read(text: &str) -> Vec<(&str, bool, bool)> {
        statements(text).iter().map(|one| (one.text, one.denies, !one.others.is_empty())).collect()
    }

    #[test]
    fn clauses_end_at_marks_and_before_the_first_person() {
        let said = "oi, sou a Ana, moro na rua Augusta 1200, meu email é ana.prado@exemplo.com.br";
        let clauses = ["oi", "sou a Ana", "moro na rua Augusta 1200", "meu email é ana.prado@exemplo.com.br"];
        assert_eq!(read(said), clauses.map(|clause| (clause, false, false)));
        assert_eq!(
            read("meu marido se chama Pedro e eu me chamo Ana"),
            [("meu marido se chama Pedro", false, true), ("e eu me chamo Ana", false, false)]
        );
    }

    #[test]
    fn what_is_about_another_stays_so_until_the_first_person() {
        assert_eq!(
            read("minha filha é a Bia, mora na rua Augusta. eu moro em Santos"),
            [
                ("minha filha é a Bia", false, true),
                ("mora na rua Augusta", false, true),
                ("eu moro em Santos", false, false)
            ]
        );
        assert_eq!(read("o email dela é bia@exemplo.com"), [("o email dela é bia@exemplo.com", false, true)]);
    }

    #[test]
    fn a_denial_reaches_as_far_as_its_clause() {
        assert_eq!(
            read("não me chamo Ana, me chamo Bia"),
            [("não me chamo Ana", true, false), ("me chamo Bia", false, false)]
        );
        assert_eq!(read("marca no sábado"), [("marca no sábado", false, false)]);
    }

    #[test]
    fn a_text_without_words_states_nothing() {
        assert_eq!(read(""), []);
        assert_eq!(read(" , . "), []);
    }
}
