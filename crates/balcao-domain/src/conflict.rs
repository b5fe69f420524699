//! Bookings outside of working time: in a time off, on a holiday, in closed hours.
//!
//! Such a booking was made before the time off or the holiday was entered. Staff move it, cancel it or keep it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::Span;
use crate::hours::Hours;
use crate::professional::Professional;

/// Why a booking lies outside of working time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictReason {
    /// The professional has time off.
    TimeOff,
    /// The business is closed: a holiday, an exception or its weekly hours.
    BusinessClosed,
    /// The business is open, and the professional does not work.
    NotWorking,
}

impl ConflictReason {
    const ALL: [Self; 3] = [Self::TimeOff, Self::BusinessClosed, Self::NotWorking];

    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TimeOff => "time_off",
            Self::BusinessClosed => "business_closed",
            Self::NotWorking => "not_working",
        }
    }
}

impl std::str::FromStr for ConflictReason {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|one| one.as_str() == word).ok_or(())
    }
}

/// Why a booking of a professional lies outside of working time, the most particular reason first; nothing if its whole span is working
/// time.
///
/// A time off that only touches the span does not count. `business` holds the hours on the dates of the span, holidays included.
#[must_use]
pub fn find_conflicts(
    zone: &TimeZone,
    business: &Hours,
    professional: &Professional,
    span: Span,
) -> Vec<ConflictReason> {
    let is_away = professional.time_off.iter().any(|off| off.span.overlaps(&span));
    let mut reasons: Vec<ConflictReason> = is_away.then_some(ConflictReason::TimeOff).into_iter().collect();
    if !is_within(zone, business, span) {
        reasons.push(ConflictReason::BusinessClosed);
    } else if !is_within(zone, &professional.hours, span) {
        reasons.push(ConflictReason::NotWorking);
    }
    reasons
}

/// Whether the periods of the local date on which a span begins hold all of the span; periods that touch are one. What goes on after
/// midnight needs a period until midnight.
#[must_use]
pub fn is_within(zone: &TimeZone, hours: &Hours, span: Span) -> bool {
    let (starts, ends) = (zone.to_datetime(span.start), zone.to_datetime(span.end));
    let last = if ends.date() > starts.date() { 1_440 } else { minute(zone, span.end) };
    let mut covered = minute(zone, span.start);
    for open in hours.on(starts.date()) {
        if open.opens_min() <= covered {
            covered = covered.max(open.closes_min());
        }
    }
    covered >= last
}

fn minute(zone: &TimeZone, at: Timestamp) -> u16 {
    let local = zone.to_datetime(at);
    u16::try_from(i32::from(local.hour()).saturating_mul(60).saturating_add(i32::from(local.minute()))).unwrap_or(0)
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
