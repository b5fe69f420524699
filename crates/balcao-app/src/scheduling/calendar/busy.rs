//! Days of an agenda as hours and busy times: what several professionals leave free together, turned round.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use balcao_domain::hours::{Period, format_minute, of_minutes};
use balcao_domain::intervals::{merged, without};
use balcao_domain::scheduling::QUANTUM_MIN;
use balcao_domain::service::Service;
use balcao_domain::{ProfessionalId, Span};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::BusyDay;
use crate::scheduling::agenda::Agenda;

/// Each date from `from` to `to`, both included and loaded: of everybody active, or of one.
pub(super) fn days(agenda: &Agenda, only: Option<ProfessionalId>, from: Date, to: Date) -> Vec<BusyDay> {
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
    let open = merged(people().flat_map(|one| agenda.works(one, date)).map(minutes_of).collect());
    let of_some = |service: &&Service| people().any(|one| one.offers(service.id).is_none());
    let free_for = agenda.services.iter().filter(of_some);
    let free_for = free_for.map(|service| (service.name.clone(), starts(agenda, Some(service), only, date)));
    let again = repeated(&agenda.zone, date);
    let spans = people().flat_map(|one| agenda.free_spans(one, date));
    let free = spans.flat_map(|span| minutes(&agenda.zone, date, span, again));
    let busy = without(&open, &merged(free.collect()));
    BusyDay {
        date,
        open: of_minutes(&open),
        busy: of_minutes(&busy),
        free: starts(agenda, None, only, date),
        free_for: free_for.collect(),
        closed: agenda.business.on(date).is_empty(),
        note: agenda.business.note_on(date).map(str::to_owned),
    }
}

/// When a visit could begin, with any of those who offer the service: `HH:MM`, in order.
fn starts(agenda: &Agenda, service: Option<&Service>, only: Option<ProfessionalId>, date: Date) -> Vec<String> {
    let starts = agenda.free(service, None, only, (date, date)).into_iter().flat_map(|one| one.starts);
    let starts: BTreeSet<u16> = starts.map(|at| agenda.minute_of_day(at)).collect();
    starts.into_iter().map(format_minute).collect()
}

/// The parts of a span on a date, by the clock on the wall: of an hour that the clock repeats the first time counts, as no visit
/// begins in the second. `again` is that hour.
fn minutes(zone: &TimeZone, date: Date, span: Span, again: Option<(i64, i64)>) -> Vec<(u16, u16)> {
    let spans = without(&[(span.start.as_second(), span.end.as_second())], again.as_slice());
    // The rest of a quantum that has begun cannot be booked.
    let quantum = u16::try_from(QUANTUM_MIN).unwrap_or(1);
    let on_the_wall = |(start, end): (i64, i64)| {
        // The end is where the last second stops: 24:00, and not the 23:00 that it is called where the clock goes back then.
        let last = minute_on(zone, date, end.saturating_sub(1), 1)?;
        let first = minute_on(zone, date, start, 0)?.next_multiple_of(quantum);
        (first < last).then_some((first, last))
    };
    spans.into_iter().filter_map(on_the_wall).collect()
}

/// The minute of `date` that a second lies in, after so many more seconds; the nearest end of the day for one of another date.
fn minute_on(zone: &TimeZone, date: Date, second: i64, more: i32) -> Option<u16> {
    let local = zone.to_datetime(Timestamp::from_second(second).ok()?);
    let of_day = i32::from(local.hour()) * 3600 + i32::from(local.minute()) * 60 + i32::from(local.second());
    match local.date().cmp(&date) {
        Ordering::Less => Some(0),
        Ordering::Equal => u16::try_from((of_day + more) / 60).ok(),
        Ordering::Greater => Some(24 * 60),
    }
}

/// The stretch of a date that the clock shows a second time, in seconds since the epoch.
fn repeated(zone: &TimeZone, date: Date) -> Option<(i64, i64)> {
    let midnight = date.to_zoned(zone.clone()).ok()?.timestamp();
    let change = zone.following(midnight).next()?;
    let at = change.timestamp();
    let back = zone.to_offset(midnight).seconds() - change.offset().seconds();
    let from = at.as_second();
    (back > 0 && zone.to_datetime(at).date() == date).then(|| (from, from + i64::from(back)))
}

fn minutes_of(period: Period) -> (u16, u16) {
    (period.opens_min(), period.closes_min())
}
