//! What a push does next so that an external calendar shows an appointment as it is, and who has a time that two programs took at once.
//!
//! A push looks at what is wanted and at what is known, and never at what the last push had in mind. So it may be repeated after any crash.

use jiff::tz::TimeZone;

use crate::Span;
use crate::outside_event::{Edit, EventMark, EventOwner, EventState, EventTime, OutsideEvent, ShownEvent, judge_edit};

/// After so many claims that no push or reading ended, the row is set aside: then it is this row that ends the program. Staff
/// take it up again.
pub const MAX_CRASHES: u32 = 3;

/// The event that an appointment is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedEvent {
    /// The calendar.
    pub calendar: String,
    /// When.
    pub span: Span,
    /// Whose it is.
    pub mark: EventMark,
}

/// The next call of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStep {
    /// Nothing is to be done.
    Done,
    /// An earlier insert may have arrived: the id is looked up first.
    LookUp,
    /// A new event.
    Insert,
    /// The event goes into another calendar.
    Transfer,
    /// The event gets what is wanted.
    Change,
    /// The event goes.
    Delete,
}

/// The next call. `may_be_there` says that an insert under the present id may have been sent, and was not looked up since.
#[must_use]
pub fn next_step(wanted: Option<&WantedEvent>, known: Option<&ShownEvent>, may_be_there: bool) -> PushStep {
    match (wanted, known) {
        (_, None) if may_be_there => PushStep::LookUp,
        (None, None) => PushStep::Done,
        (None, Some(_)) => PushStep::Delete,
        (Some(_), None) => PushStep::Insert,
        (Some(wanted), Some(known)) if wanted.calendar != known.calendar => PushStep::Transfer,
        (Some(wanted), Some(known)) if wanted.span != known.span || wanted.mark != known.mark => PushStep::Change,
        (Some(_), Some(_)) => PushStep::Done,
    }
}

/// What stands under the id of an event that a push wrote, or may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundEvent {
    /// No event, now or before.
    Absent,
    /// A deleted event: its id cannot be used again.
    Used,
    /// Our event.
    Ours(ShownEvent),
    /// An event that carries no mark of this owner.
    Foreign,
}

/// Reads what stands under an id of ours.
#[must_use]
pub fn read_found(found: Option<&OutsideEvent>, owner: &EventOwner) -> FoundEvent {
    let Some(event) = found else { return FoundEvent::Absent };
    if event.state == EventState::Cancelled {
        return FoundEvent::Used;
    }
    match (&event.mark, event.time) {
        (Some(mark), Some(EventTime::Timed(span))) if mark.owner == *owner => FoundEvent::Ours(ShownEvent {
            calendar: event.calendar.clone(),
            id: event.id.clone(),
            version: event.version.clone(),
            span,
            mark: mark.clone(),
        }),
        _ => FoundEvent::Foreign,
    }
}

/// What a push does with an event that is not as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedEvent {
    /// A person changed nothing that the customer was promised, or what is wanted: the push goes on from there.
    GoOn(ShownEvent),
    /// The event is deleted, as is wanted.
    Gone,
    /// A person changed what the customer was promised.
    Conflict(crate::outside_event::ConflictKind),
}

/// Judges an event that changed under a push, or that a push of ours made without an answer. `earlier` are the numbers that the appointment
/// had before it was moved, each with its time: a push whose answer was lost may have written one of them. What a push writes under a number
/// is the time of that appointment; anything else is the edit of a person.
#[must_use]
pub fn judge_changed(
    event: Option<&OutsideEvent>,
    wanted: Option<&WantedEvent>,
    known: &ShownEvent,
    earlier: &[(i64, Span)],
) -> ChangedEvent {
    use crate::outside_event::ConflictKind;
    let owner = &known.mark.owner;
    match read_found(event, owner) {
        FoundEvent::Absent | FoundEvent::Used if wanted.is_none() => ChangedEvent::Gone,
        FoundEvent::Absent | FoundEvent::Used => ChangedEvent::Conflict(ConflictKind::Deleted),
        // Our tables decide: what is cancelled goes, whatever a person made of it.
        FoundEvent::Ours(found) if wanted.is_none() => ChangedEvent::GoOn(found),
        FoundEvent::Ours(found) => {
            let Some(written) = find_written(&found.mark, wanted, known, earlier) else {
                return ChangedEvent::Conflict(ConflictKind::OwnerChanged);
            };
            let is_free = event.is_some_and(|event| event.state == EventState::Free);
            let is_in_place = found.span == written || wanted.is_some_and(|wanted| wanted.span == found.span);
            match event.map(|event| judge_edit(event, Some(&as_written(known, &found.mark, written)), owner)) {
                _ if is_free => ChangedEvent::Conflict(ConflictKind::NoLongerBusy),
                Some(Edit::Moved { .. }) if !is_in_place => ChangedEvent::Conflict(ConflictKind::RefusedMove),
                Some(Edit::Conflict(kind)) if !is_in_place => ChangedEvent::Conflict(kind),
                _ => ChangedEvent::GoOn(found),
            }
        }
        FoundEvent::Foreign => match event.map(|event| judge_edit(event, Some(&as_marked(known, event)), owner)) {
            Some(Edit::Conflict(kind)) => ChangedEvent::Conflict(kind),
            _ => ChangedEvent::Conflict(ConflictKind::OwnerChanged),
        },
    }
}

/// The time at which a push of ours wrote the event under this mark; `None` if none did.
#[must_use]
pub fn find_written(
    mark: &EventMark,
    wanted: Option<&WantedEvent>,
    known: &ShownEvent,
    earlier: &[(i64, Span)],
) -> Option<Span> {
    if *mark == known.mark {
        return Some(known.span);
    }
    if let Some(wanted) = wanted.filter(|wanted| wanted.mark == *mark) {
        return Some(wanted.span);
    }
    earlier.iter().find(|(number, _)| *number == mark.appointment).map(|(_, span)| *span)
}

/// An event as a push left it whose answer was lost: nothing is known of its version.
fn as_written(known: &ShownEvent, mark: &EventMark, span: Span) -> ShownEvent {
    ShownEvent { version: String::new(), mark: mark.clone(), span, ..known.clone() }
}

/// What is known, under the mark that the event has if it is one of this owner.
fn as_marked(known: &ShownEvent, event: &OutsideEvent) -> ShownEvent {
    let mark = event.mark.clone().filter(|mark| mark.owner == known.mark.owner);
    ShownEvent { version: String::new(), mark: mark.unwrap_or_else(|| known.mark.clone()), ..known.clone() }
}

/// Whether an event is as a push that waits may have left it, so that it tells nothing of a person: as it is wanted, deleted as is wanted,
/// or on its way from the calendar where it is known into the one where it is wanted.
#[must_use]
pub fn is_own_write(event: &OutsideEvent, wanted: Option<&WantedEvent>, known: &ShownEvent) -> bool {
    if event.id != known.id {
        return false;
    }
    let leaves = wanted.is_none_or(|wanted| wanted.calendar != known.calendar);
    if event.state == EventState::Cancelled {
        return leaves && event.calendar == known.calendar;
    }
    let Some(wanted) = wanted.filter(|wanted| wanted.calendar == event.calendar) else { return false };
    let is_at = |span: Span| event.state == EventState::Busy && event.time == Some(EventTime::Timed(span));
    let is_written = event.mark.as_ref() == Some(&wanted.mark) && is_at(wanted.span);
    let is_transferred = leaves && event.mark.as_ref() == Some(&known.mark) && is_at(known.span);
    is_written || is_transferred
}

/// Whether an event is where a request of ours that comes late brings it: at its time, in the calendar into which it was sent, and deleted
/// where it was. `sent_to` is the calendar of a request whose answer is missing.
#[must_use]
pub fn is_late_transfer(event: &OutsideEvent, known: &ShownEvent, sent_to: &str) -> bool {
    if event.id != known.id || sent_to == known.calendar {
        return false;
    }
    if event.state == EventState::Cancelled {
        return event.calendar == known.calendar;
    }
    let is_as_known = event.mark.as_ref() == Some(&known.mark) && event.time == Some(EventTime::Timed(known.span));
    event.calendar == sent_to && event.state == EventState::Busy && is_as_known
}

/// How our event came to its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It was made there.
    Made,
    /// It was made elsewhere, and moved there by its last change.
    Moved,
}

/// The event of another program or person that has the time of ours: it is busy, touches the span, and was made before ours came there. A
/// service may say the instant of making in whole seconds only: of two that were made in the same second, the one whose last change is
/// earlier has the time, and of two with the same last change the one with the smaller id, so that two programs that book come to the same
/// answer.
#[must_use]
pub fn find_earlier<'a>(
    (ours, arrival): (&OutsideEvent, Arrival),
    others: &'a [OutsideEvent],
    span: Span,
    zone: &TimeZone,
    owner: &EventOwner,
) -> Option<&'a OutsideEvent> {
    let made = |event: &OutsideEvent| event.created_at.or(event.updated_at);
    let changed = |event: &OutsideEvent| event.updated_at.or(event.created_at);
    let came = match arrival {
        Arrival::Made => made(ours),
        Arrival::Moved => changed(ours),
    };
    let ours_came = (came, changed(ours), &ours.id);
    let is_rival = |event: &&OutsideEvent| event.id != ours.id && is_foreign_at(event, span, zone, owner);
    others.iter().filter(is_rival).find(|event| (made(event), changed(event), &event.id) < ours_came)
}

/// Whether an event of another program or person takes some of a span.
#[must_use]
pub fn has_foreign(others: &[OutsideEvent], span: Span, zone: &TimeZone, owner: &EventOwner) -> bool {
    others.iter().any(|event| is_foreign_at(event, span, zone, owner))
}

fn is_foreign_at(event: &OutsideEvent, span: Span, zone: &TimeZone, owner: &EventOwner) -> bool {
    let is_foreign = !event.is_of(owner);
    let taken = event.time.and_then(|time| time.span(zone)).filter(|_| event.state == EventState::Busy);
    is_foreign && taken.is_some_and(|taken| taken.overlaps(&span))
}

/// The longest pause between two attempts that the program takes by itself, and that a service may ask for, in seconds.
const LONGEST_PAUSE_S: u64 = 3600;

/// When a push or a reading that failed is tried again, in seconds: twice as long each time, at most an hour, and up to a quarter more so
/// that many do not come back at once. `seed` spreads them. A service that asks for a longer pause (`asked_ms`) gets it, up to an hour.
#[must_use]
pub fn retry_delay_s(failures: u32, seed: u64, asked_ms: Option<u64>) -> u64 {
    let base = 15_u64.saturating_mul(1 << failures.min(8)).min(LONGEST_PAUSE_S);
    let asked = asked_ms.map_or(0, |ms| ms.div_ceil(1_000)).min(LONGEST_PAUSE_S);
    base.saturating_add(spread(seed, base / 4)).max(asked)
}

/// When a calendar is read again, in seconds: every 12 minutes, a quarter more or less.
#[must_use]
pub fn poll_delay_s(seed: u64) -> u64 {
    const PERIOD: u64 = 12 * 60;
    (PERIOD - PERIOD / 4).saturating_add(spread(seed, PERIOD / 2))
}

/// A number from 0 to `below`, spread evenly over seeds (Steele, Lea, Flood: `SplitMix64`).
fn spread(seed: u64, below: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) % below.saturating_add(1)
}

#[cfg(test)]
#[path = "calendar_push_tests.rs"]
mod tests;
