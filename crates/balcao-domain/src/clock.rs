//! The clock as an argument: a turn must be replayable, so nothing asks the machine for the time but [`SystemClock`].

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that may ask the machine")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that a caller sets and advances: for `--now`, tests, simulation and replay.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(Mutex::new(now))
    }

    /// Sets the clock, forwards or backwards.
    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Moves the clock by `by`; it stops at the ends of representable time.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
        *now = now.checked_add(by).unwrap_or(end);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
