//! Half-open spans of time.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// From `start`, included, to `end`, excluded: 09:00–09:30 and 09:30–10:00 do not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first instant inside.
    pub start: Timestamp,
    /// The first instant after.
    pub end: Timestamp,
}

impl Span {
    /// A span; an `end` before `start` gives an empty one at `start`.
    #[must_use]
    pub fn new(start: Timestamp, end: Timestamp) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The span of `minutes` from `start` on, cut at the end of representable time.
    #[must_use]
    pub fn of_minutes(start: Timestamp, minutes: u32) -> Self {
        Self { start, end: plus_minutes(start, i64::from(minutes)) }
    }

    /// Whether the two share an instant.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end && self.start < self.end && other.start < other.end
    }

    /// The span with `before` minutes put in front and `after` minutes behind.
    #[must_use]
    pub fn widened(&self, before_min: u32, after_min: u32) -> Self {
        Self {
            start: plus_minutes(self.start, -i64::from(before_min)),
            end: plus_minutes(self.end, i64::from(after_min)),
        }
    }
}

/// `instant` moved by whole minutes, stopping at the ends of representable time.
#[must_use]
pub fn plus_minutes(instant: Timestamp, minutes: i64) -> Timestamp {
    let end = if minutes < 0 { Timestamp::MIN } else { Timestamp::MAX };
    instant.checked_add(SignedDuration::from_secs(minutes.saturating_mul(60))).unwrap_or(end)
}
