//! How long vectors are waited for, and how long nobody asks for them after that was in vain.

use std::{
    future::Future,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, timeout};

/// Waits for vectors, a bounded time. After a failure nothing is asked for a while: a search must not wait for what just failed.
#[derive(Debug)]
pub struct Patience {
    within: Duration,
    rest: Duration,
    /// Until then nothing is asked.
    rests: Mutex<Option<Instant>>,
}

impl Default for Patience {
    /// Five seconds, and a minute's rest.
    fn default() -> Self {
        Self::new(Duration::from_secs(5), Duration::from_secs(60))
    }
}

impl Patience {
    /// Waits `within` for an answer, and leaves alone what failed for the time of `rest`.
    #[must_use]
    pub fn new(within: Duration, rest: Duration) -> Self {
        Self { within, rest, rests: Mutex::default() }
    }

    /// What `work` comes to; `None` while it rests, and, with a warning that names `what` goes on without, if it fails or takes too long.
    pub async fn ask<T>(&self, model: &str, what: &str, work: impl Future<Output = Result<T, String>>) -> Option<T> {
        let now = Instant::now();
        if self.rests.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| now < until) {
            return None;
        }
        let why = match timeout(self.within, work).await {
            Ok(Ok(made)) => return Some(made),
            Ok(Err(why)) => why,
            Err(_elapsed) => "no answer in time".to_owned(),
        };
        tracing::warn!(model, why, "{what}");
        *self.rests.lock().unwrap_or_else(PoisonError::into_inner) = Some(now + self.rest);
        None
    }
}
