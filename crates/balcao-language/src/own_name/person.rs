//! Whether the words behind a build such as "sou" are a person's name, and whether another person says them.
//!
//! "Sou" leads to anything: a trait ("sou alérgico"), a role ("sou o dono"), a relation ("sou o marido da Ana"), a club ("sou
//! Flamengo"). Behind it a name is a given name that is known as one, or a word with a capital that has an article or a surname beside it
//! and belongs to no other class of words. "Me chamo" and "meu nome é" lead to names alone, so any word behind them counts unless it belongs to a
//! closed class.

use super::words::{NOT_NAMES, ROLE_ENDINGS, SPEECH, SPEECH_OF_ANYBODY};
use crate::{
    dates::weekday_named,
    first_names::is_first_name,
    normalize::{Token, TokenKind, before, phrase_at, text_at},
    people::{THIRD_PERSON, is_relative},
};

/// What a build may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    /// Anything that one is: "sou".
    Anything,
    /// A name, or when and how to call: "me chama".
    Calls,
    /// A name and nothing else: "me chamo".
    Names,
}

/// The tokens of a clause, and how they were written.
#[derive(Clone, Copy)]
pub(super) struct Clause<'a> {
    pub(super) text: &'a str,
    pub(super) all: &'a [Token],
    /// The message has small letters, so that a capital tells something.
    pub(super) has_small: bool,
}

impl Clause<'_> {
    fn is_capital(&self, index: usize) -> bool {
        let Some(token) = self.all.get(index).filter(|token| token.kind == TokenKind::Word) else { return false };
        let written = self.text.get(token.start..token.end).unwrap_or_default();
        self.has_small && written.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether a name begins at `index`, behind a build that leads there.
    pub(super) fn is_name_at(&self, index: usize, has_article: bool, leads: Leads) -> bool {
        let head = text_at(self.all, index);
        let is_word = self.all.get(index).is_some_and(|token| token.kind == TokenKind::Word);
        // "Me chama o Pedro" calls for another person.
        let is_called_for = leads == Leads::Calls && has_article;
        if !is_word || is_common(head) || self.owns(index) || is_called_for {
            return false;
        }
        if is_first_name(head) || leads == Leads::Names {
            return true;
        }
        let named = self.is_capital(index) && !is_role(head);
        match (leads, has_article) {
            (Leads::Calls, _) => named,
            (_, true) => named && self.complement_fits(index),
            (_, false) => {
                named
                    && self.is_capital(index.saturating_add(1))
                    && !is_common(text_at(self.all, index.saturating_add(1)))
            }
        }
    }

    /// "Ana's sister" is another person than Ana.
    fn owns(&self, index: usize) -> bool {
        let at = |more: usize| text_at(self.all, index.saturating_add(more));
        at(1) == "'" && at(2) == "s" && !at(3).is_empty()
    }

    /// "Thayane da Silva" is a name, and "o Primeiro da fila" a role.
    fn complement_fits(&self, index: usize) -> bool {
        let of = ["de", "da", "do", "das", "dos"].contains(&text_at(self.all, index.saturating_add(1)));
        !of || self.is_capital(index.saturating_add(2))
    }
}

/// Whether a word is of a class that no name is of.
pub(super) fn is_common(word: &str) -> bool {
    is_relative(word) || NOT_NAMES.contains(&word) || weekday_named(word).is_some()
}

/// Whether a word ends as words for a job do: "barbeiro", "dentista".
fn is_role(word: &str) -> bool {
    word.len() > 5 && ROLE_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Whether another person says what stands behind `until`: "ele me disse: meu nome é Pedro". "Disse" is of the first person, too, so
/// that it needs a subject; "falou" needs none.
pub(super) fn is_reported(all: &[Token], until: usize) -> bool {
    let ours = |index: usize| {
        (1..=3).any(|back| ["eu", "i", "voce", "vc", "vcs", "voces"].contains(&before(all, index, back)))
    };
    let other = |index: usize| (0..index).any(|index| is_person(all, index));
    let spoken = (0..until).any(|index| {
        let verb = text_at(all, index);
        !ours(index) && (SPEECH.contains(&verb) || SPEECH_OF_ANYBODY.contains(&verb) && other(index))
    });
    // "Pedro: meu nome é Pedro", as a copied chat has it.
    let speaker = (1..until).any(|index| text_at(all, index) == ":" && is_person(all, index.saturating_sub(1)));
    spoken || speaker
}

fn is_person(all: &[Token], index: usize) -> bool {
    let word = text_at(all, index);
    let noun = ["o", "a", "um", "uma", "the"].contains(&before(all, index, 1)) && !word.is_empty() && index == 1;
    noun || is_relative(word) || is_first_name(word) || phrase_at(all, index, THIRD_PERSON).is_some()
}
