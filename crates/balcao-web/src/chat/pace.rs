//! The first wall against whoever asks too fast, before the database is troubled: each program counts for itself. The second
//! counts for all of them (`balcao_app::context::pace`).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

/// So many names are remembered before those are forgotten who may ask at once again.
const REMEMBERED: usize = 10_000;

pub use balcao_app::context::request_rate::RequestRate;

/// Who asked how often, in this process.
#[derive(Debug)]
pub(crate) struct Paces {
    pace: RequestRate,
    /// When each may ask `burst` times at once again.
    full_at: Mutex<HashMap<String, Timestamp>>,
}

impl Paces {
    pub(crate) fn new(pace: RequestRate) -> Self {
        Self { pace, full_at: Mutex::default() }
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
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= REMEMBERED {
            full_at.retain(|_, at| *at > now);
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
        let full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        self.pace.after(full_at, now).map(drop)
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
