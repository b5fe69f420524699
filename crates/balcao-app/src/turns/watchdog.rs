//! Nobody waits for ever (facts: exactly once, I-16 and §3.5).
//!
//! Something that was ripe a minute ago and has no answer, without anybody who works on it, is given to a person with a text
//! that is always the same: no model is asked. Each row is rescued once, and that is written in the transaction that claims
//! its conversation; whoever claims it after a crash hands it over, too.
//!
//! The minute begins with this process: what lay in the database while nobody ran is answered, not rescued.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::admin::backlog::BacklogMonitor;
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;
use crate::turns::dispatcher::Dispatcher;

/// So long something may wait without anybody who works on it.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// So long whoever was left behind by a program that died may wait: they are answered one at a time.
pub const PATIENCE_OF_SUSPECTS: Duration = Duration::from_mins(2);
/// How often the watchdog looks.
const EVERY: Duration = Duration::from_secs(5);

/// Looks after what waits.
#[derive(Debug)]
pub struct Watchdog {
    desk: AppContext,
    dispatcher: Dispatcher,
    watch: BacklogMonitor,
    started: Timestamp,
    rescues: bool,
}

impl Watchdog {
    /// A watchdog whose patience begins now; it tells `watch` what it sees.
    #[must_use]
    pub fn new(desk: AppContext, dispatcher: Dispatcher, watch: BacklogMonitor) -> Self {
        let started = desk.clock.now();
        Self { desk, dispatcher, watch, started, rescues: true }
    }

    /// The same for a program that runs no turns: it looks, and leaves rescuing to those that do.
    #[must_use]
    pub fn only_watching(self) -> Self {
        Self { rescues: false, ..self }
    }

    /// Watches until it is told to stop.
    pub async fn run(&self, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
            if let Err(error) = self.look().await {
                tracing::error!(%error, "what waits cannot be looked after");
            }
        }
    }

    /// Looks once, and rescues what waits for too long; gives how many conversations that were.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn look(&self) -> Result<usize, UseCaseError> {
        let figures = self.watch.look(&self.desk).await?;
        let now = self.desk.clock.now();
        let before = |patience| {
            let patience = SignedDuration::try_from(patience).unwrap_or(SignedDuration::ZERO);
            now.saturating_sub(patience).unwrap_or(Timestamp::MIN)
        };
        let since = before(PATIENCE);
        // Their time, too, begins with this process.
        let suspects_since = Some(before(PATIENCE_OF_SUSPECTS)).filter(|since| *since >= self.started);
        if !self.rescues || since < self.started || figures.inbox.since.is_none_or(|oldest| oldest > since) {
            return Ok(0);
        }
        let rescued = self.dispatcher.rescue(since, suspects_since.unwrap_or(Timestamp::MIN)).await?;
        metrics::rescued(u64::try_from(rescued).unwrap_or(u64::MAX));
        Ok(rescued)
    }
}
