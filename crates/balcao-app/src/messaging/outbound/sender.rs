//! Sends what is in the outbox.
//!
//! Each message is marked as being sent in a transaction of its own before the request is written, and what came of it is
//! recorded after. If the program ends in between, the outcome is unknown, and the message is marked so. The sender never repeats such
//! a message, except on a channel where a repeated request has no second effect. The rules are in [`balcao_domain::outbox`]
//! (I-7, I-10, I-14, I-20). No account sends faster than its channel allows ([`pacing`]).

use balcao_domain::Locale;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock, atomic::AtomicU64, atomic::Ordering};
use std::time::Duration;

use balcao_channel::outbound::{CorrelationId, OutboundContent};
use balcao_channel::{
    Capabilities, Channel, MediaDelivery, Outbound, PaceLimit, Recipient, SendClass, SendError, SendReceipt,
};
use balcao_domain::AppointmentId;
use balcao_domain::contact::Contact;
use balcao_domain::outbox::{AttemptOutcome, MAX_ATTEMPTS, MAX_DEATHS, OutboxState, SETTLE, after_attempt};
use balcao_language::format;
use balcao_store::crm::{contact, organization};
use balcao_store::messaging::{account_pause, conversation, message, outbox, outbox::Outbox};
use balcao_store::scheduling::{agenda_feed, catalog};
use balcao_store::turns::{event, lease, lease::Route};
use balcao_store::{StoreError, Tx};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::context::{app_context::AppContext, app_context::UseCaseError, metrics};
use crate::messaging::outbound::delivery_failure;
use crate::messaging::outbound::message_templates::{Purpose, TemplateVariables};
use crate::messaging::outbound::send_policy::SendPolicy;
use crate::notifications::handoff_alerts;
use crate::notifications::professionals;

mod media_upload;
mod pacing;
pub(crate) mod pre_send;

use pacing::Pacing;

/// What is kept back at the end of a channel's window: clocks differ, and a message takes its time.
const MARGIN: Duration = Duration::from_mins(2);

/// How a customer is called in a template: by their first name, or politely.
pub(crate) fn customer_name(contact: &Contact, locale: &str) -> String {
    let name = contact.preferred_name.as_deref().or(contact.name.as_deref()).unwrap_or_default();
    let first = name.split_whitespace().next().map(str::to_owned);
    first.unwrap_or_else(|| if locale.starts_with("en") { "customer" } else { "cliente" }.to_owned())
}

/// How the sender works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderSettings {
    /// How long a claim lasts. A sender that records no outcome in this time counts as crashed.
    pub lease: Duration,
    /// Longest that handing in a file may take before its message is sent.
    pub file: Duration,
    /// How long a message of unknown outcome holds back those behind it.
    pub settle: Duration,
    /// Messages of different conversations that are sent at the same time.
    pub at_once: u32,
    /// How often the sender reads the outbox if no wake-up arrives.
    pub poll: Duration,
}

impl Default for SenderSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            file: Duration::from_secs(120),
            settle: SETTLE,
            at_once: 16,
            poll: Duration::from_millis(250),
        }
    }
}

/// Sends what is in the outbox.
#[derive(Debug)]
pub struct Sender {
    app: AppContext,
    channels: BTreeMap<(String, String), Arc<dyn Channel>>,
    settings: SenderSettings,
    /// By channel and account.
    terms: Arc<BTreeMap<(String, String), SendPolicy>>,
    rates: Arc<pacing::Rates>,
    wake: Arc<Notify>,
}

/// A message that this program may send, until then.
struct ClaimedMessage {
    message: Outbox,
    route: Option<Route>,
    until: Timestamp,
}

/// What an attempt came to.
#[derive(Clone)]
struct Attempt {
    outcome: AttemptOutcome,
    receipt: Option<SendReceipt>,
    failure: Option<String>,
    /// Whether it was not sent because the channel's window is closed.
    closed: bool,
    /// What the channel said may be done.
    class: Option<SendClass>,
}

impl Sender {
    /// Creates a sender over these channels; it looks for work at once when `wake` fires.
    #[must_use]
    pub fn new(
        app: AppContext,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        settings: SenderSettings,
        wake: Arc<Notify>,
    ) -> Self {
        let named = |one: Arc<dyn Channel>| ((one.kind().to_owned(), one.account().as_str().to_owned()), one);
        let channels: BTreeMap<_, _> = channels.into_iter().map(named).collect();
        let rates = channels.iter().filter_map(|(name, one)| Some((name.clone(), one.rate()?))).collect();
        Self { app, channels, settings, terms: Arc::default(), rates: Arc::new(rates), wake }
    }

    /// Returns the sender with a send policy for one account of a channel.
    #[must_use]
    pub fn with_terms(self, channel: &str, account: &str, terms: SendPolicy) -> Self {
        Self { terms: Arc::new(BTreeMap::from([((channel.to_owned(), account.to_owned()), terms)])), ..self }
    }

    /// Sends until `stop` is cancelled, then waits for the messages in progress. A slow message delays only messages of its own
    /// conversation.
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
                        sending.extend(claimed.into_iter().map(|one| self.send(one)));
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
        self.work_off_until(&CancellationToken::new()).await
    }

    /// Sends all that is due. Once `stop` is cancelled, it claims no more messages and waits for the messages in progress.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; what is being sent comes to its end all the same.
    pub async fn work_off_until(&self, stop: &CancellationToken) -> Result<usize, UseCaseError> {
        let mut attempts = 0;
        let mut failed = None;
        let mut sending = FuturesUnordered::new();
        loop {
            if !stop.is_cancelled() && failed.is_none() {
                match self.claim(sending.len()).await {
                    Ok(claimed) => {
                        attempts += claimed.len();
                        sending.extend(claimed.into_iter().map(|one| self.send(one)));
                    }
                    Err(error) => failed = Some(error),
                }
            }
            // One more that ended makes room for the next of its conversation.
            if sending.next().await.is_none() {
                return failed.map_or(Ok(attempts), Err);
            }
        }
    }

    /// Messages whose time has come, as many as there are places left.
    async fn claim(&self, busy: usize) -> Result<Vec<ClaimedMessage>, UseCaseError> {
        let now = self.app.clock.now();
        let (until, settle) = (later(now, self.settings.lease), later(now, self.settings.settle));
        let limit = self.settings.at_once.saturating_sub(u32::try_from(busy).unwrap_or(u32::MAX));
        let channels = self.channels.clone();
        let (terms, rates) = (Arc::clone(&self.terms), Arc::clone(&self.rates));
        let name = claim_name();
        let claim = name.clone();
        let work = move |tx: &mut Tx<'_>| {
            let mut unknown = Vec::new();
            for lost in outbox::expire(tx, now, settle)? {
                let channel = channels.get(&(lost.channel.clone(), lost.account.clone()));
                let again = channel.is_some_and(|channel| may_repeat(&channel.capabilities(), &lost));
                if again && pre_send::superseded_by_staff(tx, &lost)? {
                    overtaken(tx, &lost, now)?;
                    continue;
                }
                if again {
                    outbox::retry(tx, lost.organization, lost.id, now)?;
                    continue;
                }
                unknown.push(lost.channel.clone());
                record_outcome_event(
                    tx,
                    &lost,
                    OutboxState::Unknown,
                    "the program ended while it was being sent",
                    now,
                )?;
            }
            let claimed = outbox::claim(tx, &claim, now, until, limit)?;
            let (mut leaving, mut bills) = (Vec::new(), pre_send::Bills::new());
            let mut pacing = Pacing::new(&rates);
            for one in claimed {
                let route = lease::route(tx, one.organization, one.conversation)?;
                let on = terms.get(&(one.channel.clone(), one.account.clone()));
                match pre_send::check(tx, &one, route.as_ref(), on, &mut bills, now)? {
                    None if pacing.check(tx, &one, now)? => leaving.push(ClaimedMessage { message: one, route, until }),
                    None => {}
                    Some(why) => {
                        let next = after_attempt(AttemptOutcome::Refused, one.attempts, 0, Duration::ZERO, now);
                        outbox::record(tx, &one, next, None, Some(&why), now)?;
                        record_outcome_event(tx, &one, OutboxState::Dead, &why, now)?;
                    }
                }
            }
            pacing.store_throttles(tx)?;
            Ok::<_, UseCaseError>((leaving, unknown))
        };
        let (claimed, unknown) = match self.app.store.write(work).await {
            Err(UseCaseError::Store(error @ StoreError::CommitUnknown { .. })) => {
                self.give_back(name, until).await;
                return Err(error.into());
            }
            claimed => claimed?,
        };
        unknown.iter().for_each(|channel| metrics::ambiguous(channel));
        Ok(claimed)
    }

    /// Gives back a claim whose commit has an unknown outcome. If it was committed, its messages have no sender, and none of them left.
    async fn give_back(&self, claim: String, until: Timestamp) {
        let work = |now| {
            let claim = claim.clone();
            self.app.store.write(move |tx| Ok::<_, UseCaseError>(outbox::give_back(tx, &claim, now)?))
        };
        while self.app.clock.now() < until {
            match work(self.app.clock.now()).await {
                Ok(_) => return,
                Err(error) => tracing::warn!(%error, "messages that were taken cannot be given back yet"),
            }
            tokio::time::sleep(RECORD_RETRY_DELAY).await;
        }
    }

    async fn send(&self, leaving: ClaimedMessage) {
        let ClaimedMessage { message, route, until } = leaving;
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
        // After a pause beyond the claim, another process may have handled the message, so this one must not send it.
        let attempt = if self.app.clock.now() >= until {
            Attempt::failed(AttemptOutcome::Retry { after: None }, SEND_LEASE_EXPIRED.to_owned())
        } else {
            let attempt = AssertUnwindSafe(self.attempt(&message, route.as_ref()).instrument(span.clone()));
            attempt.catch_unwind().await.unwrap_or_else(|_panic| self.attempt_after_panic(&message))
        };
        span.record("balcao.outcome", attempt.as_str());
        metrics::sent(&message.channel, attempt.as_str(), started.elapsed());
        if let Some(failure) = &attempt.failure {
            tracing::warn!(id = %message.id, attempt = message.attempts, failure, "a message was not sent");
        }
        // What is not recorded in its time is taken for unknown, and then only staff can send it. To hand in a file may have taken
        // longer than the claim lasts; what is recorded late still counts.
        let until = until.max(later(self.app.clock.now(), self.settings.lease));
        while let Err(error) = self.record(&message, &attempt).await {
            tracing::error!(id = %message.id, %error, "what came of a message could not be recorded");
            if self.app.clock.now() >= until {
                return;
            }
            tokio::time::sleep(RECORD_RETRY_DELAY).await;
        }
    }

    /// Decides the outcome of an attempt that panicked. For this message a panic equals a crash of the process; it affects no other
    /// message. The request may or may not have reached the channel.
    fn attempt_after_panic(&self, message: &Outbox) -> Attempt {
        let channel = self.channels.get(&(message.channel.clone(), message.account.clone()));
        let again = channel.is_some_and(|channel| channel.capabilities().idempotent);
        let outcome = if again { AttemptOutcome::Retry { after: None } } else { AttemptOutcome::Unknown };
        Attempt::failed(outcome, "the program broke while it was being sent; its log says why".to_owned())
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
            && !matches!(body.content(), OutboundContent::Template(_))
            && wrote_at.is_none_or(|at| later(at, window.saturating_sub(MARGIN)) <= self.app.clock.now())
        {
            return Attempt::outside(OUTSIDE_WINDOW.to_owned());
        }
        let body = body.adapted_to(&channel.capabilities());
        let body = match self
            .upload_media(message, channel.as_ref(), with_copy_id(body, message, &channel.capabilities()))
            .await
        {
            Ok(body) => body,
            Err(failed) => return failed,
        };
        match channel.send(&body, &to).await {
            Ok(receipt) => Attempt {
                outcome: AttemptOutcome::Accepted,
                receipt: Some(receipt),
                failure: None,
                closed: false,
                class: None,
            },
            Err(error) => Attempt::from_error(&error),
        }
    }

    async fn record(&self, message: &Outbox, attempt: &Attempt) -> Result<(), UseCaseError> {
        let now = self.app.clock.now();
        let jitter = compute_retry_jitter(message);
        let own = message.attempts.saturating_sub(message.excused);
        let next = after_attempt(attempt.outcome, own, jitter, self.settings.settle, now);
        let terms = Arc::clone(&self.terms);
        let (message, attempt, channel) = (message.clone(), attempt.clone(), message.channel.clone());
        let work = move |tx: &mut Tx<'_>| {
            let waits = attempt.closed || next.state == OutboxState::Pending;
            if waits && pre_send::superseded_by_staff(tx, &message)? {
                return overtaken(tx, &message, now).map(|()| false);
            }
            if waits && outbox::is_left_behind(tx, &message)? {
                let dead = after_attempt(AttemptOutcome::Refused, own, 0, Duration::ZERO, now);
                if outbox::record(tx, &message, dead, None, Some(OVERTAKEN_BY_LATER_MESSAGE), now)? {
                    record_outcome_event(tx, &message, OutboxState::Dead, OVERTAKEN_BY_LATER_MESSAGE, now)?;
                }
                return Ok(false);
            }
            if attempt.closed
                && enqueue_fallback(tx, &terms, &message, attempt.failure.as_deref().unwrap_or_default(), now)?
            {
                return Ok(false);
            }
            if let Some(class) = attempt.class
                && delivery_failure::handle(tx, &message, class, attempt.failure.as_deref().unwrap_or_default(), now)?
            {
                return Ok(false);
            }
            let provider_message = attempt.receipt.as_ref().map(|receipt| receipt.message.as_str());
            let failure = attempt.failure.as_deref();
            let recorded = outbox::record(tx, &message, next, provider_message, failure, now)?;
            match attempt.outcome {
                AttemptOutcome::Misconfigured => {
                    account_pause::begin(tx, &message, failure.unwrap_or_default(), next.not_before, now)?;
                }
                AttemptOutcome::Accepted if account_pause::end(tx, &message)? => {
                    tracing::warn!(channel = message.channel, account = message.account, "the account can send again");
                }
                // The transaction may run again after an unknown commit; `recorded` makes sure that the rate limit counts once.
                AttemptOutcome::TooFast if recorded => pacing::apply_rate_limit(tx, &message, jitter, now)?,
                AttemptOutcome::TooFast
                | AttemptOutcome::Accepted
                | AttemptOutcome::Retry { .. }
                | AttemptOutcome::TooManyToOne
                | AttemptOutcome::Refused
                | AttemptOutcome::Unknown => {}
            }
            if recorded {
                record_outcome_event(tx, &message, next.state, failure.unwrap_or_default(), now)?;
            }
            Ok::<_, UseCaseError>(recorded)
        };
        let recorded = self.app.store.write(work).await?;
        if recorded && next.state == OutboxState::Unknown {
            metrics::ambiguous(&channel);
        }
        Ok(())
    }
}

/// Moves the pauses of messages apart that failed together.
pub(crate) fn compute_retry_jitter(message: &Outbox) -> u64 {
    u64::try_from(i64::from(message.id)).unwrap_or(0).wrapping_mul(7_919)
}

/// The provider says later that the account of a message sent too fast.
pub(crate) fn slow_down(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<(), UseCaseError> {
    pacing::apply_rate_limit(tx, message, compute_retry_jitter(message), now)
}

/// Between two attempts to write down what came of a message.
const RECORD_RETRY_DELAY: Duration = Duration::from_secs(1);
const SEND_LEASE_EXPIRED: &str = "the program stood still for longer than it had time to send it";
const OVERTAKEN_BY_LATER_MESSAGE: &str = "it did not leave in its time, and what was written after it has";
const OUTSIDE_WINDOW: &str = "outside the window: the customer's last message is too old, only a template may be sent";

impl Attempt {
    const fn as_str(&self) -> &'static str {
        match self.outcome {
            AttemptOutcome::Accepted => "sent",
            AttemptOutcome::Retry { .. } | AttemptOutcome::Misconfigured => "retry",
            AttemptOutcome::TooFast | AttemptOutcome::TooManyToOne => "too_fast",
            AttemptOutcome::Refused => "failed",
            AttemptOutcome::Unknown => "unknown",
        }
    }

    fn failed(outcome: AttemptOutcome, failure: String) -> Self {
        Self { outcome, receipt: None, failure: Some(failure), closed: false, class: None }
    }

    fn outside(failure: String) -> Self {
        Self { closed: true, ..Self::failed(AttemptOutcome::Refused, failure) }
    }

    fn from_error(error: &SendError) -> Self {
        let outcome = match error.class {
            SendClass::Retry { after } => AttemptOutcome::Retry { after },
            SendClass::TooFast { limit: PaceLimit::Account } => AttemptOutcome::TooFast,
            SendClass::TooFast { limit: PaceLimit::Customer } => AttemptOutcome::TooManyToOne,
            SendClass::Unknown => AttemptOutcome::Unknown,
            SendClass::Misconfigured => AttemptOutcome::Misconfigured,
            SendClass::GiveUp { .. } => AttemptOutcome::Refused,
            SendClass::OutsideWindow => {
                return Self::outside(format!("{OUTSIDE_WINDOW}: {error}"));
            }
        };
        Self { class: Some(error.class), ..Self::failed(outcome, error.to_string()) }
    }
}

/// Puts the name of its copy on a message, so that statuses of an earlier copy are recognisable. On an idempotent channel all copies
/// have one name.
fn with_copy_id(body: Outbound, message: &Outbox, channel: &Capabilities) -> Outbound {
    match CorrelationId::new(message.copy_name()) {
        Ok(name) if !channel.idempotent && message.round > 0 => body.tracked(name),
        Ok(_) | Err(_) => body,
    }
}

/// Returns `true` if the message of a crashed sender can be sent again: on an idempotent channel, or if its file was not uploaded, so
/// that the message did not leave. Staff handle a file that crashes the process at each upload.
fn may_repeat(channel: &Capabilities, lost: &Outbox) -> bool {
    let is_with_us = || serde_json::from_str::<Outbound>(&lost.body).is_ok_and(|body| body.kept().is_some());
    // An upload at which the program dies again and again is not begun once more.
    let may_be_sent = lost.attempts < MAX_ATTEMPTS && lost.deaths < MAX_DEATHS;
    channel.idempotent || (channel.own_files == MediaDelivery::Uploaded && may_be_sent && is_with_us())
}

/// A reply that did not leave and that a person overtook is a draft for them, as one that waited is (I-17).
fn overtaken(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<(), UseCaseError> {
    let next = after_attempt(AttemptOutcome::Refused, message.attempts, 0, Duration::ZERO, now);
    if outbox::record(tx, message, next, None, Some("a person took over"), now)?
        && let Some(turn) = message.turn
    {
        message::unsend(tx, message.organization, turn)?;
    }
    Ok(())
}

/// A name that no other claim has, of this program or of another.
fn claim_name() -> String {
    static NAME: OnceLock<u64> = OnceLock::new();
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Each process draws a new seed.
    let of_program = NAME.get_or_init(|| RandomState::new().hash_one(std::process::id()));
    format!("{of_program:016x}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Puts a template in the place of a message that the closed window kept back; tells whether there is one.
fn enqueue_fallback(
    tx: &mut Tx<'_>,
    terms: &BTreeMap<(String, String), SendPolicy>,
    message: &Outbox,
    failure: &str,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    if message.fallback.is_some() {
        return Ok(outbox::fall_back(tx, message, failure, now)?);
    }
    let Some(terms) = terms.get(&(message.channel.clone(), message.account.clone())) else { return Ok(false) };
    let Ok(body) = serde_json::from_str::<Outbound>(&message.body) else { return Ok(false) };
    // A template that the window refuses cannot be sent as a template again.
    if matches!(body.content(), OutboundContent::Template(_)) {
        return Ok(false);
    }
    let facts = facts(tx, message, &body)?;
    let Some(template) = terms.template(Purpose::of_kind(&message.kind), &facts) else { return Ok(false) };
    // An answer that is too long for a template's gap cannot leave in it: it is a dead letter.
    let Ok(template) = Outbound::new(OutboundContent::Template(template)) else { return Ok(false) };
    let template = template.tracked(CorrelationId::new(message.correlation.as_str())?);
    outbox::set_fallback(tx, message, &serde_json::to_string(&template).unwrap_or_default())?;
    Ok(outbox::fall_back(tx, message, failure, now)?)
}

/// What is known of a message beside its words.
fn facts(tx: &mut Tx<'_>, message: &Outbox, body: &Outbound) -> Result<TemplateVariables, UseCaseError> {
    let organization = organization::get(tx, message.organization)?;
    let found = conversation::get(tx, message.organization, message.conversation)?;
    // An alert to staff is about the customer of another conversation.
    let contact = match message.about.as_deref().and_then(handoff_alerts::conversation_of) {
        Some(about) => conversation::get(tx, message.organization, about)?.contact,
        None => found.contact,
    };
    let customer = contact::get(tx, message.organization, contact)?;
    let text = body.adapted_to(&Capabilities::NONE);
    let text = if let OutboundContent::Text { body, .. } = text.content() { Some(body.clone()) } else { None };
    if let Some(about) = message.about.as_deref().and_then(professionals::appointment_of) {
        return of_notice(tx, message, about, text);
    }
    let customer = customer_name(&customer, &organization.locale);
    Ok(TemplateVariables { customer, business: organization.name, text, ..TemplateVariables::default() })
}

/// What a notice to a professional is about.
fn of_notice(
    tx: &mut Tx<'_>,
    message: &Outbox,
    id: AppointmentId,
    text: Option<String>,
) -> Result<TemplateVariables, UseCaseError> {
    let (organization, zone) = crate::context::app_context::organization(tx, message.organization)?;
    let entry = agenda_feed::entry(tx, organization.id, id)?;
    let said = Locale::closest_to_tag(&organization.locale);
    let starts = zone.to_datetime(entry.span.start);
    Ok(TemplateVariables {
        customer: professionals::actor_name(&entry, said == Locale::En).to_owned(),
        business: organization.name,
        service: Some(entry.service).filter(|service| !service.is_empty()),
        professional: catalog::professional_names(tx, organization.id)?.remove(&entry.professional),
        day: Some(format::day(starts.date(), said)),
        time: Some(format::time(starts.time(), said)),
        text,
        answers: Vec::new(),
    })
}

/// What reached the customer is an event; what did not, or may not have, is for staff to see.
pub(crate) fn record_outcome_event(
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
