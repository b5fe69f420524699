//! Days of an agenda as hours and busy times: what several professionals leave free together, turned round.

use std::collections::BTreeSet;

use balcao_domain::hours::{Period, of_minutes};
use balcao_domain::intervals::{merged, without};
use balcao_domain::scheduling::QUANTUM_MIN;
use balcao_domain::service::Service;
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
    let open = merged(people().flat_map(|one| agenda.works(one, date)).map(minutes_of).collect());
    let of_some = |service: &&Service| people().any(|one| one.offers(service.id).is_none());
    let free_for = agenda.services.iter().filter(of_some);
    let free_for = free_for.map(|service| (service.name.clone(), starts(agenda, Some(service), only, date)));
    let free =
        people().flat_map(|one| agenda.free_spans(one, date)).filter_map(|span| minutes(&agenda.zone, date, span));
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
    let starts: BTreeSet<String> = starts.map(|at| agenda.zone.to_datetime(at).strftime("%H:%M").to_string()).collect();
    starts.into_iter().collect()
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

fn minutes_of(period: Period) -> (u16, u16) {
    (period.opens_min(), period.closes_min())
}
