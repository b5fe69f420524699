//! Time, as far as calls need it.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::time::Instant;

/// Tells and spends time.
#[async_trait]
pub trait Clock: Send + Sync + fmt::Debug {
    /// Time since any fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// The time of day, to which services name the moment when a limit is lifted.
    fn now(&self) -> Timestamp;

    /// Waits.
    async fn sleep(&self, wait: Duration);
}

/// The runtime's own time, from the moment that it was told at the start.
#[derive(Debug)]
pub struct TokioClock {
    origin: Timestamp,
    start: Instant,
}

impl TokioClock {
    /// A clock that shows `now`, and runs.
    #[must_use]
    pub fn starting_at(now: Timestamp) -> Self {
        Self { origin: now, start: Instant::now() }
    }
}

#[async_trait]
impl Clock for TokioClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn now(&self) -> Timestamp {
        self.origin.saturating_add(self.start.elapsed()).unwrap_or(self.origin)
    }

    async fn sleep(&self, wait: Duration) {
        tokio::time::sleep(wait).await;
    }
}
