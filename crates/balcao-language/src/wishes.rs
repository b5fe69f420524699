//! Whether a message asks for a deed, judged by its build and not by its topic.
//!
//! A request is a verb of the deed that speaks to us: an imperative or bare infinitive that begins a clause ("marca sexta"),
//! or one behind a permission or a wish ("pode marcar", "quero cancelar", "I want to book"). It stands only if nothing in the
//! message leaves it open: a negation, a condition that is not ours to check, a doubt, a "but", a question, words that
//! somebody else said, or a verb that supposes ("se eu quisesse", "daria"). What is left open names the deed and asks for
//! nothing: whoever would carry it out asks first.
//!
//! The lists are closed classes of the languages (negations, conjunctions, question words, modal verbs) and the verbs of the
//! deeds; names, days and services are nobody's business here.

#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

use words::{
    ADVERSATIVES, AVAILABLE, CONDITIONS, COURTESY, DOUBTS, MOVED, NEGATIONS, OBJECTS_OF_REMINDERS, OBJECTS_OF_WAITING,
    OFFERED_WAITING, OTHERS, QUESTIONS, REPORTS, STEMS, SUPPOSED, WISHES,
};

use crate::{
    agreement::{Asked, LEADS, kind_of},
    fold::{Token, TokenKind, at, before, phrase_at, tokens},
    tongue::english,
};

/// What a message says of a deed, the more the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// Nothing.
    Absent,
    /// It speaks of it, and leaves open whether it is wanted.
    Open,
    /// It asks for it.
    Asked,
}

/// What a message of the customer says of a deed.
#[must_use]
pub fn wish_for(text: &str, deed: Asked) -> Wish {
    let all = tokens(text);
    let clauses = clauses(&all);
    let requested = clauses.iter().any(|clause| requests(clause, deed));
    if requested && !leaves_open(text, &all, &clauses, deed) {
        return Wish::Asked;
    }
    let wishes = deed == Asked::Booking && (0..all.len()).any(|index| phrase_at(&all, index, WISHES).is_some());
    if requested || wishes || speaks_of(&all, deed) { Wish::Open } else { Wish::Absent }
}

/// True if a text of ours has a verb or noun of the deed itself: "Posso cancelar o seu horário?" is of cancelling, not of booking.
#[must_use]
pub fn mentions(text: &str, deed: Asked) -> bool {
    let all = tokens(text);
    let objects = match deed {
        Asked::Waiting => OFFERED_WAITING,
        Asked::Rescheduling => MOVED,
        Asked::Booking | Asked::Cancelling | Asked::Reminding | Asked::Other => &[],
    };
    let stems = STEMS.iter().find(|(of, _, _)| *of == deed).map_or(&[][..], |(_, stems, _)| *stems);
    (0..all.len()).any(|index| {
        let word = at(&all, index);
        // What stands in both is no word of the deed alone.
        let own = deed != Asked::Waiting && stems.iter().any(|stem| word.starts_with(stem));
        own || phrase_at(&all, index, objects).is_some()
    })
}

fn speaks_of(all: &[Token], deed: Asked) -> bool {
    let stems = STEMS.iter().find(|(of, _, _)| *of == deed);
    let Some((_, stems, phrases)) = stems else { return false };
    (0..all.len()).any(|index| {
        let word = at(all, index);
        stems.iter().any(|stem| word.starts_with(stem)) || phrase_at(all, index, phrases).is_some()
    })
}

/// The clauses of a text: what marks and joining words part.
fn clauses(all: &[Token]) -> Vec<&[Token]> {
    let parts = all.split(|token| {
        let mark = token.kind == TokenKind::Mark && ![":", "/", "-", "'"].contains(&token.text.as_str());
        mark || ["e", "mas", "and", "but", "entao"].contains(&token.text.as_str())
    });
    parts.filter(|clause| !clause.is_empty()).collect()
}

/// True if a clause asks us for the deed.
fn requests(clause: &[Token], deed: Asked) -> bool {
    let start = (0..clause.len()).find(|index| phrase_at(clause, *index, COURTESY).is_none()).unwrap_or_default();
    let begins = kind_of(at(clause, start), deed) == Some(deed);
    let thing = match deed {
        Asked::Waiting => has(clause, OBJECTS_OF_WAITING),
        Asked::Reminding => has(clause, OBJECTS_OF_REMINDERS),
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling | Asked::Other => false,
    };
    // "Avisa" and "coloca" are of many deeds: what is asked for tells them apart.
    let of_thing = matches!(deed, Asked::Waiting | Asked::Reminding);
    let led = (0..clause.len()).any(|index| leads_to(clause, index, deed));
    if of_thing { thing } else { begins || led }
}

/// "Pode marcar", "quero um horário": what leads, small words, and the verb; of a booking, also the wish for a thing.
fn leads_to(clause: &[Token], index: usize, deed: Asked) -> bool {
    let lead = phrase_at(clause, index, LEADS).or_else(|| phrase_at(clause, index, WISHES));
    let Some(mut next) = lead.map(|len| index.saturating_add(len)) else { return false };
    while phrase_at(clause, next, COURTESY).is_some() {
        next = next.saturating_add(1);
    }
    let verb = at(clause, next);
    if kind_of(verb, deed) == Some(deed) {
        return true;
    }
    let wish = phrase_at(clause, index, WISHES).is_some();
    let of_other = kind_of(verb, Asked::Other).is_some_and(|other| other != deed);
    let infinitive = verb.len() > 3 && ["ar", "er", "ir"].iter().any(|ending| verb.ends_with(ending));
    let does = ["fazer", "cortar", "pintar", "ir", "vir", "get", "have"].contains(&verb);
    deed == Asked::Booking && wish && !verb.is_empty() && !of_other && (!infinitive || does)
}

fn leaves_open(text: &str, all: &[Token], clauses: &[&[Token]], deed: Asked) -> bool {
    let portuguese = english(text) != Some(true);
    let denies = (0..all.len()).any(|index| {
        let in_the = portuguese && at(all, index) == "no";
        phrase_at(all, index, NEGATIONS).is_some() && !in_the
    });
    let open = (0..all.len()).any(|index| {
        let word = at(all, index);
        let condition = phrase_at(all, index, CONDITIONS).is_some_and(|len| !is_ours(all, index.saturating_add(len)));
        condition
            || phrase_at(all, index, DOUBTS).is_some()
            || ADVERSATIVES.contains(&word)
            || REPORTS.contains(&word)
            || SUPPOSED.contains(&word)
            || supposes(word)
    });
    // Who wants another has not agreed to this one; "ou qualquer outro" leaves it to us.
    let other = deed == Asked::Booking
        && (0..all.len()).any(|index| {
            let ours = ["qualquer", "ou", "any", "or"].contains(&before(all, index, 1));
            phrase_at(all, index, OTHERS).is_some() && !ours
        });
    let asks_back = all.iter().any(|token| token.text == "?");
    // "Me lembra uma hora antes?" is a request all the same, and nobody loses a place by it.
    let strict = !matches!(deed, Asked::Waiting | Asked::Reminding);
    let asks = clauses.iter().any(|clause| {
        let start = (0..clause.len()).find(|index| phrase_at(clause, *index, COURTESY).is_none()).unwrap_or_default();
        phrase_at(clause, start, QUESTIONS).is_some()
    });
    let led = clauses.iter().any(|clause| {
        (0..clause.len())
            .any(|index| phrase_at(clause, index, LEADS).is_some() || kind_of(at(clause, index), deed) == Some(deed))
    });
    let other_deed = clauses.iter().any(|clause| {
        let kinds = [Asked::Booking, Asked::Cancelling, Asked::Rescheduling];
        strict && kinds.iter().any(|kind| *kind != deed && leads_by_verb(clause, *kind))
    });
    denies || open || other || asks || other_deed || asks_back && (strict || !led)
}

/// True if a clause begins with a verb of the deed, or has one behind what leads to it.
fn leads_by_verb(clause: &[Token], deed: Asked) -> bool {
    let verb = |index: usize| kind_of(at(clause, index), deed) == Some(deed);
    let start = (0..clause.len()).find(|index| phrase_at(clause, *index, COURTESY).is_none()).unwrap_or_default();
    let led = |index: usize| phrase_at(clause, index, LEADS).is_some_and(|len| verb(index.saturating_add(len)));
    verb(start) || (0..clause.len()).any(led)
}

/// A condition that whoever carries the deed out checks anyway: "se tiver vaga", "if it is free".
fn is_ours(all: &[Token], from: usize) -> bool {
    (from..from.saturating_add(4)).any(|index| AVAILABLE.contains(&at(all, index)))
}

/// A verb in the imperfect subjunctive: "quisesse", "marcasse".
fn supposes(word: &str) -> bool {
    let ends = ["asse", "esse", "isse", "assem", "essem", "issem"].iter().any(|ending| word.ends_with(ending));
    ends && word.len() > 5 && !["interesse", "nesse", "desse"].contains(&word)
}

fn has(clause: &[Token], phrases: &[&str]) -> bool {
    (0..clause.len()).any(|index| phrase_at(clause, index, phrases).is_some())
}

#[cfg(test)]
#[path = "wishes_tests.rs"]
mod tests;
