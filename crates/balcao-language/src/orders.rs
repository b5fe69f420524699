//! Whether an order says nothing beside itself: "quero corte sexta 15h com o Wesley, pode ser?".
//!
//! An order acts at once, so each of its words has to be known: of the deed, of what the deed is about, of courtesy or of grammar. What
//! takes an order back, corrects it or sets a condition is said in any words ("mudei de ideia", "corrigindo: 16h", "só por 20 reais",
//! "às 15h tenho dentista"), and no list of these is whole. So an order with any other word is asked about once more.

use jiff::civil::{Date, Weekday};

use crate::{
    agreement::{Asked, FILLER, GREETINGS, LEADS, NO, Repeated, SALUTATIONS, SMALL, YES, YES_SIGNS, kind_of},
    dates::{DateSpan, find_dates, weekday_named},
    detect::english,
    first_names::is_first_name,
    names::{Candidate, NameMatch, match_name},
    normalize::{Token, TokenKind, phrase_at, text_at, tokens},
    people::{anybody_will_do, is_relative},
    times::find_times,
    wishes::{
        AVAILABLE, COURTESY, LIGHT_VERBS, OBJECTS_OF_BOOKING, OBJECTS_OF_WAITING, PARTS_OF_THE_DAY, TAGS, WISHES,
        written_out,
    },
};

/// Words of grammar and of visits that change no order.
#[rustfmt::skip] // a table of words
const PLAIN: &[&str] = &[
    "ao", "aos", "no", "na", "nos", "nas", "pelo", "pela", "pros", "pras", "uns", "umas", "se", "gente", "meus", "minhas", "nosso", "nossa",
    "seu", "sua", "novo", "nova", "cabelo", "feira", "visita", "horas", "hs", "min", "marcado", "marcada", "consegue", "consegues",
    "conseguem", "consigo", "prefiro", "hrs", "hr", "oii", "proximo", "proxima",
    "in", "an", "i", "am", "pm", "hair", "haircut", "visit", "next", "this", "can", "could", "you", "your", "that",
];

/// Words by which a customer leaves the choice of the person to us.
#[rustfmt::skip] // a table of words
const CHOOSING: &[&str] = &[
    "qualquer", "quem", "profissional", "barbeiro", "barbeira", "medico", "medica", "dentista", "pessoa", "tanto", "faz",
    "preferencia", "anyone", "anybody", "any", "barber",
];

/// Signs that greet, thank or please, in addition to those of agreement.
const FRIENDLY_SIGNS: &[&str] = &["🙏", "👋", "😊", "🙂", "😀", "😃", "😄", "😁", "❤", "💈", "✂"];

/// Phrases by which a customer leaves the day or the time to us.
#[rustfmt::skip] // a table of words
const ANY_TIME: &[&str] = &[
    "ou qualquer outro dia", "ou qualquer outro horario", "ou qualquer outra hora", "ou qualquer dia", "ou qualquer horario",
    "qualquer dia", "qualquer horario", "qualquer hora", "or any other day", "or any other time", "any day", "any time",
];

/// Phrases that change no order: the week of a day, and what turns to a wish.
#[rustfmt::skip] // a table of words
const PHRASES: &[&str] = &[
    "semana que vem", "na semana que vem", "proxima semana", "essa semana", "esta semana", "nessa semana", "nesta semana", "desta semana",
    "que vem", "sem preferencia", "next week", "this week", "pensando bem", "pensando melhor", "de sempre", "c /",
];

/// Orders to remind, beside another order.
const TO_REMIND: &[&str] =
    &["lembra", "lembre", "lembrar", "avisa", "avise", "avisar", "lembrete", "remind me", "reminder"];

/// When to remind: "uma hora antes", "no dia".
#[rustfmt::skip] // a table of words
const BEFORE_VISIT: &[&str] = &[
    "antes", "um", "uma", "duas", "dois", "tres", "meia", "hora", "horas", "dia", "dias", "minuto", "minutos", "min", "h", "vespera", "no",
    "na", "de", "com", "antecedencia", "before", "a", "an", "one", "two", "hour", "hours", "day", "days", "minutes",
];

/// What leads to the customer's own name.
const INTRODUCTIONS: &[&str] = &[
    "aqui e",
    "aqui quem fala e",
    "quem fala e",
    "sou",
    "me chamo",
    "meu nome e",
    "i ' m",
    "i am",
    "my name is",
    "this is",
];

/// Whether every word of an order belongs to it. `about`: the words of what it does, such as the values of its call. Days and times of a
/// booking have to be among them; an order that moves or ends a visit may name the old day, too.
#[must_use]
pub fn orders_only(text: &str, deed: Asked, about: &str, today: Date) -> bool {
    let all = written_out(tokens(text));
    let leaves_time = (0..all.len()).any(|index| phrase_at(&all, index, ANY_TIME).is_some());
    let names_old = matches!(deed, Asked::Cancelling | Asked::Rescheduling);
    let others = if leaves_time || names_old { whens(text, today) } else { String::new() };
    let order = Order {
        text,
        all,
        repeated: Repeated::find(text, &format!("{about} , {others}"), today),
        about: tokens(about)
            .into_iter()
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.text)
            .collect(),
        weekdays: find_dates(about, today)
            .into_iter()
            .filter_map(|found| match found.reading.ok()? {
                DateSpan::Day(day) => Some(day.weekday()),
                DateSpan::Range { .. } => None,
            })
            .collect(),
        deed,
        is_english: english(text) == Some(true),
        leaves_choice: anybody_will_do(text, false),
    };
    let mut index = 0;
    while index < order.all.len() {
        let Some(len) = order.known_at(index) else { return false };
        index = index.saturating_add(len.max(1));
    }
    true
}

/// The days and times of a text, as they are written.
fn whens(text: &str, today: Date) -> String {
    let (days, times) = (find_dates(text, today), find_times(text));
    let spans =
        days.iter().map(|found| (found.start, found.end)).chain(times.iter().map(|found| (found.start, found.end)));
    spans.filter_map(|(start, end)| text.get(start..end)).collect::<Vec<_>>().join(" , ")
}

struct Order<'a> {
    text: &'a str,
    all: Vec<Token>,
    repeated: Repeated,
    /// The words of what is ordered.
    about: Vec<String>,
    /// The weekdays of its days: "semana que vem sexta" names one without its date.
    weekdays: Vec<Weekday>,
    deed: Asked,
    is_english: bool,
    leaves_choice: bool,
}

impl Order<'_> {
    /// The count of tokens from `index` on that belong to the order.
    fn known_at(&self, index: usize) -> Option<usize> {
        let token = self.all.get(index)?;
        let word = token.text.as_str();
        if self.repeated.answer_at(&self.all, index).is_some() {
            return Some(1);
        }
        match token.kind {
            TokenKind::Number => return None,
            TokenKind::Mark => {
                let parts = [",", ".", "!", ";", ":", "(", ")", "-", "?", "\n", "'"].contains(&word);
                return (parts || YES_SIGNS.contains(&word) || FRIENDLY_SIGNS.contains(&word)).then_some(1);
            }
            TokenKind::Word => {}
        }
        let phrase = |lists: &[&[&str]]| lists.iter().filter_map(|list| phrase_at(&self.all, index, list)).max();
        let in_the = word == "no" && !self.is_english;
        if phrase(&[NO]).is_some() && !in_the {
            return None;
        }
        let of_deed = (kind_of(word, self.deed) == Some(self.deed)).then_some(1);
        let of_waiting = if self.deed == Asked::Waiting { phrase(&[OBJECTS_OF_WAITING]) } else { None };
        let lists = [
            LEADS,
            WISHES,
            COURTESY,
            FILLER,
            SALUTATIONS,
            GREETINGS,
            TAGS,
            SMALL,
            YES,
            LIGHT_VERBS,
            OBJECTS_OF_BOOKING,
            PARTS_OF_THE_DAY,
            PLAIN,
            PHRASES,
            ANY_TIME,
            AVAILABLE,
        ];
        let choice = (self.leaves_choice && CHOOSING.contains(&word)).then_some(1);
        let known = phrase(&lists).or(of_deed).or(of_waiting).or(choice);
        let is_weekday = || weekday_named(word).is_some_and(|day| self.weekdays.contains(&day));
        let named = || (self.names(word) || is_relative(word) || is_weekday()).then_some(1);
        self.reminder_at(index).or_else(|| self.introduction_at(index)).or(known).or_else(named)
    }

    /// The count of tokens by which customers want to be reminded, too: "e me lembre uma hora antes".
    fn reminder_at(&self, index: usize) -> Option<usize> {
        let mut next = index.saturating_add(phrase_at(&self.all, index, TO_REMIND)?);
        while self
            .all
            .get(next)
            .is_some_and(|token| token.kind == TokenKind::Number || BEFORE_VISIT.contains(&token.text.as_str()))
        {
            next = next.saturating_add(1);
        }
        Some(next.saturating_sub(index))
    }

    /// Whether a word names what is ordered, bent or spelt otherwise: "cortar" names "Corte", "Stefane" names "Stephane".
    fn names(&self, word: &str) -> bool {
        let stem = |word: &str| word.chars().take(4).collect::<String>();
        word.len() >= 3
            && self.about.iter().filter(|name| name.len() >= 3).any(|name| {
                stem(name) == stem(word) || matches!(match_name(word, &[Candidate::named(name)]), NameMatch::One { .. })
            })
    }

    /// The count of tokens by which customers give their own name: "aqui é a Ana". The name of what is ordered is none.
    fn introduction_at(&self, index: usize) -> Option<usize> {
        let lead = phrase_at(&self.all, index, INTRODUCTIONS)?;
        let mut next = index.saturating_add(lead);
        next = next.saturating_add(usize::from(["o", "a"].contains(&text_at(&self.all, next))));
        let begins = next;
        while self.all.get(next).is_some_and(|token| self.is_own_name(token)) {
            next = next.saturating_add(1);
        }
        (next > begins).then(|| next.saturating_sub(index))
    }

    fn is_own_name(&self, token: &Token) -> bool {
        let is_capital = self.text.get(token.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let is_name = token.kind == TokenKind::Word && (is_capital || is_first_name(&token.text));
        is_name && !self.about.contains(&token.text)
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
