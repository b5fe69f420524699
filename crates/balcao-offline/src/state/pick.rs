//! "O segundo", "a última opção", "the third one": which of the things that the last reply offered.

use balcao_language::{
    DateProblem, DateSpan, Meaning, Token, find_dates, find_dates_in, find_times_from, normalize, tokens,
};
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
    pub fn pick_from<T: Clone>(self, list: &[T]) -> Option<T> {
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
    // Without an article it is the day: who counts says "a segunda".
    let weekday = !named && (weekdays || !["a", "e", "essa", "esta", "aquela"].contains(&before))
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
        self.other_reading = None;
        self.read_place(utterance);
        if !utterance.times.is_empty() {
            return;
        }
        if let Some(day) = self.day_of_question(utterance) {
            utterance.days = vec![Day::on(day)];
            utterance.problem = None;
            return;
        }
        let Some(place) = place_in(&utterance.text, self.asked == Question::Time) else { return };
        let taken = match self.asked {
            Question::Service => {
                let names: Vec<&str> = self.catalog.services.iter().map(|service| service.name.as_str()).collect();
                place.pick_from(&named_in(&self.said, &names)).map(|name| self.mentions.push(name))
            }
            Question::Professional => {
                let question = self.said.trim_end().rsplit('\n').next().unwrap_or_default();
                let names: Vec<&str> = self.catalog.professionals.iter().map(String::as_str).collect();
                place.pick_from(&named_in(question, &names)).map(|name| self.mentions.push(format!("com {name}")))
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

    /// "A segunda" is Monday where nothing has a second place. Where it may be either, the customer is asked.
    fn read_place(&mut self, utterance: &mut Utterance) {
        let Some(DateProblem::Ambiguous { readings }) = &mut utterance.problem else { return };
        let place = readings.iter().find_map(|meaning| match meaning {
            Meaning::Place(place) => usize::from(*place).checked_sub(1),
            Meaning::Day(_) => None,
        });
        let Some(place) = place else { return };
        let rows = self.offered_days();
        let row = Place::At(place).pick_from(&rows).map(Meaning::Day);
        let time = Place::At(place).pick_from(&self.offered).filter(|_| rows.is_empty());
        if self.asked != Question::Time || row.is_none() && time.is_none() {
            utterance.problem = None;
            return;
        }
        // A weekday is the one of the offer, if it has it.
        let offered = |day: &Date| rows.iter().find(|row| row.weekday() == day.weekday()).copied().unwrap_or(*day);
        readings.retain_mut(|meaning| match meaning {
            Meaning::Day(day) => {
                *day = offered(day);
                true
            }
            Meaning::Place(_) => false,
        });
        readings.extend(row.filter(|row| !readings.contains(row)));
        match readings.as_slice() {
            [Meaning::Day(only)] if time.is_none() => {
                utterance.days = vec![Day::on(*only)];
                utterance.problem = None;
            }
            _ => {
                utterance.days.clear();
                self.other_reading = time;
            }
        }
    }

    /// Of the days between which the last reply let choose, the one that the answer means: by its weekday, its number, its
    /// month or its place.
    fn day_of_question(&self, utterance: &Utterance) -> Option<Date> {
        let question = self.said.trim_end().rsplit('\n').next().unwrap_or_default();
        let found = find_dates_in(question, self.today(), self.locale());
        let days: Vec<Date> = found.iter().filter_map(|found| single(&found.reading)).collect();
        if self.asked != Question::Day || days.len() < 2 {
            return None;
        }
        let fits = |day: &&Date| match utterance.days.as_slice() {
            [named] if named.weekday => named.first.weekday() == day.weekday(),
            [named] => (named.first..=named.last).contains(*day),
            _ => false,
        };
        let number = || {
            let all = tokens(&utterance.text);
            let mut numbers = all.iter().filter_map(|token| token.text.parse::<i8>().ok());
            let number = numbers.next().filter(|_| all.len() <= 3 && numbers.next().is_none())?;
            only(days.iter().filter(|day| day.day() == number))
        };
        let place = || place_in(&utterance.text, !utterance.days.is_empty())?.pick_from(&days);
        only(days.iter().filter(fits)).or_else(number).or_else(place)
    }

    /// The days with which the rows of the last reply begin, if all begin with one.
    fn offered_days(&self) -> Vec<Date> {
        let rows: Vec<&str> = self.said.lines().filter(|line| line.starts_with("- ")).collect();
        let dates: Vec<Date> = rows.iter().filter_map(|row| row_date(row, self.today())).collect();
        if dates.len() == rows.len() { dates } else { Vec::new() }
    }

    /// The offered time at that place, with its professional; the day, if we offered days.
    fn pick_time(&mut self, place: Place, utterance: &mut Utterance) -> Option<()> {
        let rows: Vec<String> = self.said.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
        let dates = self.offered_days();
        if !dates.is_empty() {
            utterance.days = vec![Day::on(place.pick_from(&dates)?)];
            return Some(());
        }
        if !utterance.days.is_empty() {
            return None;
        }
        let time = place.pick_from(&self.offered)?;
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
    single(&find_dates(head, today).first()?.reading)
}

fn single(reading: &Result<DateSpan, DateProblem>) -> Option<Date> {
    match reading {
        Ok(DateSpan::Day(date)) => Some(*date),
        Ok(DateSpan::Range { .. }) | Err(_) => None,
    }
}

/// The only one of these.
fn only<'a>(mut days: impl Iterator<Item = &'a Date>) -> Option<Date> {
    days.next().copied().filter(|_| days.next().is_none())
}

/// The names that a text has, in its order.
fn named_in(text: &str, names: &[&str]) -> Vec<String> {
    let folded = normalize(text);
    let mut found: Vec<(usize, String)> =
        names.iter().filter_map(|name| Some((folded.find(&normalize(name))?, (*name).to_owned()))).collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
#[path = "pick_tests.rs"]
mod tests;
