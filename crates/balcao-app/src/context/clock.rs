//! One time for all processes over one database, which does not jump.
//!
//! Leases, windows and timers compare instants that different machines wrote. On PostgreSQL each process goes by the clock of
//! the database server: its own clock, corrected by what it lags behind. SQLite's processes are on one machine and have one
//! clock already.
//!
//! A manual change of the clock, or a correction of the time service at a stroke, would fire every timer of the time between, or keep
//! a lease for ever (F-90, F-91). What the clock shows is therefore held against the time that has passed on the monotonic
//! clock: a jump counts only when it has lasted.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use balcao_domain::Clock;
use balcao_store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// How often the lag is measured.
const EVERY: Duration = Duration::from_secs(30);
/// A measurement that took longer says too little: the lag is known to half of it.
const SLOWEST: SignedDuration = SignedDuration::from_millis(500);
/// A lag that operators should know of.
const NOTABLE: SignedDuration = SignedDuration::from_secs(2);

/// A clock may be off by so much from one look to the next; more is a jump.
const STEP: SignedDuration = SignedDuration::from_secs(2);
/// A jump that lasts so long is the time.
const LASTING: Duration = Duration::from_secs(60);

/// The database's clock, as far as this machine can tell.
pub struct SharedClock {
    own: Arc<dyn Clock>,
    /// What the own clock lags behind the database's, in microseconds.
    lag_us: AtomicI64,
    steady: Mutex<Steady>,
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
        let shown = now.checked_add(lag).unwrap_or(now);
        self.steady.lock().unwrap_or_else(PoisonError::into_inner).look(shown, Instant::now())
    }
}

/// What a clock showed last, and the jump that is being waited out.
#[derive(Debug, Default)]
struct Steady {
    /// What was believed, and when.
    believed: Option<(Timestamp, Instant)>,
    /// By how much the clock jumped, and when that was seen first.
    jump: Option<(SignedDuration, Instant)>,
}

impl Steady {
    /// What time it is, of a clock that shows `shown`.
    fn look(&mut self, shown: Timestamp, at: Instant) -> Timestamp {
        let Some((then, since)) = self.believed else { return self.believe(shown, at) };
        let passed = SignedDuration::try_from(at.saturating_duration_since(since)).unwrap_or(SignedDuration::MAX);
        let expected = then.checked_add(passed).unwrap_or(shown);
        let off = shown.duration_since(expected);
        if off.abs() <= STEP {
            return self.believe(shown, at);
        }
        match self.jump {
            Some((jump, seen)) if (off - jump).abs() <= STEP => {
                if at.saturating_duration_since(seen) < LASTING {
                    return expected;
                }
                tracing::warn!(%off, "the clock's jump has lasted: it is the time now");
                self.believe(shown, at)
            }
            _ => {
                tracing::warn!(%off, "the clock jumped: it is not believed until that has lasted a minute; see to its time service");
                self.jump = Some((off, at));
                expected
            }
        }
    }

    fn believe(&mut self, shown: Timestamp, at: Instant) -> Timestamp {
        *self = Self { believed: Some((shown, at)), jump: None };
        shown
    }
}

impl SharedClock {
    /// The machine's clock, not yet corrected.
    #[must_use]
    pub fn new(own: Arc<dyn Clock>) -> Self {
        Self { own, lag_us: AtomicI64::new(0), steady: Mutex::default() }
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
