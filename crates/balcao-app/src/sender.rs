//! Sends what is in the outbox.
//!
//! Each message is marked as being sent in a transaction of its own before the request is written, and what came of it is
//! recorded after. If the program ends in between, nobody knows, and the message is marked so; it is never repeated by the
//! machine, except on a channel where sending twice is sending once. The rules are in [`balcao_domain::outbox`]
//! (I-7, I-10, I-14, I-20).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use balcao_channel::{Channel, Outbound, Recipient, SendClass, SendError, SendReceipt};
use balcao_domain::outbox::{AttemptOutcome, OutboxState, SETTLE, after_attempt};
use balcao_store::dispatch::{self, Route};
use balcao_store::outbox::{self, Outbox};
use balcao_store::{Tx, event};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::desk::{Desk, UseCaseError};
use crate::metrics;

/// What is kept back at the end of a channel's window: clocks differ, and a message takes its time.
const MARGIN: Duration = Duration::from_mins(2);

/// How the sender works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderSettings {
    /// After so long without an answer of ours, whoever was sending is taken for dead.
    pub lease: Duration,
    /// How long a message of unknown outcome holds back those behind it.
    pub settle: Duration,
    /// Messages of different conversations that are sent at the same time.
    pub at_once: u32,
    /// How often the outbox is looked at when nobody says that there is something.
    pub poll: Duration,
}

impl Default for SenderSettings {
    fn default() -> Self {
        Self { lease: Duration::from_secs(30), settle: SETTLE, at_once: 16, poll: Duration::from_millis(250) }
    }
}

/// Sends what is in the outbox.
#[derive(Debug)]
pub struct Sender {
    desk: Desk,
    channels: BTreeMap<(String, String), Arc<dyn Channel>>,
    settings: SenderSettings,
    wake: Arc<Notify>,
}

/// What an attempt came to.
struct Attempt {
    outcome: AttemptOutcome,
    receipt: Option<SendReceipt>,
    failure: Option<String>,
}

impl Sender {
    /// A sender over these channels; it looks at once when `wake` is told.
    #[must_use]
    pub fn new(
        desk: Desk,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        settings: SenderSettings,
        wake: Arc<Notify>,
    ) -> Self {
        let named = |one: Arc<dyn Channel>| ((one.kind().to_owned(), one.account().as_str().to_owned()), one);
        Self { desk, channels: channels.into_iter().map(named).collect(), settings, wake }
    }

    /// Sends until it is told to stop; then what is being sent comes to its end first. A message that takes long keeps only
    /// those of its own conversation waiting.
    pub async fn run(&self, stop: CancellationToken) {
        let mut sending = FuturesUnordered::new();
        loop {
            let stopping = stop.is_cancelled();
            if stopping && sending.is_empty() {
                return;
            }
            if !stopping {
                match self.claim(sending.len()).await {
                    Ok(claimed) if !claimed.is_empty() => {
                        sending.extend(claimed.into_iter().map(|(message, route)| self.send(message, route)));
                        continue;
                    }
                    Ok(_) => {}
                    Err(error) => tracing::error!(%error, "the outbox cannot be read"),
                }
            }
            tokio::select! {
                biased;
                Some(()) = sending.next() => {}
                () = stop.cancelled(), if !stopping => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(self.settings.poll) => {}
            }
        }
    }

    /// Sends what can be sent now, until nothing is left; gives how many attempts that were.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut attempts = 0;
        let mut sending = FuturesUnordered::new();
        loop {
            let claimed = self.claim(sending.len()).await?;
            attempts += claimed.len();
            sending.extend(claimed.into_iter().map(|(message, route)| self.send(message, route)));
            // One more that ended makes room for the next of its conversation.
            if sending.next().await.is_none() {
                return Ok(attempts);
            }
        }
    }

    /// Messages whose time has come, as many as there are places left.
    async fn claim(&self, busy: usize) -> Result<Vec<(Outbox, Option<Route>)>, UseCaseError> {
        let now = self.desk.clock.now();
        let (until, settle) = (later(now, self.settings.lease), later(now, self.settings.settle));
        let limit = self.settings.at_once.saturating_sub(u32::try_from(busy).unwrap_or(u32::MAX));
        let repeatable: Vec<(String, String)> = self
            .channels
            .iter()
            .filter(|(_, channel)| channel.capabilities().idempotent)
            .map(|(name, _)| name.clone())
            .collect();
        let work = move |tx: &mut Tx<'_>| {
            let mut unknown = Vec::new();
            for lost in outbox::expire(tx, now, settle)? {
                if repeatable.iter().any(|(channel, account)| *channel == lost.channel && *account == lost.account) {
                    outbox::retry(tx, lost.organization, lost.id, now)?;
                    continue;
                }
                unknown.push(lost.channel.clone());
                tell(tx, &lost, OutboxState::Unknown, "the program ended while it was being sent", now)?;
            }
            let claimed = outbox::claim(tx, now, until, limit)?;
            let with_route = |tx: &mut Tx<'_>, one: Outbox| {
                let route = dispatch::route(tx, one.organization, one.conversation)?;
                Ok((one, route))
            };
            let claimed =
                claimed.into_iter().map(|one| with_route(tx, one)).collect::<Result<Vec<_>, UseCaseError>>()?;
            Ok::<_, UseCaseError>((claimed, unknown))
        };
        let (claimed, unknown) = self.desk.store.write(work).await?;
        unknown.iter().for_each(|channel| metrics::ambiguous(channel));
        Ok(claimed)
    }

    async fn send(&self, message: Outbox, route: Option<Route>) {
        let started = Instant::now();
        let span = tracing::info_span!(
            "send",
            otel.name = %format_args!("send {}", message.channel),
            otel.kind = "producer",
            messaging.operation.r#type = "send",
            messaging.system = message.channel.as_str(),
            balcao.message.id = %message.id,
            balcao.attempt = i64::from(message.attempts),
            balcao.outcome = tracing::field::Empty,
        );
        let attempt = self.attempt(&message, route.as_ref()).instrument(span.clone()).await;
        span.record("balcao.outcome", attempt.word());
        metrics::sent(&message.channel, attempt.word(), started.elapsed());
        if let Some(failure) = &attempt.failure {
            tracing::warn!(id = %message.id, attempt = message.attempts, failure, "a message was not sent");
        }
        let id = message.id;
        if let Err(error) = self.record(message, attempt).await {
            // It stays as being sent, and is taken for unknown when its time is over.
            tracing::error!(%id, %error, "what came of a message could not be recorded");
        }
    }

    async fn attempt(&self, message: &Outbox, route: Option<&Route>) -> Attempt {
        let read = serde_json::from_str::<Outbound>(&message.body)
            .and_then(|body| Ok((body, serde_json::from_str::<Recipient>(&message.recipient)?)));
        let (body, to) = match read {
            Ok(read) => read,
            Err(error) => return Attempt::failed(AttemptOutcome::Refused, format!("it cannot be read: {error}")),
        };
        let Some(channel) = self.channels.get(&(message.channel.clone(), message.account.clone())) else {
            let failure = format!("no {} account {} is configured", message.channel, message.account);
            return Attempt::failed(AttemptOutcome::Misconfigured, failure);
        };
        let wrote_at = route.and_then(|route| route.customer_wrote_at);
        if let Some(window) = channel.capabilities().window
            && wrote_at.is_none_or(|at| later(at, window.saturating_sub(MARGIN)) <= self.desk.clock.now())
        {
            return Attempt::failed(AttemptOutcome::Refused, OUTSIDE_WINDOW.to_owned());
        }
        match channel.send(&body, &to).await {
            Ok(receipt) => Attempt { outcome: AttemptOutcome::Accepted, receipt: Some(receipt), failure: None },
            Err(error) => Attempt::of(&error),
        }
    }

    async fn record(&self, message: Outbox, attempt: Attempt) -> Result<(), UseCaseError> {
        let now = self.desk.clock.now();
        let spread = u64::try_from(i64::from(message.id)).unwrap_or(0).wrapping_mul(7_919);
        let next = after_attempt(attempt.outcome, message.attempts, spread, self.settings.settle, now);
        let channel = message.channel.clone();
        let work = move |tx: &mut Tx<'_>| {
            let provider_message = attempt.receipt.as_ref().map(|receipt| receipt.message.as_str());
            let failure = attempt.failure.as_deref();
            let recorded = outbox::record(tx, &message, next, provider_message, failure, now)?;
            if recorded {
                tell(tx, &message, next.state, failure.unwrap_or_default(), now)?;
            }
            Ok::<_, UseCaseError>(recorded)
        };
        let recorded = self.desk.store.write(work).await?;
        if recorded && next.state == OutboxState::Unknown {
            metrics::ambiguous(&channel);
        }
        Ok(())
    }
}

const OUTSIDE_WINDOW: &str = "outside the window: the customer's last message is too old, only a template may be sent";

impl Attempt {
    const fn word(&self) -> &'static str {
        match self.outcome {
            AttemptOutcome::Accepted => "sent",
            AttemptOutcome::Retry { .. } | AttemptOutcome::Misconfigured => "retry",
            AttemptOutcome::Refused => "failed",
            AttemptOutcome::Unknown => "unknown",
        }
    }

    fn failed(outcome: AttemptOutcome, failure: String) -> Self {
        Self { outcome, receipt: None, failure: Some(failure) }
    }

    fn of(error: &SendError) -> Self {
        let outcome = match error.class {
            SendClass::Retry { after } => AttemptOutcome::Retry { after },
            SendClass::Unknown => AttemptOutcome::Unknown,
            SendClass::Misconfigured => AttemptOutcome::Misconfigured,
            SendClass::GiveUp { .. } => AttemptOutcome::Refused,
            SendClass::OutsideWindow => {
                return Self::failed(AttemptOutcome::Refused, format!("{OUTSIDE_WINDOW}: {error}"));
            }
        };
        Self::failed(outcome, error.to_string())
    }
}

/// What reached the customer is an event; what did not, or may not have, is for staff to see.
fn tell(
    tx: &mut Tx<'_>,
    message: &Outbox,
    state: OutboxState,
    failure: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let kind = match state {
        OutboxState::Dead => "message_dead",
        OutboxState::Unknown => "message_unknown",
        OutboxState::Sent => "reply_sent",
        OutboxState::Pending | OutboxState::Sending => return Ok(()),
    };
    let payload = json!({ "failure": failure, "conversation": message.conversation.to_string() }).to_string();
    event::push(tx, message.organization, kind, &message.id.to_string(), &payload, now)?;
    Ok(())
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}
