//! An event of a calendar service outside, and what an edit that a person made there means.
//!
//! Our own tables decide who has a slot. A person may move an event of ours; every other edit of one is a conflict, which
//! staff resolve, because the customer was promised something else.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::Span;

/// Who writes events: one business of one installation. Two installations count their businesses and appointments alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventOwner {
    /// The installation, by its random id; empty in events that earlier builds wrote.
    pub installation: String,
    /// The business, by its number.
    pub organization: i64,
}

/// Whose an event is: what this program wrote into its private properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventMark {
    /// Who wrote it.
    pub owner: EventOwner,
    /// The appointment, by its number.
    pub appointment: i64,
}

/// When an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventTime {
    /// From an instant to another.
    Timed(Span),
    /// Whole days: the first date, and the first date after it. They begin at the local midnight of the business, because a
    /// calendar says days and no instants.
    AllDay {
        /// The first date.
        from: Date,
        /// The first date after it.
        until: Date,
    },
}

/// What an event means for the time it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventState {
    /// It takes its time: opaque, confirmed or tentative, private or not.
    Busy,
    /// It takes none: transparent, declined by the owner of the calendar, a birthday, a working place.
    Free,
    /// It is deleted.
    Cancelled,
}

/// An event of a calendar service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideEvent {
    /// The calendar.
    pub calendar: String,
    /// Its id there.
    pub id: String,
    /// Its version (an `ETag`).
    pub version: String,
    /// What it means for the time it takes.
    pub state: EventState,
    /// When; a deleted one may not say it.
    pub time: Option<EventTime>,
    /// Its title, if it is to be read; a private one has none.
    pub title: Option<String>,
    /// Whose it is, if this program wrote it.
    pub mark: Option<EventMark>,
    /// The series that it is an instance of.
    pub series: Option<String>,
    /// When it was made, if the service says so.
    pub created_at: Option<Timestamp>,
    /// When it was last changed, if the service says so.
    pub updated_at: Option<Timestamp>,
}

impl OutsideEvent {
    /// Takes an event that names no installation for one of this owner, if it names the business. It holds only for an event whose id is
    /// known to be ours: earlier builds named no installation.
    #[must_use]
    pub fn signed_by(mut self, owner: &EventOwner) -> Self {
        if let Some(mark) = &mut self.mark
            && mark.owner.installation.is_empty()
            && mark.owner.organization == owner.organization
        {
            mark.owner = owner.clone();
        }
        self
    }

    /// Whether this owner wrote the event.
    #[must_use]
    pub fn is_of(&self, owner: &EventOwner) -> bool {
        self.mark.as_ref().is_some_and(|mark| mark.owner == *owner)
    }
}

impl EventTime {
    /// The instants that it takes; whole days begin and end at midnight in `zone`. `None` outside of the range of instants.
    #[must_use]
    pub fn span(self, zone: &TimeZone) -> Option<Span> {
        match self {
            Self::Timed(span) => Some(span),
            Self::AllDay { from, until } => {
                let midnight = |date: Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
                Some(Span::new(midnight(from)?, midnight(until)?))
            }
        }
    }
}

/// The event that shows an appointment, as this program last wrote or read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownEvent {
    /// The calendar.
    pub calendar: String,
    /// Its id there.
    pub id: String,
    /// Its version.
    pub version: String,
    /// When.
    pub span: Span,
    /// Whose it is.
    pub mark: EventMark,
}

/// What an event that the service lists as changed means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Nothing: it is our own write, which comes back.
    Echo,
    /// Nothing that the customer was promised: a title, a colour. The new version is to be kept.
    Harmless,
    /// An event that is not ours: it takes its time, or gives it back.
    Foreign,
    /// A person moved it to another time of the same length.
    Moved {
        /// The new time.
        to: Span,
    },
    /// A person changed what the customer was promised.
    Conflict(ConflictKind),
}

/// What a person did that staff have to resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// The event of an appointment was deleted.
    Deleted,
    /// The event was moved to a time that the rules of booking refuse.
    RefusedMove,
    /// The event was moved, and became longer or shorter at once.
    MovedAndResized,
    /// The event became shorter.
    Shortened,
    /// The event became longer.
    Lengthened,
    /// The event became one of whole days.
    BecameAllDay,
    /// The event no longer takes its time.
    NoLongerBusy,
    /// The event was moved into another calendar.
    OtherCalendar,
    /// The mark that says whose the event is was changed or removed.
    OwnerChanged,
    /// The event was copied: the copy names an appointment that has its event.
    Copied,
    /// The event became a series, or an instance of one was changed.
    RecurringException,
    /// A foreign event lies on an appointment.
    Collision,
    /// An event of whole days lies on appointments.
    AllDayBlock,
    /// The event was moved, and the appointment followed. Staff decide whether the customer gets the message.
    Moved,
}

impl ConflictKind {
    /// Whether the conflict is about our own event, which can be put back, and not about another person's.
    #[must_use]
    pub const fn is_about_ours(self) -> bool {
        !matches!(self, Self::Collision | Self::AllDayBlock | Self::Copied | Self::RecurringException)
    }

    /// Whether the conflict is that another's event lies on an appointment.
    #[must_use]
    pub const fn is_collision(self) -> bool {
        matches!(self, Self::Collision | Self::AllDayBlock)
    }

    /// Whether the conflict is about a visit to come alone, so that it ends when the visit is cancelled, moved or begun.
    #[must_use]
    pub const fn ends_with_visit(self) -> bool {
        matches!(self, Self::Collision | Self::AllDayBlock | Self::Copied | Self::Moved)
    }

    /// All.
    pub const ALL: [Self; 14] = [
        Self::Deleted,
        Self::RefusedMove,
        Self::MovedAndResized,
        Self::Shortened,
        Self::Lengthened,
        Self::BecameAllDay,
        Self::NoLongerBusy,
        Self::OtherCalendar,
        Self::OwnerChanged,
        Self::Copied,
        Self::RecurringException,
        Self::Collision,
        Self::AllDayBlock,
        Self::Moved,
    ];

    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::RefusedMove => "refused_move",
            Self::MovedAndResized => "moved_and_resized",
            Self::Shortened => "shortened",
            Self::Lengthened => "lengthened",
            Self::BecameAllDay => "became_all_day",
            Self::NoLongerBusy => "no_longer_busy",
            Self::OtherCalendar => "other_calendar",
            Self::OwnerChanged => "owner_changed",
            Self::Copied => "copied",
            Self::RecurringException => "recurring_exception",
            Self::Collision => "collision",
            Self::AllDayBlock => "all_day_block",
            Self::Moved => "moved",
        }
    }

    /// Which of two conflicts of one event is shown: a move into another calendar leaves a deletion in the old one, and the two
    /// calendars are read in any order.
    #[must_use]
    pub fn of_one_event(self, later: Self) -> Self {
        match (self, later) {
            (Self::OtherCalendar, Self::Deleted) => self,
            _ => later,
        }
    }
}

impl std::str::FromStr for ConflictKind {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|one| one.as_str() == word).ok_or(())
    }
}

/// What a changed event means. `shown` is the event of the appointment that it is about: the one with the same id (or the id of its
/// series), else the one that its mark names; `None` if there is none. An event with the mark of another business or installation is foreign.
///
/// A move is only read here; whether the new time can be booked is the affair of the rules of booking.
#[must_use]
pub fn judge_edit(event: &OutsideEvent, shown: Option<&ShownEvent>, owner: &EventOwner) -> Edit {
    let is_marked = event.is_of(owner);
    let Some(shown) = shown else {
        let copied = is_marked && event.state != EventState::Cancelled;
        return if copied { Edit::Conflict(ConflictKind::Copied) } else { Edit::Foreign };
    };
    if event.series.as_ref() == Some(&shown.id) {
        return Edit::Conflict(ConflictKind::RecurringException);
    }
    if event.id != shown.id {
        let copied = is_marked && event.state != EventState::Cancelled;
        return if copied { Edit::Conflict(ConflictKind::Copied) } else { Edit::Foreign };
    }
    if event.calendar == shown.calendar && event.version == shown.version {
        return Edit::Echo;
    }
    match change_of(event, shown) {
        Ok(edit) => edit,
        Err(kind) => Edit::Conflict(kind),
    }
}

/// What changed of the event that shows an appointment.
fn change_of(event: &OutsideEvent, shown: &ShownEvent) -> Result<Edit, ConflictKind> {
    if event.state == EventState::Cancelled {
        // What the old calendar lists of an event that was moved into another one.
        return if event.calendar == shown.calendar { Err(ConflictKind::Deleted) } else { Ok(Edit::Foreign) };
    }
    if event.calendar != shown.calendar {
        return Err(ConflictKind::OtherCalendar);
    }
    if event.series.is_some() {
        return Err(ConflictKind::RecurringException);
    }
    // Of an event that lost both, the first decides whether its time is taken.
    if event.state == EventState::Free {
        return Err(ConflictKind::NoLongerBusy);
    }
    if event.mark.as_ref() != Some(&shown.mark) {
        return Err(ConflictKind::OwnerChanged);
    }
    let Some(EventTime::Timed(span)) = event.time else { return Err(ConflictKind::BecameAllDay) };
    if span == shown.span {
        return Ok(Edit::Harmless);
    }
    let length = |span: Span| span.start.duration_until(span.end);
    match (span.start == shown.span.start, length(span).cmp(&length(shown.span))) {
        (_, Ordering::Equal) => Ok(Edit::Moved { to: span }),
        (false, Ordering::Less | Ordering::Greater) => Err(ConflictKind::MovedAndResized),
        (true, Ordering::Less) => Err(ConflictKind::Shortened),
        (true, Ordering::Greater) => Err(ConflictKind::Lengthened),
    }
}

/// The conflict of a foreign event that takes the time of an appointment; `None` if it does not touch it.
#[must_use]
pub fn judge_collision(event: &OutsideEvent, zone: &TimeZone, appointment: Span) -> Option<ConflictKind> {
    if event.state != EventState::Busy {
        return None;
    }
    let time = event.time?;
    let touches = time.span(zone)?.overlaps(&appointment);
    touches.then_some(match time {
        EventTime::Timed(_) => ConflictKind::Collision,
        EventTime::AllDay { .. } => ConflictKind::AllDayBlock,
    })
}

/// How many events may disappear at once without a question, however few there are.
const FEW_EVENTS: usize = 4;

/// Whether so many of the known events disappeared at once that a person has to say that it is true: more than `percent` of them, and
/// more than a few. A service that lists nothing by a fault must not empty a calendar.
#[must_use]
pub fn is_suspicious_drop(known: usize, gone: usize, percent: u32) -> bool {
    let allowed = known.saturating_mul(usize::try_from(percent).unwrap_or(usize::MAX)) / 100;
    gone > FEW_EVENTS && gone > allowed
}

#[cfg(test)]
#[path = "outside_event_tests.rs"]
mod tests;
