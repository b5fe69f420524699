//! One time for all processes over one database.
//!
//! Leases, windows and timers compare instants that different machines wrote. On PostgreSQL each process goes by the clock of
//! the database server: its own clock, corrected by what it lags behind. SQLite's processes are on one machine and have one
//! clock already.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use balcao_domain::Clock;
use balcao_store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};

/// How often the lag is measured.
const EVERY: Duration = Duration::from_secs(30);
/// A measurement that took longer says too little: the lag is known to half of it.
const SLOWEST: SignedDuration = SignedDuration::from_millis(500);
/// A lag that operators should know of.
const NOTABLE: SignedDuration = SignedDuration::from_secs(2);

/// The database's clock, as far as this machine can tell.
pub struct SharedClock {
    own: Arc<dyn Clock>,
    /// What the own clock lags behind the database's, in microseconds.
    lag_us: AtomicI64,
}

impl std::fmt::Debug for SharedClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedClock").field("lag_us", &self.lag_us).finish_non_exhaustive()
    }
}

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        let lag = SignedDuration::from_micros(self.lag_us.load(Ordering::Relaxed));
        let now = self.own.now();
        now.checked_add(lag).unwrap_or(now)
    }
}

impl SharedClock {
    /// The machine's clock, not yet corrected.
    #[must_use]
    pub fn new(own: Arc<dyn Clock>) -> Self {
        Self { own, lag_us: AtomicI64::new(0) }
    }

    /// Measures the lag, and goes by it from now on. A measurement that took too long changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be asked; the lag stays what it was.
    pub async fn follow(&self, store: &Store) -> Result<(), StoreError> {
        let before = self.own.now();
        let Some(theirs) = store.time().await? else { return Ok(()) };
        let took = self.own.now().duration_since(before);
        if took > SLOWEST || took.is_negative() {
            tracing::debug!(%took, "the database's clock could not be read well enough");
            return Ok(());
        }
        let lag = theirs.duration_since(before) - took / 2;
        if lag.abs() > NOTABLE {
            tracing::warn!(%lag, "this machine's clock differs from the database's, which counts; see to its time service");
        }
        self.lag_us.store(i64::try_from(lag.as_micros()).unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }

    /// Measures again and again, for ever.
    pub async fn keep_following(&self, store: &Store) {
        loop {
            tokio::time::sleep(EVERY).await;
            if let Err(error) = self.follow(store).await {
                tracing::warn!(%error, "the database's clock cannot be read");
            }
        }
    }
}
