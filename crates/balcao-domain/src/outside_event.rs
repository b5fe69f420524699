//! An event of a calendar service outside, as the rules need it, and what becomes of an edit that a person made there.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::Span;

/// Whose an event is: what this program wrote into its private properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventMark {
    /// The business, by its number.
    pub organization: i64,
    /// The appointment, by its number.
    pub appointment: i64,
}

/// When an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventTime {
    /// From an instant to another.
    Timed(Span),
    /// Whole days: the first date, and the first date after it. They begin at the local midnight of the calendar's zone.
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
