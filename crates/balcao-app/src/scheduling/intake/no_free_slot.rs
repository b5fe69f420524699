//! Why a day has nothing free with the conversation's professional, and when they are free next.

use balcao_domain::hours::Period;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::{ContactId, OrganizationId};
use balcao_store::Tx;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use crate::context::app_context::UseCaseError;
use crate::scheduling::agenda::{Agenda, Slot, local_midnight};

/// Days after one without free times that are looked at.
const NEXT_DAYS: i64 = 14;
/// How many of those days, and how many times of each, the answer lists.
const NEXT_TOLD: (usize, usize) = (2, 3);

/// Why a day has nothing free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFreeSlot {
    /// The business is closed, and why that is not as usual.
    Closed {
        /// The holiday's name, or the note of the exception.
        note: Option<String>,
    },
    /// The professional does not work that day, or is away for all of it.
    Away,
    /// The professional has no working hours on any day.
    NoHours,
    /// All of it is booked, or too near.
    Full,
}

/// Why `date` has nothing free; its agenda is loaded.
pub(super) fn explain_empty_day(agenda: &Agenda, professional: &Professional, date: Date) -> NoFreeSlot {
    let open = agenda.business.on(date);
    let works = || -> Vec<Period> {
        let own = professional.hours.on(date);
        open.iter().flat_map(|open| own.iter().filter_map(|own| own.intersection(open))).collect()
    };
    if professional.hours.is_empty() {
        return NoFreeSlot::NoHours;
    }
    if open.is_empty() {
        return NoFreeSlot::Closed { note: agenda.business.note_on(date).map(str::to_owned) };
    }
    let midnight = local_midnight(&agenda.zone, date);
    let instant = |minute: u16| balcao_domain::span::plus_minutes(midnight, i64::from(minute));
    let off = |period: &Period| {
        let (from, to) = (instant(period.opens_min()), instant(period.closes_min()));
        professional.time_off.iter().any(|one| one.span.start <= from && to <= one.span.end)
    };
    if works().iter().all(off) { NoFreeSlot::Away } else { NoFreeSlot::Full }
}

/// The first free times after a day, of its first days that have any.
pub(super) fn find_next_free_days(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    professional: &Professional,
    service: Option<&Service>,
    date: Date,
    now: Timestamp,
) -> Result<Vec<Slot>, UseCaseError> {
    let dates = (date.saturating_add(1.day()), date.saturating_add(NEXT_DAYS.days()));
    let agenda = Agenda::load(tx, organization, Some(contact), dates, now)?;
    let free = agenda.free(service, None, Some(professional.id), dates);
    let starts = free.iter().flat_map(|free| &free.starts);
    let slots: Vec<Slot> = starts.filter_map(|start| agenda.slot(professional.id, *start)).collect();
    let days = slots.chunk_by(|one, next| one.date == next.date).take(NEXT_TOLD.0);
    Ok(days.flat_map(|day| day.iter().take(NEXT_TOLD.1)).cloned().collect())
}
