//! Hands over conversations that wait too long (I-16).
//!
//! If a conversation was due a minute ago, has no answer and no process works on it, the watchdog gives it to a person with a fixed
//! text, without a model. Each row is rescued once: the transaction that leases the conversation records the rescue, so after a crash
//! the next process to lease it hands it over, too.
//!
//! Only the time since this process started counts. Messages that arrived while no process ran are answered, not rescued.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::admin::backlog::BacklogMonitor;
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;
use crate::turns::dispatcher::Dispatcher;

/// How long messages may wait while no process works on them.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How long a suspect conversation of a crashed process may wait; the dispatcher answers suspects one at a time.
pub const PATIENCE_OF_SUSPECTS: Duration = Duration::from_mins(2);
/// How often the watchdog looks.
const EVERY: Duration = Duration::from_secs(5);

/// The worker that hands conversations over if their messages wait too long.
#[derive(Debug)]
pub struct Watchdog {
    app: AppContext,
    dispatcher: Dispatcher,
    watch: BacklogMonitor,
    started: Timestamp,
    rescues: bool,
}

impl Watchdog {
    /// Creates a watchdog whose minute begins now; it reports its figures to `watch`.
    #[must_use]
    pub fn new(app: AppContext, dispatcher: Dispatcher, watch: BacklogMonitor) -> Self {
        let started = app.clock.now();
        Self { app, dispatcher, watch, started, rescues: true }
    }

    /// Returns the watchdog for a program that runs no turns: it reports figures, and programs that run turns do the rescues.
    #[must_use]
    pub fn only_watching(self) -> Self {
        Self { rescues: false, ..self }
    }

    /// Watches until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
            if let Err(error) = self.look().await {
                tracing::error!(%error, "the backlog cannot be read");
            }
        }
    }

    /// Looks once, and rescues conversations that wait too long. Returns the number of rescued conversations.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn look(&self) -> Result<usize, UseCaseError> {
        let figures = self.watch.look(&self.app).await?;
        let now = self.app.clock.now();
        let before = |patience| {
            let patience = SignedDuration::try_from(patience).unwrap_or(SignedDuration::ZERO);
            now.saturating_sub(patience).unwrap_or(Timestamp::MIN)
        };
        let since = before(PATIENCE);
        // For suspects, too, only the time since this process started counts.
        let suspects_since = Some(before(PATIENCE_OF_SUSPECTS)).filter(|since| *since >= self.started);
        if !self.rescues || since < self.started || figures.inbox.since.is_none_or(|oldest| oldest > since) {
            return Ok(0);
        }
        let rescued = self.dispatcher.rescue(since, suspects_since.unwrap_or(Timestamp::MIN)).await?;
        metrics::rescued(u64::try_from(rescued).unwrap_or(u64::MAX));
        Ok(rescued)
    }
}
