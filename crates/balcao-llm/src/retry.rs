//! Asks again where that may help.
//!
//! Which failures are worth it is [`crate::ModelErrorKind::retryable`]'s word; how long to wait is decided here without I/O
//! ([`RetryPolicy::wait`]). Not here: another provider ([`crate::fallback`]), what the turn does when all fails.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::Instant;

use crate::{
    error::ModelError,
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest, StreamEvent},
    usage::Usage,
};

/// How often and how fast to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts in all; 0 counts as 1.
    pub attempts: u32,
    /// Longest wait before the second attempt; each further one doubles it. Half of it is fixed, half is jitter.
    pub base: Duration,
    /// No backoff is longer. What a vendor asks for by `Retry-After` is not cut by it.
    pub max_backoff: Duration,
    /// No wait ends later than this after the first attempt began: a vendor that asks for more has failed.
    pub deadline: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 2,
            base: Duration::from_millis(500),
            max_backoff: Duration::from_secs(8),
            deadline: Duration::from_secs(45),
        }
    }
}

impl RetryPolicy {
    /// The wait before the next attempt, or `None` if there is none.
    ///
    /// `made` attempts were made, `elapsed` since the first began; `random` is any number. The vendor's `retry_after` is
    /// waited for in full, plus jitter, so that replicas do not return all at once.
    #[must_use]
    pub fn wait(&self, error: &ModelError, made: u32, elapsed: Duration, random: u64) -> Option<Duration> {
        if !error.kind.retryable() || made >= self.attempts {
            return None;
        }
        let doubled = self.base.saturating_mul(1_u32.checked_shl(made.saturating_sub(1)).unwrap_or(u32::MAX));
        let half = doubled.min(self.max_backoff) / 2;
        let share = u32::try_from(random % 1_001).unwrap_or(0);
        let jitter = half.saturating_mul(share) / 1_000;
        let wait = error.retry_after.unwrap_or(half).saturating_add(jitter);
        (elapsed.saturating_add(wait) <= self.deadline).then_some(wait)
    }
}

/// Time, as far as retrying needs it.
#[async_trait]
pub trait Sleeper: Send + Sync + fmt::Debug {
    /// Time since any fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// Waits.
    async fn sleep(&self, wait: Duration);
}

/// The runtime's own time.
#[derive(Debug)]
pub struct TokioSleeper {
    start: Instant,
}

impl Default for TokioSleeper {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

#[async_trait]
impl Sleeper for TokioSleeper {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, wait: Duration) {
        tokio::time::sleep(wait).await;
    }
}

/// A provider that is asked again when that may help.
#[derive(Debug)]
pub struct Retrying<P, S = TokioSleeper> {
    inner: P,
    policy: RetryPolicy,
    sleeper: S,
    random: AtomicU64,
}

impl<P: ChatProvider> Retrying<P> {
    /// Retries `inner` by `policy`; `seed` decides the jitter.
    pub fn new(inner: P, policy: RetryPolicy, seed: u64) -> Self {
        Self::with_sleeper(inner, policy, seed, TokioSleeper::default())
    }
}

impl<P: ChatProvider, S: Sleeper> Retrying<P, S> {
    /// Like [`Retrying::new`], with another sense of time.
    pub fn with_sleeper(inner: P, policy: RetryPolicy, seed: u64, sleeper: S) -> Self {
        Self { inner, policy, sleeper, random: AtomicU64::new(seed) }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014): jitter needs no better.
    fn next_random(&self) -> u64 {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.random.fetch_add(GAMMA, Ordering::Relaxed).wrapping_add(GAMMA);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[async_trait]
impl<P: ChatProvider, S: Sleeper> ChatProvider for Retrying<P, S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn model(&self) -> &str {
        self.inner.model()
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let start = self.sleeper.elapsed();
        let mut made = 0_u32;
        let mut lost = Usage::default();
        loop {
            let mut seen = false;
            let result = self.inner.complete(request, &mut watched(&mut seen, on_event)).await;
            made = made.saturating_add(1);
            let mut error = match result {
                Ok(mut response) => {
                    response.usage.add(lost);
                    return Ok(response);
                }
                Err(error) => error,
            };
            lost.add(error.usage);
            let elapsed = self.sleeper.elapsed().saturating_sub(start);
            let Some(wait) = self.policy.wait(&error, made, elapsed, self.next_random()) else {
                error.usage = lost;
                return Err(error);
            };
            tracing::warn!(provider = self.name(), kind = ?error.kind, attempt = made, ?wait, %error, "model call failed, asking again");
            if seen {
                on_event(StreamEvent::Restarted);
            }
            self.sleeper.sleep(wait).await;
        }
    }
}

/// Passes events on and notes whether any of them showed part of an answer.
pub(crate) fn watched<'a>(
    seen: &'a mut bool,
    on_event: &'a mut EventSink<'_>,
) -> impl FnMut(StreamEvent<'_>) + Send + 'a {
    move |event| {
        match event {
            StreamEvent::Text(_) | StreamEvent::ToolCallStarted(_) => *seen = true,
            StreamEvent::Restarted => *seen = false,
            StreamEvent::Started | StreamEvent::Asking { .. } => {}
        }
        on_event(event);
    }
}
