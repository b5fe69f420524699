//! "O segundo", "a última opção", "the third one": which of the things that the last reply offered.

use balcao_language::{DateSpan, Token, find_dates, find_times_from, fold, tokens};
use jiff::civil::{Date, Time};

use super::{Dialogue, Question, TimeReading};
use crate::nlu::{Act, Day, Utterance};

/// A place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Counted from the first, which is 0.
    At(usize),
    /// The last.
    Last,
}

impl Place {
    /// The entry at this place.
    #[must_use]
    pub fn of<T: Clone>(self, list: &[T]) -> Option<T> {
        match self {
            Self::At(index) => list.get(index).cloned(),
            Self::Last => list.last().cloned(),
        }
    }
}

/// The place that a short message names. Where `weekdays` may be meant, "a segunda" is one; "a segunda opção" never is.
#[must_use]
pub fn place_in(text: &str, weekdays: bool) -> Option<Place> {
    let all = tokens(text);
    if all.len() > 8 {
        return None;
    }
    (0..all.len()).find_map(|index| place_at(&all, index, weekdays))
}

fn place_at(all: &[Token], index: usize, weekdays: bool) -> Option<Place> {
    const OPTIONS: &[&str] = &["opcao", "alternativa", "option", "numero", "number", "item"];
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    let before = index.checked_sub(1).map_or("", word);
    let after = word(index.saturating_add(1));
    let named = OPTIONS.contains(&before) || OPTIONS.contains(&after);
    let weekday = !named && (weekdays || ["de", "da", "na", "pra", "para"].contains(&before))
        || [after, word(index.saturating_add(2))].contains(&"feira");
    let place = match word(index) {
        "primeiro" | "primeira" | "first" => Place::At(0),
        "segunda" | "quarta" | "quinta" if weekday => return None,
        "segundo" | "segunda" | "second" => Place::At(1),
        "terceiro" | "terceira" | "third" => Place::At(2),
        "quarto" | "quarta" | "fourth" => Place::At(3),
        "quinto" | "quinta" | "fifth" => Place::At(4),
        "ultimo" | "ultima" | "last" => Place::Last,
        number => {
            let glued = all
                .get(index.saturating_add(1))
                .is_some_and(|next| next.start == all.get(index).map_or(0, |one| one.end));
            let counted = named || glued && ["a", "o"].contains(&after);
            let number: usize = number.parse().ok().filter(|_| counted)?;
            Place::At(number.checked_sub(1)?)
        }
    };
    Some(place)
}

impl Dialogue {
    /// Makes of "o segundo" what was offered second. The message then says that, and no weekday.
    pub(super) fn take_pick(&mut self, utterance: &mut Utterance) {
        if !utterance.times.is_empty() {
            return;
        }
        let Some(place) = place_in(&utterance.text, self.asked == Question::Time) else { return };
        let taken = match self.asked {
            Question::Service => {
                let names: Vec<&str> = self.catalog.services.iter().map(|service| service.name.as_str()).collect();
                place.of(&named_in(&self.said, &names)).map(|name| self.mentions.push(name))
            }
            Question::Professional => {
                let question = self.said.trim_end().rsplit('\n').next().unwrap_or_default();
                let names: Vec<&str> = self.catalog.professionals.iter().map(String::as_str).collect();
                place.of(&named_in(question, &names)).map(|name| self.mentions.push(format!("com {name}")))
            }
            Question::Which => Some(()),
            Question::Time => self.pick_time(place, utterance),
            Question::Nothing
            | Question::Day
            | Question::Book
            | Question::Next
            | Question::Cancel
            | Question::Reschedule
            | Question::Human
            | Question::Begin
            | Question::Waitlist => None,
        };
        if taken.is_some() {
            utterance.days.retain(|day| !day.weekday || self.asked == Question::Time);
            utterance.acts.retain(|act| !matches!(act, Act::Earliest | Act::Latest));
        }
    }

    /// The offered time at that place, with whoever has it; of an offer of days, the day.
    fn pick_time(&mut self, place: Place, utterance: &mut Utterance) -> Option<()> {
        let rows: Vec<String> = self.said.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
        let dates: Vec<Date> = rows.iter().filter_map(|row| row_date(row, self.today())).collect();
        if !rows.is_empty() && dates.len() == rows.len() {
            utterance.days = vec![Day::on(place.of(&dates)?)];
            return Some(());
        }
        if !utterance.days.is_empty() {
            return None;
        }
        let time = place.of(&self.offered)?;
        utterance.times = vec![time];
        let has = |row: &&String| {
            let times = find_times_from(row, Time::MIN);
            times.iter().any(|found| matches!(found.reading, TimeReading::At { time: at, .. } if at == time))
        };
        let row = match place {
            Place::Last => rows.iter().rev().find(has),
            Place::At(_) => rows.iter().find(has),
        };
        let name = row.and_then(|row| self.catalog.professionals.iter().find(|name| row.contains(name.as_str())));
        if let Some(name) = name.cloned() {
            self.mentions.push(format!("com {name}"));
        }
        Some(())
    }
}

/// The day that a row of an offer begins with: "- quinta, 03/12: 14h e 15h".
fn row_date(row: &str, today: Date) -> Option<Date> {
    let (head, _) = row.split_once(": ")?;
    match find_dates(head, today).first()?.reading {
        Ok(DateSpan::Day(date)) => Some(date),
        Ok(DateSpan::Range { .. }) | Err(_) => None,
    }
}

/// The names that a text has, in its order.
fn named_in(text: &str, names: &[&str]) -> Vec<String> {
    let folded = fold(text);
    let mut found: Vec<(usize, String)> =
        names.iter().filter_map(|name| Some((folded.find(&fold(name))?, (*name).to_owned()))).collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
#[path = "pick_tests.rs"]
mod tests;
