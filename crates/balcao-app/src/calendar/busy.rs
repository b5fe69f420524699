//! Days of an agenda as hours and busy times: what several professionals leave free together, turned round.

use std::collections::BTreeSet;

use balcao_domain::hours::Period;
use balcao_domain::scheduling::QUANTUM_MIN;
use balcao_domain::{ProfessionalId, Span};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::BusyDay;
use crate::agenda::Agenda;

/// Each date from `from` to `to`, both included and loaded: of everybody active, or of one.
pub(super) fn days(agenda: &Agenda, only: Option<ProfessionalId>, (from, to): (Date, Date)) -> Vec<BusyDay> {
    let mut days = Vec::new();
    let mut date = from;
    while date <= to {
        days.push(day(agenda, only, date));
        let Ok(next) = date.checked_add(1.day()) else { break };
        date = next;
    }
    days
}

fn day(agenda: &Agenda, only: Option<ProfessionalId>, date: Date) -> BusyDay {
    let people = || agenda.professionals.iter().filter(|one| one.active && only.is_none_or(|only| only == one.id));
    let shop = agenda.business.on(date);
    let works = people().flat_map(|one| {
        one.hours.on(date).iter().flat_map(|own| shop.iter().filter_map(|shop| shop.intersection(own)))
    });
    let open = merged(works.map(|period| (period.opens_min(), period.closes_min())).collect());
    let starts = agenda.free(None, None, only, (date, date)).into_iter().flat_map(|one| one.starts);
    let starts: BTreeSet<String> = starts.map(|at| agenda.zone.to_datetime(at).strftime("%H:%M").to_string()).collect();
    let free =
        people().flat_map(|one| agenda.free_spans(one, date)).filter_map(|span| minutes(&agenda.zone, date, span));
    let busy = without(&open, &merged(free.collect()));
    BusyDay {
        date,
        open: periods(&open),
        busy: periods(&busy),
        free: starts.into_iter().collect(),
        note: agenda.business.note_on(date).map(str::to_owned),
    }
}

/// The part of a span on a date, by the clock on the wall.
fn minutes(zone: &TimeZone, date: Date, span: Span) -> Option<(u16, u16)> {
    let minute = |at: jiff::Timestamp| {
        let local = zone.to_datetime(at);
        let of_day = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or_default();
        match local.date().cmp(&date) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => of_day,
            std::cmp::Ordering::Greater => 24 * 60,
        }
    };
    // What is left of a quantum that has begun is nobody's.
    let quantum = u16::try_from(QUANTUM_MIN).unwrap_or(1);
    let (from, to) = (minute(span.start).next_multiple_of(quantum), minute(span.end));
    (from < to).then_some((from, to))
}

/// The same time in order, without overlap and without touching.
fn merged(mut all: Vec<(u16, u16)>) -> Vec<(u16, u16)> {
    all.sort_unstable();
    let mut out: Vec<(u16, u16)> = Vec::new();
    for (from, to) in all {
        match out.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => out.push((from, to)),
        }
    }
    out
}

/// What of `all` is in none of `taken`; both in order.
fn without(all: &[(u16, u16)], taken: &[(u16, u16)]) -> Vec<(u16, u16)> {
    let mut left = Vec::new();
    for (from, to) in all {
        let mut at = *from;
        for (start, end) in taken.iter().filter(|(start, end)| end > from && start < to) {
            if at < *start {
                left.push((at, *start));
            }
            at = at.max(*end);
        }
        if at < *to {
            left.push((at, *to));
        }
    }
    left
}

fn periods(all: &[(u16, u16)]) -> Vec<Period> {
    all.iter().filter_map(|(from, to)| Period::new(*from, *to).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_day_is_what_nobody_has_free() {
        let open = merged(vec![(480, 720), (840, 1080), (700, 720)]);
        assert_eq!(open, [(480, 720), (840, 1080)]);
        assert_eq!(without(&open, &[]), open);
        assert_eq!(without(&open, &[(0, 1440)]), []);
        assert_eq!(without(&open, &[(510, 600), (720, 900)]), [(480, 510), (600, 720), (900, 1080)]);
        // A lunch hour that two people take apart from each other is nobody's.
        assert_eq!(merged(vec![(480, 720), (600, 1080)]), [(480, 1080)]);
    }
}
