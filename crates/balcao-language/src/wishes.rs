//! Whether a message asks for a deed, judged by its build and not by its topic.
//!
//! A request is a verb of the deed that speaks to us: an imperative or bare infinitive that begins a clause ("marca sexta"),
//! or one behind a permission or a wish ("pode marcar", "quero cancelar", "I want to book"). A wish for a thing asks for a
//! booking if the thing is what gets booked: a service, a person, a day or a time ("quero um corte"), not its price. A verb
//! behind an article, or before "de", is a noun ("a agenda de sexta"). A request stands only if nothing in the message leaves
//! it open: a negation, a condition that is not ours to check, a doubt, a "but", a question, words that another person said,
//! or a verb that supposes ("se eu quisesse", "daria"). What is left open names the deed and asks for nothing: the program
//! asks first.
//!
//! The lists are closed classes of the languages (negations, conjunctions, question words, modal verbs) and the verbs of the
//! deeds; services and people are the caller's.

#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

pub(crate) use words::NEGATIONS;
use words::{
    ADVERSATIVES, AVAILABLE, CONDITIONS, COPULAS, COURTESY, DAYS, DETERMINERS, DOUBTS, LIGHT_VERBS, MOVED,
    OBJECTS_OF_BOOKING, OBJECTS_OF_REMINDERS, OBJECTS_OF_WAITING, OFFERED_WAITING, OTHERS, PARTS_OF_THE_DAY, QUESTIONS,
    REPORTS, STEMS, SUPPOSED, WISHES,
};

use crate::{
    agreement::{Asked, LEADS, SMALL, kind_of},
    dates::weekday_named,
    fold::{Token, TokenKind, at, before, fold, phrase_at, tokens},
    times::find_times,
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

/// What a message of the customer says of a deed. `things`: names of what would be booked, such as its service and its
/// professional; a word counts that shares its first four letters with one of theirs, as "cortar" does with "Corte".
#[must_use]
pub fn wish_for(text: &str, deed: Asked, things: &[&str]) -> Wish {
    let all = tokens(text);
    let clauses = clauses(&all);
    let requested = match deed {
        Asked::Waiting => asks_for_thing(&clauses, deed, OBJECTS_OF_WAITING),
        Asked::Reminding => asks_for_thing(&clauses, deed, OBJECTS_OF_REMINDERS),
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling | Asked::Other => {
            let bookable = Bookable::of(text, things);
            clauses.iter().any(|clause| requests(clause, deed, &bookable))
        }
    };
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

/// Where a clause's own words begin: behind greetings and the like.
fn start_of(clause: &[Token]) -> usize {
    (0..clause.len()).find(|index| phrase_at(clause, *index, COURTESY).is_none()).unwrap_or_default()
}

/// True if a clause asks us for the deed.
fn requests(clause: &[Token], deed: Asked, bookable: &Bookable) -> bool {
    let start = start_of(clause);
    let begins = kind_of(at(clause, start), deed) == Some(deed) && !is_noun(clause, start);
    begins || (0..clause.len()).any(|index| leads_to(clause, index, deed, bookable))
}

/// "Me coloca na lista", "quero um lembrete": a verb of the deed, and its thing in the same message, or a wish for the thing.
/// "Avisa" and "coloca" are of many deeds, and who only speaks of a queue asks for no place in it.
fn asks_for_thing(clauses: &[&[Token]], deed: Asked, things: &[&str]) -> bool {
    let commanded = clauses.iter().any(|clause| {
        let verb = |index: usize| kind_of(at(clause, index), deed) == Some(deed);
        let led = |index: usize| lead_at(clause, index).is_some_and(verb);
        verb(start_of(clause)) || (0..clause.len()).any(led)
    });
    let wished = clauses.iter().any(|clause| {
        let start = start_of(clause);
        let begins = phrase_at(clause, start, things).is_some() && !is_told(clause, start);
        let wants = |index: usize| {
            phrase_at(clause, index, WISHES).is_some()
                && lead_at(clause, index).is_some_and(|next| {
                    let verb = at(clause, next);
                    let thing = LIGHT_VERBS.contains(&verb) || !is_infinitive(verb);
                    thing && (next..clause.len()).any(|index| phrase_at(clause, index, things).is_some())
                })
        };
        begins || (0..clause.len()).any(wants)
    });
    commanded && clauses.iter().any(|clause| has(clause, things)) || wished
}

/// Where what follows a permission or a wish begins, if one stands at `index`.
fn lead_at(clause: &[Token], index: usize) -> Option<usize> {
    let lead = phrase_at(clause, index, LEADS).or_else(|| phrase_at(clause, index, WISHES));
    let mut next = index.saturating_add(lead?);
    while phrase_at(clause, next, COURTESY).is_some() {
        next = next.saturating_add(1);
    }
    Some(next)
}

/// "Pode marcar", "quero um horário": what leads, small words, and the verb; of a booking, also the wish for what is booked.
fn leads_to(clause: &[Token], index: usize, deed: Asked, bookable: &Bookable) -> bool {
    let Some(next) = lead_at(clause, index) else { return false };
    if kind_of(at(clause, next), deed) == Some(deed) && !is_noun(clause, next) {
        return true;
    }
    deed == Asked::Booking && phrase_at(clause, index, WISHES).is_some() && bookable.follows(clause, next)
}

/// What a message can wish for by its name where it wants to book.
struct Bookable {
    /// How the words of the names begin.
    stems: Vec<String>,
    /// Places of the times of the message.
    times: Vec<(usize, usize)>,
}

/// Two words are of one stem if so many letters agree, or all of the shorter.
const STEM: usize = 4;

impl Bookable {
    fn of(text: &str, things: &[&str]) -> Self {
        let words = things.iter().flat_map(|name| tokens(&fold(name))).filter(|token| token.kind == TokenKind::Word);
        let stems = words.filter(|word| word.text.chars().count() >= 3).map(|word| stem(&word.text));
        Self { stems: stems.collect(), times: find_times(text).iter().map(|found| (found.start, found.end)).collect() }
    }

    /// True if what is wished for from here on, behind articles and verbs such as "fazer", is what gets booked.
    fn follows(&self, clause: &[Token], from: usize) -> bool {
        let small = |index: &usize| {
            let word = at(clause, *index);
            SMALL.contains(&word) || LIGHT_VERBS.contains(&word) || phrase_at(clause, *index, COURTESY).is_some()
        };
        let names = |index: usize| {
            let Some(token) = clause.get(index) else { return false };
            let word = token.text.as_str();
            let day = weekday_named(word).is_some() || DAYS.contains(&word);
            let time = self.times.iter().any(|(start, end)| token.start >= *start && token.end <= *end);
            day || time || OBJECTS_OF_BOOKING.contains(&word) || self.stems.contains(&stem(word))
        };
        let number = |index: &usize| clause.get(*index).is_some_and(|token| token.kind == TokenKind::Number);
        (from..clause.len()).find(|index| names(*index) || !small(index) && !number(index)).is_some_and(names)
    }
}

fn stem(word: &str) -> String {
    word.chars().take(STEM).collect()
}

fn is_infinitive(word: &str) -> bool {
    word.len() >= 3 && ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending))
}

/// True if what reads like a verb is a noun: "a agenda", "agenda de sexta", "reserva tá cheia". A verb may still say "marca de
/// manhã".
fn is_noun(clause: &[Token], index: usize) -> bool {
    let of = ["de", "do", "da", "dos", "das", "of"].contains(&at(clause, index.saturating_add(1)))
        && !PARTS_OF_THE_DAY.contains(&at(clause, index.saturating_add(2)));
    let determined = DETERMINERS.contains(&before(clause, index, 1));
    !is_infinitive(at(clause, index)) && (determined || of || is_told(clause, index))
}

/// True if something is said of the word: "a fila tá grande".
fn is_told(clause: &[Token], index: usize) -> bool {
    (index..clause.len()).any(|index| COPULAS.contains(&at(clause, index)))
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
    let asks = clauses.iter().any(|clause| phrase_at(clause, start_of(clause), QUESTIONS).is_some());
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
    let start = start_of(clause);
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
