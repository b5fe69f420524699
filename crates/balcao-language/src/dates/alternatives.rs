//! Several days, of which one is meant: "sexta ou sábado", "dia 5 ou 6".

use jiff::{ToSpan, civil::Date};

use super::{
    DateMatch, DateSpan, Meaning,
    names::weekday_named,
    scanner::{Found, Scanner},
};
use crate::normalize::{Token, TokenKind, text_at};

const OR: [&str; 2] = ["ou", "or"];

/// How two finds that follow each other are tied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    /// One of both: "ou".
    Or,
    /// Members of one list: a comma.
    Comma,
    /// Not at all, or both are meant.
    None,
}

/// Marks the finds that stand instead of others: all of a list but its first, if an "ou" is in it.
pub(super) fn mark(tokens: &[Token], found: &mut [Found]) {
    let ends: Vec<(usize, usize)> = found.iter().map(|one| (one.from, one.to)).collect();
    let ties: Vec<Tie> = ends
        .windows(2)
        .map(|pair| if let [(_, to), (from, _)] = pair { tie(tokens, *to, *from) } else { Tie::None })
        .collect();
    let mut list = 0;
    for end in 0..=ties.len() {
        if ties.get(end).is_some_and(|tie| *tie != Tie::None) {
            continue;
        }
        // The ties from `list` up to `end` hold one list together: the finds from `list` on.
        let either = ties.get(list..end).is_some_and(|ties| ties.contains(&Tie::Or));
        for one in found.iter_mut().take(end.saturating_add(1)).skip(list.saturating_add(1)) {
            one.either = either;
        }
        list = end.saturating_add(1);
    }
}

fn tie(tokens: &[Token], from: usize, to: usize) -> Tie {
    const MOST_WORDS: usize = 8;
    const LEADS: [&str; 22] = [
        "no", "na", "nos", "nas", "em", "para", "pra", "pro", "o", "a", "de", "do", "da", "dia", "on", "the", "for",
        "entao", "talvez", "mesmo", "ate", "maybe",
    ];
    let ends_sentence = |index: usize| [".", "?", "!", ";", "\n"].contains(&text_at(tokens, index));
    if to.saturating_sub(from) > MOST_WORDS || (from..to).any(ends_sentence) {
        return Tie::None;
    }
    let lead = |index: usize| LEADS.contains(&text_at(tokens, index));
    let or = (from..to).rev().find(|index| OR.contains(&text_at(tokens, *index)));
    let slash = to == from.saturating_add(1) && text_at(tokens, from) == "/";
    if slash || or.is_some_and(|or| (or.saturating_add(1)..to).all(lead)) {
        return Tie::Or;
    }
    let comma = text_at(tokens, from) == "," && (from.saturating_add(1)..to).all(lead);
    if comma { Tie::Comma } else { Tie::None }
}

/// The days of finds of which one is meant; `None` if one of them names no day.
pub(super) fn days(found: &[DateMatch]) -> Option<Vec<Meaning>> {
    let mut readings: Vec<Meaning> = Vec::new();
    for one in found {
        let days = match &one.reading {
            Ok(DateSpan::Day(day)) => vec![*day],
            Ok(DateSpan::Range { .. }) => return None,
            Err(problem) => problem.readings(),
        };
        if days.is_empty() {
            return None;
        }
        readings.extend(days.into_iter().map(Meaning::Day).filter(|day| !readings.contains(day)).collect::<Vec<_>>());
    }
    (readings.len() > 1).then_some(readings)
}

impl Scanner<'_> {
    /// "Dia 5 ou 6", "dias 5, 6 e 7": the days behind the first, each the next such day after the one before it.
    pub(super) fn further_days(&self, hit: &Found) -> Vec<Found> {
        let numbered = self.tokens.get(hit.to.saturating_sub(1)).is_some_and(|last| last.kind == TokenKind::Number);
        let lead = self.text_at(hit.from);
        let led = ["dia", "dias"].contains(&lead)
            || weekday_named(lead).is_some()
            || (hit.from..hit.to).any(|index| self.text_at(index) == "/");
        let mut found = Vec::new();
        let Ok(DateSpan::Day(mut last)) = hit.reading else { return found };
        let mut end = hit.to;
        while numbered && led && ["ou", "or", "e", "and"].contains(&self.text_at(end)) {
            let from = end.saturating_add(1);
            let named = self.day_in_named_month(from);
            let naked = || self.naked_day(from).and_then(|(day, to)| Some((to, Self::day_from(last, day)?)));
            let Some((to, day)) = named.or_else(naked) else { break };
            found.push(Found { from, to, weekday: None, reading: Ok(DateSpan::Day(day)), either: false });
            (last, end) = (day, to);
        }
        found
    }

    /// "Dia 5 ou 6 de dezembro": the month that the other day has stands for both.
    pub(super) fn month_of_the_other(&self, next: usize, day: i8) -> Option<Date> {
        let other_at = next.saturating_add(1);
        if !["ou", "or", "e", "and"].contains(&self.text_at(next)) {
            return None;
        }
        let single = || match self.numeric(other_at).or_else(|| self.day_and_month(other_at))?.1 {
            Ok(DateSpan::Day(date)) => Some(date),
            _ => None,
        };
        let other = self.day_in_named_month(other_at).map(|(_, date)| date).or_else(single)?;
        let month = if day < other.day() { other } else { other.checked_sub(1.month()).ok()? };
        Date::new(month.year(), month.month(), day).ok().filter(|date| *date >= self.today)
    }
}
