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

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_second(1_795_000_000 + number * 60).unwrap()
    }

    fn span(start: i64, end: i64) -> Span {
        Span::new(minute(start), minute(end))
    }

    #[test]
    fn spans_overlap_if_they_share_an_instant() {
        let table = [
            (span(0, 30), span(30, 60), false),
            (span(0, 31), span(30, 60), true),
            (span(0, 60), span(10, 20), true),
            (span(10, 10), span(0, 60), false),
            (span(0, 60), span(0, 60), true),
            (span(0, 30), span(40, 60), false),
        ];
        for (one, other, overlaps) in table {
            assert_eq!((one.overlaps(&other), other.overlaps(&one)), (overlaps, overlaps), "{one:?} {other:?}");
        }
        assert_eq!(span(30, 0), span(30, 30));
        assert_eq!(Span::of_minutes(minute(5), 45), span(5, 50));
        assert_eq!(span(10, 20).widened(5, 15), span(5, 35));
    }

    #[test]
    fn minutes_beyond_the_ends_of_time_stop_there() {
        assert_eq!(plus_minutes(minute(0), -3), minute(-3));
        assert_eq!(plus_minutes(minute(0), 0), minute(0));
        assert_eq!(plus_minutes(minute(0), i64::MAX), Timestamp::MAX);
        assert_eq!(plus_minutes(minute(0), i64::MIN), Timestamp::MIN);
        assert_eq!(plus_minutes(Timestamp::MIN, 0), Timestamp::MIN);
    }
}
