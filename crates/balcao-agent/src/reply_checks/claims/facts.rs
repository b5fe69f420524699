//! The days, times, names, services and prices of a sentence, and whether a receipt has them too.

use std::sync::LazyLock;

use balcao_language::{Candidate, DateSpan, NameMatch, TimeReading, find_dates, find_times, match_name, normalize};
use balcao_tool::Receipt;
use jiff::civil::{Date, Time};
use regex::Regex;

use super::words::SERVICES;

/// What a sentence states beside its verb.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    days: Vec<Date>,
    /// A weekday and a date that contradict each other: no receipt can have both.
    impossible: bool,
    times: Vec<StatedFact>,
    people: Vec<String>,
    /// Indices into [`SERVICES`].
    services: Vec<usize>,
    prices: Vec<i64>,
}

/// A time as it was said.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StatedFact {
    At { time: Time, open: bool },
    Window { from: Time, until: Time },
}

static PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:com|with)\s+(?:[oa]s?\s+)?(?:(?i:dra?|sra?|seu|dona|mr|mrs|ms|prof)\.?\s+)?(\p{Lu}\p{L}+(?:\s+(?:d[aeo]s?\s+)?\p{Lu}\p{L}+)*)").ok()
});
static PRICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:R\$|\$)\s*(\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](\d{2}))?\b|\b(\d+)(?:,(\d{2}))?\s+reais\b").ok()
});

/// Reads the facts of a sentence. Relative days count from `today`.
pub(super) fn facts_in(text: &str, today: Date) -> Facts {
    let mut facts = Facts::default();
    for found in find_dates(text, today) {
        match found.reading {
            Ok(DateSpan::Day(day)) => facts.days.push(day),
            Ok(DateSpan::Range { .. }) => {}
            // We write the day before the month, and mean weekdays by their names.
            Err(problem) => match problem.readings().first() {
                Some(day) => facts.days.push(*day),
                None => facts.impossible = true,
            },
        }
    }
    for found in find_times(text) {
        // "2 horas antes" is how long, not when.
        let rest = normalize(text.get(found.end..).unwrap_or_default());
        if ["antes", "before", "earlier", "depois", "later"].iter().any(|word| rest.trim_start().starts_with(word)) {
            continue;
        }
        match found.reading {
            TimeReading::At { approximate: true, .. } => {}
            TimeReading::At { time, assumed_pm, .. } => facts.times.push(StatedFact::At { time, open: assumed_pm }),
            TimeReading::Window(window) => {
                facts.times.push(StatedFact::Window { from: window.from, until: window.until })
            }
        }
    }
    let people = PERSON.iter().flat_map(|regex| regex.captures_iter(text)).filter_map(|found| found.get(1));
    facts.people = people.map(|found| found.as_str().to_owned()).collect();
    let folded = normalize(text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).collect();
    facts.services = SERVICES
        .iter()
        .enumerate()
        .filter(|(_, names)| names.iter().any(|name| words.contains(name)))
        .map(|(index, _)| index)
        .collect();
    facts.prices = prices_in(text);
    facts
}

/// All amounts of money that a text names, in cents.
pub(crate) fn prices_in(text: &str) -> Vec<i64> {
    let mut prices = Vec::new();
    for found in PRICE.iter().flat_map(|regex| regex.captures_iter(text)) {
        let figures = |index: usize| -> Option<i64> {
            let digits: String = found.get(index)?.as_str().chars().filter(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let whole = figures(1).or_else(|| figures(3));
        let cents = figures(2).or_else(|| figures(4)).unwrap_or(0);
        prices.extend(whole.and_then(|whole| whole.checked_mul(100)).and_then(|whole| whole.checked_add(cents)));
    }
    prices
}

impl Facts {
    /// True if the receipt has all of them. Where something was moved, the old day and time may stand before the new ones.
    pub(super) fn fit(&self, receipt: &Receipt, moved: bool) -> bool {
        let days = last_only(&self.days, moved);
        let times = last_only(&self.times, moved);
        !self.impossible
            && days.iter().all(|day| has_day(*day, receipt))
            && has_times(times, receipt)
            && self.people.iter().all(|name| has_person(name, receipt))
            && self.services.iter().all(|index| has_service(*index, receipt))
            && self.prices.iter().all(|cents| receipt.price_cents.is_none_or(|price| price == *cents))
    }

    /// True if they may speak of several things: two days, times or people.
    pub(super) fn is_list(&self) -> bool {
        self.days.len() > 1 || self.times.len() > 1 || self.people.len() > 1
    }

    /// True if each fact is in one of the receipts.
    pub(super) fn each_in(&self, receipts: &[&Receipt]) -> bool {
        let any = |fits: &dyn Fn(&Receipt) -> bool| receipts.iter().any(|receipt| fits(receipt));
        !self.impossible
            && self.days.iter().all(|day| any(&|receipt| has_day(*day, receipt)))
            && self.times.iter().all(|said| any(&|receipt| has_time(*said, receipt)))
            && self.people.iter().all(|name| any(&|receipt| has_person(name, receipt)))
            && self.services.iter().all(|index| any(&|receipt| has_service(*index, receipt)))
            && self.prices.iter().all(|cents| any(&|receipt| receipt.price_cents.is_none_or(|price| price == *cents)))
    }
}

fn last_only<T>(all: &[T], only: bool) -> &[T] {
    if only { all.get(all.len().saturating_sub(1)..).unwrap_or_default() } else { all }
}

fn has_day(day: Date, receipt: &Receipt) -> bool {
    receipt.day.is_none_or(|own| own == day)
}

/// Starts must be the receipt's. Its end may be said beside its start: "das 15h às 15h30".
fn has_times(times: &[StatedFact], receipt: &Receipt) -> bool {
    let started = times.iter().any(|said| has_time(*said, receipt));
    let is_end = |said: StatedFact| matches!(said, StatedFact::At { time, .. } if receipt.end == Some(time));
    times.iter().all(|said| has_time(*said, receipt) || (started && is_end(*said)))
}

fn has_time(said: StatedFact, receipt: &Receipt) -> bool {
    let Some(start) = receipt.start else { return true };
    match said {
        StatedFact::At { time, open } => {
            let half_day = start.hour().checked_add(12).filter(|hour| *hour == time.hour()).is_some();
            start == time || (open && half_day && start.minute() == time.minute())
        }
        StatedFact::Window { from, until } => from <= start && start <= until,
    }
}

fn has_person(name: &str, receipt: &Receipt) -> bool {
    let Some(own) = &receipt.professional else { return true };
    let one = |name: &str| matches!(match_name(name, &[Candidate::named(own)]), NameMatch::One { .. });
    // "Corte com Barba" names a service, "com João Pix" runs on.
    let service = receipt.service.as_ref().is_some_and(|service| normalize(service).contains(&normalize(name)));
    one(name) || service || name.split_whitespace().next().is_some_and(one)
}

fn has_service(index: usize, receipt: &Receipt) -> bool {
    let Some(own) = &receipt.service else { return true };
    let own = normalize(own);
    let known = SERVICES.iter().any(|names| names.iter().any(|name| own.contains(name)));
    let same = SERVICES.get(index).is_some_and(|names| names.iter().any(|name| own.contains(name)));
    // A service of the business's own invention cannot be held against the list.
    same || !known
}
