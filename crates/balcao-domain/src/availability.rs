//! Free slots: working periods ∩ business hours − time off − holidays − occupied, not before now plus the notice, not
//! after the maximum advance.
//!
//! A pure function over intervals. Hours are civil and belong to the organization's zone; everything else is seconds since
//! the epoch. An instant is working time if its local time lies in a period of its local date; so an hour that a clock
//! change skips is never offered, and of an hour that it repeats each start is offered once, the first time.
//!
//! A professional of capacity *n* has seats 1 to *n*, and a slot is free if one seat is free for all of it: two halves on
//! different seats do not make an appointment. Buffers may reach beyond working hours, but not into another appointment.
//!
//! Not here: which rows are loaded (`balcao-app`), and the guarantee that two bookings never overlap (`balcao-store`).

mod timeline;
mod working_hours;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::hours::Hours;
use crate::ids::ProfessionalId;
use crate::intervals::{merged, without};
use crate::scheduling::{QUANTUM_MIN, SlotMode};
use crate::span::Span;
use timeline::{Timeline, Window};

pub use working_hours::works;

/// What is asked, the same for all professionals.
#[derive(Debug, Clone)]
pub struct SlotQuery<'a> {
    /// The organization's zone.
    pub zone: &'a TimeZone,
    /// The first local date.
    pub from: Date,
    /// The last local date, included.
    pub to: Date,
    /// The current instant.
    pub now: Timestamp,
    /// Nothing starts before now plus this.
    pub notice_min: u32,
    /// Nothing starts later than this many local dates after today.
    pub advance_days: u32,
    /// Minutes between starts. Zero is read as one quantum.
    pub step_min: u32,
    /// How starts are chosen.
    pub mode: SlotMode,
    /// The organization's hours, exceptions and holidays.
    pub business: &'a Hours,
}

/// A professional, as far as the question needs to know them.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// Who.
    pub professional: ProfessionalId,
    /// When they work.
    pub hours: &'a Hours,
    /// When they are away.
    pub time_off: &'a [Span],
    /// What is booked, in any order, each with the buffers of its own service.
    pub occupied: &'a [Occupied],
    /// How many appointments they take at a time.
    pub capacity: u32,
    /// How long the appointment would take with them. Zero is never free.
    pub duration_min: u32,
    /// Free time wanted before it.
    pub buffer_before_min: u32,
    /// Free time wanted after it.
    pub buffer_after_min: u32,
}

/// Time that cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupied {
    /// When.
    pub span: Span,
    /// On which seat, from 1; `None` for all of them.
    pub seat: Option<u32>,
}

/// The starts that one professional has free.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeSlots {
    /// Who.
    pub professional: ProfessionalId,
    /// When an appointment could start, in order.
    pub starts: Vec<Timestamp>,
}

/// Whether one start could be booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is free.
    Free,
    /// It is over.
    Past,
    /// Less than the notice ahead.
    TooSoon,
    /// Beyond the maximum advance.
    TooFar,
    /// Not on a quantum of five minutes.
    OffGrid,
    /// Outside of business or working hours, in whole or in part.
    OutsideHours,
    /// The professional is away.
    Away,
    /// Another appointment has it.
    Taken,
}

/// The free starts of each candidate, in the order of the candidates; one without any has an empty list.
///
/// In O(n log n) of the appointments given, plus the starts on the grid.
#[must_use]
pub fn free_slots(question: &SlotQuery<'_>, candidates: &[Candidate<'_>]) -> Vec<FreeSlots> {
    let bounds = Bounds::from_query(question);
    let timeline = Timeline::new(question.zone, question.from.max(bounds.today), question.to.min(bounds.last_date));
    let free = |candidate: &Candidate<'_>| {
        let windows = timeline.windows(question.business, candidate.hours);
        let seats: Vec<_> = (1..=candidate.capacity).map(|seat| blocked(candidate, seat)).collect();
        let starts = match question.mode {
            SlotMode::Grid => grid(&windows, &seats, seconds(question.step_min.max(1)), candidate, &bounds),
            SlotMode::Fit => fit(&windows, &seats, candidate, &bounds),
        };
        let starts = starts.into_iter().filter_map(|start| Timestamp::from_second(start).ok()).collect();
        FreeSlots { professional: candidate.professional, starts }
    };
    candidates.iter().map(free).collect()
}

/// The time in which a candidate is open and has a free seat, from now plus the notice on, in order and without touching.
#[must_use]
pub fn free_spans(question: &SlotQuery<'_>, candidate: &Candidate<'_>) -> Vec<Span> {
    let bounds = Bounds::from_query(question);
    let timeline = Timeline::new(question.zone, question.from.max(bounds.today), question.to.min(bounds.last_date));
    let windows = timeline.windows(question.business, candidate.hours);
    let mut free = Vec::new();
    for seat in 1..=candidate.capacity {
        let blockers = blocked(candidate, seat);
        for window in windows.iter().filter(|window| window.offered) {
            let from = window.lo.max(bounds.earliest);
            free.extend(without(&[(from, window.hi)], &blockers));
        }
    }
    let spans = merged(free).into_iter();
    let instants =
        |(start, end)| Some(Span::new(Timestamp::from_second(start).ok()?, Timestamp::from_second(end).ok()?));
    spans.filter_map(instants).collect()
}

/// Whether `start` could be booked with `candidate`. The question's dates and step play no part: a start off the grid that
/// customers are offered is bookable, as long as it is on a quantum.
#[must_use]
pub fn check(question: &SlotQuery<'_>, candidate: &Candidate<'_>, start: Timestamp) -> Verdict {
    let bounds = Bounds::from_query(question);
    let first = start.as_second();
    let end = first + seconds(candidate.duration_min);
    let date = question.zone.to_datetime(start).date();
    if start < question.now {
        return Verdict::Past;
    }
    if first < bounds.earliest {
        return Verdict::TooSoon;
    }
    if date > bounds.last_date {
        return Verdict::TooFar;
    }
    if start.subsec_nanosecond() != 0 || first.rem_euclid(seconds(QUANTUM_MIN)) != 0 {
        return Verdict::OffGrid;
    }
    let windows = Timeline::new(question.zone, date, date).windows(question.business, candidate.hours);
    if !windows.iter().any(|window| window.lo <= first && first < window.hi && end <= window.limit) || first >= end {
        return Verdict::OutsideHours;
    }
    let asked = Span::of_minutes(start, candidate.duration_min);
    if candidate.time_off.iter().any(|away| away.overlaps(&asked)) {
        return Verdict::Away;
    }
    let is_free = |seat| !blocked(candidate, seat).iter().any(|(from, to)| first < *to && *from < end);
    if (1..=candidate.capacity).any(is_free) { Verdict::Free } else { Verdict::Taken }
}

/// The instant of a local date and minute, or `None` where a clock change skips it. Of a repeated one it is the first.
#[must_use]
pub fn instant_of(zone: &TimeZone, date: Date, minute: u16) -> Option<Timestamp> {
    let hour = i8::try_from(minute / 60).ok()?;
    let local = date.to_datetime(jiff::civil::Time::new(hour, i8::try_from(minute % 60).ok()?, 0, 0).ok()?);
    let ambiguous = zone.to_ambiguous_timestamp(local);
    let exists = !matches!(ambiguous.offset(), jiff::tz::AmbiguousOffset::Gap { .. });
    exists.then(|| ambiguous.compatible().ok()).flatten()
}

/// What no start may pass.
struct Bounds {
    today: Date,
    last_date: Date,
    /// In seconds since the epoch.
    earliest: i64,
}

impl Bounds {
    fn from_query(question: &SlotQuery<'_>) -> Self {
        let today = question.zone.to_datetime(question.now).date();
        let last_date = today.saturating_add(jiff::Span::new().days(i64::from(question.advance_days.min(100_000))));
        let whole_second = question.now.as_second() + i64::from(question.now.subsec_nanosecond() > 0);
        Self { today, last_date, earliest: whole_second + seconds(question.notice_min) }
    }
}

fn seconds(minutes: u32) -> i64 {
    i64::from(minutes) * 60
}

/// Where the appointment itself, without its buffers, cannot be: time off, and what is booked, widened by the buffers.
fn blocked(candidate: &Candidate<'_>, seat: u32) -> Vec<(i64, i64)> {
    let (before, after) = (seconds(candidate.buffer_before_min), seconds(candidate.buffer_after_min));
    let mut spans = Vec::with_capacity(candidate.occupied.len() + candidate.time_off.len());
    for taken in candidate.occupied.iter().filter(|taken| taken.seat.is_none_or(|of| of == seat)) {
        let (start, end) = in_seconds(&taken.span);
        if start < end {
            // Our buffer before us must not reach into what ends before us, nor the one after us into what starts after.
            spans.push((start - after, end + before));
        }
    }
    spans.extend(candidate.time_off.iter().map(in_seconds).filter(|(start, end)| start < end));
    merged(spans)
}

/// A span in whole seconds, never shorter than it is.
fn in_seconds(span: &Span) -> (i64, i64) {
    (span.start.as_second(), span.end.as_second() + i64::from(span.end.subsec_nanosecond() > 0))
}

/// Walks blockers beside starts that only grow.
struct Walk<'a> {
    ahead: &'a [(i64, i64)],
}

impl Walk<'_> {
    fn is_free(&mut self, start: i64, end: i64) -> bool {
        while let [(_, over), rest @ ..] = self.ahead
            && *over <= start
        {
            self.ahead = rest;
        }
        self.ahead.first().is_none_or(|(from, _)| *from >= end)
    }
}

fn grid(
    windows: &[Window],
    seats: &[Vec<(i64, i64)>],
    step: i64,
    candidate: &Candidate<'_>,
    bounds: &Bounds,
) -> Vec<i64> {
    let duration = seconds(candidate.duration_min);
    let mut walks: Vec<Walk<'_>> = seats.iter().map(|ahead| Walk { ahead }).collect();
    let mut starts = Vec::new();
    if duration == 0 {
        return starts;
    }
    for window in windows.iter().filter(|window| window.offered) {
        let from = window.lo.max(bounds.earliest);
        // The grid counts from the opening of the period, which may lie before the window: in an hour that was skipped.
        let steps = (from - window.anchor).max(0);
        let mut start = window.anchor + (steps / step + i64::from(steps % step > 0)) * step;
        while start < window.hi && start + duration <= window.limit {
            if walks.iter_mut().any(|walk| walk.is_free(start, start + duration)) && !window.repeats(start) {
                starts.push(start);
            }
            start += step;
        }
    }
    starts
}

fn fit(windows: &[Window], seats: &[Vec<(i64, i64)>], candidate: &Candidate<'_>, bounds: &Bounds) -> Vec<i64> {
    let (duration, quantum) = (seconds(candidate.duration_min), seconds(QUANTUM_MIN));
    let stride = duration + seconds(candidate.buffer_before_min.max(candidate.buffer_after_min));
    let mut starts = Vec::new();
    if duration == 0 {
        return starts;
    }
    for blockers in seats {
        for window in windows.iter().filter(|window| window.offered) {
            let mut from = window.lo.max(bounds.earliest);
            let beyond = [(window.limit, window.limit)];
            let inside = blockers.iter().filter(|(start, end)| *end > window.lo && *start < window.limit);
            for (start, end) in inside.chain(&beyond) {
                let last = (*start - duration).div_euclid(quantum) * quantum;
                let mut next = (from + quantum - 1).div_euclid(quantum) * quantum;
                let flush = Some(last).filter(|last| *last >= next);
                let mut packed = Vec::new();
                while next <= last {
                    packed.push(next);
                    next += stride;
                }
                packed.extend(flush);
                starts.extend(packed.into_iter().filter(|start| *start < window.hi && !window.repeats(*start)));
                from = from.max(*end);
            }
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

#[cfg(test)]
#[path = "availability_tests.rs"]
mod tests;
