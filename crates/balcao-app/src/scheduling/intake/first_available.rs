//! Chooses a professional for a customer who accepts any: one who is free at the wanted time, else the one with the earliest free
//! slot.

use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::{ContactId, OrganizationId, ProfessionalId};
use balcao_language::{DateMatch, DateSpan, TimeReading, contains_word, find_dates, find_times_from, search_tokens};
use balcao_store::Tx;
use jiff::civil::{Date, DateTime, Time};
use jiff::{Timestamp, ToSpan};

use crate::context::app_context::{UseCaseError, organization};
use crate::scheduling::agenda::Agenda;

/// So many days from the wanted one on are looked at.
const DAYS: i64 = 14;

/// When the customer wants to come, as far as they said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SlotWish {
    day: Option<Date>,
    time: Option<Time>,
}

/// The last day and the last time that texts name, the oldest text first. A bare hour is as written from `opens` on.
pub(super) fn read_slot_wish<'a>(texts: impl Iterator<Item = &'a str>, today: Date, opens: Time) -> SlotWish {
    let mut wish = SlotWish::default();
    for text in texts {
        // Of "quinta ou sexta" the first day counts, because the question names the professional who is free then.
        for choice in find_dates(text, today).chunk_by(|_, next| next.either) {
            let day = |found: &DateMatch| match found.reading {
                Ok(DateSpan::Day(day)) => Some(day).filter(|day| *day >= today),
                Ok(DateSpan::Range { .. }) | Err(_) => None,
            };
            let days: Option<Vec<Date>> = choice.iter().map(day).collect();
            wish.day = days.and_then(|days| days.into_iter().min());
        }
        let mut times = find_times_from(text, opens).into_iter().filter_map(|found| match found.reading {
            TimeReading::At { time, .. } => Some(time),
            TimeReading::Window(_) => None,
        });
        wish.time = times.next_back().or(wish.time);
    }
    wish
}

/// Chooses one of these professionals, preferring those who offer the services that `texts` ask for. `None` if `among` is empty.
pub(super) fn choose_first_available(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    active: &[Professional],
    wish: SlotWish,
    texts: &[&str],
    now: Timestamp,
) -> Result<Option<ProfessionalId>, UseCaseError> {
    let today = organization(tx, id)?.1.to_datetime(now).date();
    let from = wish.day.unwrap_or(today);
    let dates = (from, from.saturating_add(DAYS.days()));
    let agenda = Agenda::load(tx, id, Some(contact), dates, now)?;
    let asked = asked_for(&agenda, texts);
    let does = |one: &Professional| asked.iter().copied().find(|service| one.offers(service.id).is_some());
    let some = active.iter().any(|one| does(one).is_some());
    let active: Vec<&Professional> = active.iter().filter(|one| !some || does(one).is_some()).collect();
    let starts = |one: &Professional| -> Vec<DateTime> {
        let service = does(one).or_else(|| super::first_service(&agenda, one));
        let free = agenda.free(service, None, Some(one.id), dates);
        free.iter().flat_map(|free| &free.starts).map(|start| agenda.zone.to_datetime(*start)).collect()
    };
    let all: Vec<(ProfessionalId, Vec<DateTime>)> = active.iter().map(|one| (one.id, starts(one))).collect();
    Ok(first_of(&all, wish))
}

/// The services that texts name: by name or alias, else by a word of it.
fn asked_for<'a>(agenda: &'a Agenda, texts: &[&str]) -> Vec<&'a Service> {
    let active = || agenda.services.iter().filter(|service| service.active);
    let named = |service: &&Service| {
        let mut names = std::iter::once(&service.name).chain(&service.aliases);
        names.any(|name| texts.iter().any(|text| contains_word(text, name)))
    };
    let whole: Vec<&Service> = active().filter(named).collect();
    if !whole.is_empty() {
        return whole;
    }
    let said: Vec<String> = texts.iter().flat_map(|text| search_tokens(text)).collect();
    active().filter(|service| search_tokens(&service.name).iter().any(|word| said.contains(word))).collect()
}

/// Picks the professional with the wanted start, else the one with the earliest start; the first of equals, or of all if none has a start.
fn first_of(all: &[(ProfessionalId, Vec<DateTime>)], wish: SlotWish) -> Option<ProfessionalId> {
    let wanted = wish.day.and_then(|day| Some(day.to_datetime(wish.time?)));
    let rank = |starts: &[DateTime]| {
        let misses = wanted.is_some_and(|wanted| !starts.contains(&wanted));
        Some((misses, *starts.iter().min()?))
    };
    let ranked = all.iter().filter_map(|(id, starts)| Some((rank(starts)?, *id)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, id)| id).or(all.first().map(|(id, _)| *id))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{SlotWish, first_of, read_slot_wish};

    #[test]
    fn the_last_day_and_time_that_were_said_are_wanted() {
        let today = date(2026, 11, 24);
        let wanted = |texts: &[&str]| read_slot_wish(texts.iter().copied(), today, jiff::civil::Time::MAX);
        let at = |day: i8, hour: i8| SlotWish {
            day: Some(date(2026, 11, day)),
            time: Some(jiff::civil::time(hour, 0, 0, 0)),
        };
        assert_eq!(wanted(&["quero amanhã às 15h", "tanto faz"]), at(25, 15));
        assert_eq!(wanted(&["amanhã às 15h", "melhor sexta", "qualquer um"]), at(27, 15));
        assert_eq!(wanted(&["dia 31/02", "tanto faz"]), SlotWish::default());
        assert_eq!(wanted(&["ontem", "tanto faz"]), SlotWish::default());
        assert_eq!(wanted(&["sexta ou quinta às 15h", "tanto faz"]), at(26, 15));
        assert_eq!(wanted(&["quinta ou ontem às 15h"]).day, None);
    }

    #[test]
    fn whoever_has_the_wanted_time_comes_before_whoever_is_free_first() {
        let at = |day: i8, hour: i8| date(2026, 11, day).at(hour, 0, 0, 0);
        let id = |id: i64| id.try_into().unwrap();
        let all = [(id(1), vec![at(25, 9), at(25, 10)]), (id(2), vec![at(25, 11), at(25, 15)]), (id(3), vec![])];
        let wanted = |day, hour| {
            read_slot_wish(
                [format!("{day}/11 às {hour}h").as_str()].into_iter(),
                date(2026, 11, 24),
                jiff::civil::Time::MAX,
            )
        };
        assert_eq!(first_of(&all, wanted(25, 15)), Some(id(2)));
        assert_eq!(first_of(&all, wanted(25, 16)), Some(id(1)));
        assert_eq!(first_of(&all, SlotWish::default()), Some(id(1)));
        assert_eq!(first_of(&[(id(3), vec![])], SlotWish::default()), Some(id(3)));
        assert_eq!(first_of(&[], SlotWish::default()), None);
    }
}
