//! How fast somebody may ask: so many at once, then one after the other.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// So many names are remembered before those are forgotten who may ask at once again.
const REMEMBERED: usize = 10_000;

/// How fast somebody may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// So often at once.
    pub burst: u32,
    /// Then once in so long.
    pub every: Duration,
}

/// Who asked how often, in this process.
#[derive(Debug)]
pub(crate) struct Paces {
    pace: Pace,
    /// When each may ask `burst` times at once again.
    full_at: Mutex<HashMap<String, Timestamp>>,
}

impl Paces {
    pub(crate) fn new(pace: Pace) -> Self {
        Self { pace, full_at: Mutex::default() }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// How long to wait if it comes too soon; it is not counted then.
    pub(crate) fn ask(&self, name: &str, now: Timestamp) -> Result<(), Duration> {
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= REMEMBERED {
            full_at.retain(|_, at| *at > now);
        }
        let next = self.next(full_at.get(name).copied(), now)?;
        full_at.insert(name.to_owned(), next);
        Ok(())
    }

    /// Whether a request may come now, without counting it.
    ///
    /// # Errors
    /// How long to wait.
    pub(crate) fn may(&self, name: &str, now: Timestamp) -> Result<(), Duration> {
        let full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        self.next(full_at, now).map(drop)
    }

    /// When whoever asks now may ask `burst` times at once again; how long to wait if it is too soon.
    fn next(&self, full_at: Option<Timestamp>, now: Timestamp) -> Result<Timestamp, Duration> {
        let every = SignedDuration::try_from(self.pace.every).unwrap_or(SignedDuration::ZERO);
        let whole = every.saturating_mul(i32::try_from(self.pace.burst).unwrap_or(i32::MAX));
        let at = full_at.unwrap_or(now).max(now);
        // A clock that was set back must not shut anybody out for long.
        let next = at.min(now.saturating_add(whole).unwrap_or(now)).saturating_add(every).unwrap_or(now);
        let over = next.duration_since(now).saturating_sub(whole);
        if over > SignedDuration::ZERO {
            return Err(over.unsigned_abs());
        }
        Ok(next)
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
