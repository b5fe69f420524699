//! The first wall against clients that ask too fast, before the database is troubled: each program counts for itself. The second
//! counts for all of them (`balcao_app::context::pace`).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use balcao_app::context::request_rate::RequestRate;
use jiff::{SignedDuration, Timestamp};

/// From so many names on, those who may ask at once again are forgotten.
const REMEMBERED: usize = 10_000;
/// The most names that are remembered; further ones wait.
const MOST: usize = 200_000;
/// Names are forgotten once in this time, because all of them are looked at for it.
const SWEEP_EVERY: SignedDuration = SignedDuration::from_secs(1);

/// Who asked how often, in this process.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    pace: RequestRate,
    names: Mutex<Names>,
}

#[derive(Debug, Default)]
struct Names {
    /// When each may ask `burst` times at once again.
    full_at: HashMap<String, Timestamp>,
    swept: Timestamp,
}

impl Names {
    /// Forgets the names that need not be remembered.
    fn sweep(&mut self, now: Timestamp) {
        if self.full_at.len() >= REMEMBERED && now.duration_since(self.swept).abs() >= SWEEP_EVERY {
            self.full_at.retain(|_, at| *at > now);
            self.swept = now;
        }
    }
}

impl RateLimiter {
    pub(crate) fn new(pace: RequestRate) -> Self {
        Self { pace, names: Mutex::default() }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// How long to wait if it comes too soon; it is not counted then.
    pub(crate) fn ask(&self, name: &str, now: Timestamp) -> Result<(), Duration> {
        self.ask_all(&[(name.to_owned(), self.pace)], now)
    }

    /// Counts a request under all of these names, each with a pace of its own.
    ///
    /// # Errors
    /// How long to wait if it comes too soon for one of them; it is counted for none then.
    pub(crate) fn ask_all(&self, names: &[(String, RequestRate)], now: Timestamp) -> Result<(), Duration> {
        let mut remembered = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.sweep(now);
        let full_at = &mut remembered.full_at;
        if full_at.len() >= MOST && names.iter().any(|(name, _)| !full_at.contains_key(name)) {
            return Err(SWEEP_EVERY.unsigned_abs());
        }
        let next =
            |(name, pace): &(String, RequestRate)| Ok((name.clone(), pace.after(full_at.get(name).copied(), now)?));
        let next: Vec<_> = names.iter().map(next).collect::<Result<_, Duration>>()?;
        full_at.extend(next);
        Ok(())
    }

    /// The pace of a single name.
    pub(crate) const fn pace(&self) -> RequestRate {
        self.pace
    }

    /// Whether a request may come now, without counting it.
    ///
    /// # Errors
    /// How long to wait.
    pub(crate) fn may(&self, name: &str, now: Timestamp) -> Result<(), Duration> {
        let full_at = self.names.lock().unwrap_or_else(PoisonError::into_inner).full_at.get(name).copied();
        self.pace.after(full_at, now).map(drop)
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
