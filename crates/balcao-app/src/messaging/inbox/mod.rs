//! Stores what a channel delivers, once.
//!
//! [`Inbox::accept`] stores all events of a delivery in one transaction, and they are durable when it returns. Only then may the server
//! acknowledge the delivery to the channel provider (I-1). A repeated event changes nothing (I-2). A message waits for the dispatcher;
//! every other event takes effect at once. A status update changes the state of an outgoing message, and an echo from the shop's own phone
//! gives the conversation to the person who wrote.
//!
//! The content of a signed delivery never causes an error, because the provider repeats a refused delivery for days. The inbox stores
//! unknown events, and quarantines events that fail to apply.

pub mod calls;
mod edits;
mod event_handler;
pub(crate) mod message_text;
pub(crate) mod retract;
mod seeded_bugs;
mod sender_identity;
pub mod service_messages;
mod statuses;
mod template_changes;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use balcao_channel::InboundEvent;
use balcao_channel::channels::whatsapp::price::Rates;
use balcao_domain::burst::BurstRules;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::{StoreError, Tx, messaging::attachment, messaging::inbox, turns::lease};
use jiff::Timestamp;
use tokio::sync::Notify;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;
use event_handler::EventHandler;
pub(crate) use event_handler::UploadedFile;

/// Which organization owns an account of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The channel: `whatsapp`, …
    pub channel: String,
    /// The account, as the channel names it.
    pub account: String,
    /// The business at the provider that it must belong to; `None`: any.
    pub business: Option<String>,
    /// Whose it is.
    pub organization: OrganizationId,
}

/// The channel of a delivery, and the file that came with the request.
#[derive(Clone, Copy)]
struct EventSource<'a> {
    channel: &'a str,
    brought: Option<&'a UploadedFile>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Events that were new.
    pub new: u32,
    /// Events that had come before.
    pub repeated: u32,
    /// New events for accounts that belong to no organization.
    pub strays: u32,
}

/// Takes in what channels deliver. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox {
    app: AppContext,
    accounts: Arc<BTreeMap<(String, String), Account>>,
    burst: BurstRules,
    wake: Arc<Notify>,
    /// Told when a file is to be fetched, and how long its turn waits for it. Without it files are only mentioned.
    files: Option<(Arc<Notify>, Duration)>,
    /// What messages on WhatsApp cost.
    rates: Option<Rates>,
    /// Accounts without an organization that the log already names.
    unknown_accounts: Arc<Mutex<BTreeSet<(String, String)>>>,
}

/// What the provider calls a delivery of messages and their statuses.
const MESSAGES: &str = "messages";
/// The channel whose messages have a price.
const WHATSAPP: &str = "whatsapp";

/// How many accounts without an organization the log names. More are an attack or a faulty proxy, and only the metric counts them.
const MAX_UNKNOWN_ACCOUNTS: usize = 64;

impl Inbox {
    /// Creates an inbox for these accounts; it fires `wake` when a message waits for an answer.
    #[must_use]
    pub fn new(
        app: AppContext,
        accounts: impl IntoIterator<Item = Account>,
        burst: BurstRules,
        wake: Arc<Notify>,
    ) -> Self {
        let keyed = accounts.into_iter().map(|one| ((one.channel.clone(), one.account.clone()), one));
        Self {
            app,
            accounts: Arc::new(keyed.collect()),
            burst,
            wake,
            files: None,
            rates: None,
            unknown_accounts: Arc::default(),
        }
    }

    /// Returns the inbox for a server with a [`crate::messaging::attachments::Attachments`] worker. The inbox fires `fetch` when a file
    /// arrives, and a turn waits up to `wait` for its files.
    #[must_use]
    pub fn with_files(self, fetch: Arc<Notify>, wait: Duration) -> Self {
        Self { files: Some((fetch, wait)), ..self }
    }

    /// Returns the inbox with the prices of WhatsApp messages; it applies them to each message that the provider reports as billed.
    #[must_use]
    pub fn with_rates(self, rates: Option<Rates>) -> Self {
        Self { rates, ..self }
    }

    /// Stores a delivery of a channel. When it returns, the delivery is durable. On an error nothing is stored, and the caller must ask the
    /// channel to repeat the delivery.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn accept(&self, channel: &'static str, events: Vec<InboundEvent>) -> Result<Accepted, UseCaseError> {
        self.accept_with(channel, events, None).await
    }

    /// Stores a delivery whose one message brings its file along, so that no worker need fetch the file.
    pub(crate) async fn accept_with(
        &self,
        channel: &'static str,
        events: Vec<InboundEvent>,
        brought: Option<Arc<UploadedFile>>,
    ) -> Result<Accepted, UseCaseError> {
        let accepted = if seeded_bugs::AVAILABLE {
            seeded_bugs::store_delivery(self, channel, events, brought).await?
        } else {
            self.store_delivery(channel, events, brought).await?
        };
        metrics::inbox_events(channel, accepted.new, accepted.repeated, accepted.strays);
        if accepted.new > 0 {
            self.wake.notify_one();
            if let Some((fetch, _)) = &self.files {
                fetch.notify_one();
            }
        }
        Ok(accepted)
    }

    /// Stores a delivery in one transaction, and gives what became of its events.
    async fn store_delivery(
        &self,
        channel: &'static str,
        events: Vec<InboundEvent>,
        brought: Option<Arc<UploadedFile>>,
    ) -> Result<Accepted, UseCaseError> {
        let now = self.app.clock.now();
        let inbox = self.clone();
        let work = move |tx: &mut Tx<'_>| {
            let source = EventSource { channel, brought: brought.as_deref() };
            let mut accepted = Accepted::default();
            for event in &events {
                inbox.accept_or_quarantine(tx, source, event, &mut accepted, now)?;
            }
            Ok::<_, UseCaseError>(accepted)
        };
        self.app.store.write(work).await
    }

    /// Takes an event in. One that cannot be is put aside with the reason, and loses none of its neighbours (F-23): the provider
    /// would repeat all of them for days.
    fn accept_or_quarantine(
        &self,
        tx: &mut Tx<'_>,
        source: EventSource<'_>,
        event: &InboundEvent,
        accepted: &mut Accepted,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let mut after = *accepted;
        let taken = tx.savepoint(|tx| self.take_in(tx, source, event, &mut after, now).map(Ok::<(), Infallible>));
        let error = match taken {
            Ok(_) => {
                *accepted = after;
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(account) = self.account(source.channel, event).filter(|_| is_of_the_event(&error)) else {
            return Err(error);
        };
        tracing::error!(%error, "an event that could not be taken in was put aside");
        let key = dedupe_key(event, now);
        let payload = serde_json::to_string(event).unwrap_or_default();
        let arrival = EventHandler {
            account,
            key: &key,
            payload: &payload,
            now,
            burst: self.burst,
            wait: None,
            rates: None,
            brought: None,
        };
        arrival.store_unanswered(tx, "unknown", None, None, &format!("it could not be taken in: {error}"))?;
        accepted.new = accepted.new.saturating_add(1);
        Ok(())
    }

    /// Logs once that an event arrived for an account without an organization: customers write there and get no answer.
    fn log_unknown_account(&self, channel: &str, account: &str, business: &str) {
        let mut told = self.unknown_accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MAX_UNKNOWN_ACCOUNTS || !told.insert((channel.to_owned(), account.to_owned())) {
            return;
        }
        if account.is_empty() {
            tracing::warn!(
                channel,
                business,
                "news come of a business account that is not configured here: they are kept"
            );
            return;
        }
        tracing::error!(
            channel,
            account,
            "messages come in for an account that is not configured here: they are kept and not answered"
        );
    }

    fn take_in(
        &self,
        tx: &mut Tx<'_>,
        source: EventSource<'_>,
        event: &InboundEvent,
        accepted: &mut Accepted,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let EventSource { channel, brought } = source;
        let key = dedupe_key(event, now);
        let payload = serde_json::to_string(event).unwrap_or_default();
        let Some(account) = self.account(channel, event) else {
            let name = event.origin().account.as_ref().map_or("", |account| account.as_str());
            let is_new = inbox::insert_stray(tx, channel, name, &key, &payload, now)?;
            accepted.strays = accepted.strays.saturating_add(is_new.into());
            self.log_unknown_account(channel, name, &event.origin().business);
            return Ok(());
        };
        if inbox::is_known(tx, account.organization, channel, &account.account, &key)? {
            accepted.repeated = accepted.repeated.saturating_add(1);
            return Ok(());
        }
        accepted.new = accepted.new.saturating_add(1);
        let wait = self.files.as_ref().map(|(_, wait)| *wait);
        let rates = self.rates.filter(|_| account.channel == WHATSAPP);
        let mut arrival =
            EventHandler { account, key: &key, payload: &payload, now, burst: self.burst, wait, rates, brought };
        arrival.handle(tx, event)
    }

    /// The account that an event is for, if it is one of ours.
    fn account(&self, channel: &str, event: &InboundEvent) -> Option<&Account> {
        let origin = event.origin();
        let Some(name) = &origin.account else {
            // An event about the whole business names no account; a message without an account belongs to no organization.
            let is_news = matches!(event, InboundEvent::Unknown(news) if news.field != MESSAGES);
            let of_business = |one: &&Account| one.business.as_ref() == Some(&origin.business);
            return self.accounts.values().filter(|one| is_news && one.channel == channel).find(of_business);
        };
        let name = name.as_str().to_owned();
        let found = self.accounts.get(&(channel.to_owned(), name))?;
        found.business.as_ref().is_none_or(|business| *business == origin.business).then_some(found)
    }
}

/// The key by which a repeated event is recognised.
fn dedupe_key(event: &InboundEvent, now: Timestamp) -> String {
    if seeded_bugs::makes_keys_unique() {
        return seeded_bugs::unique_key(event, now);
    }
    event.dedupe_key()
}

/// Whether an error is about what an event says, and comes again with it; else the database is in trouble.
const fn is_of_the_event(error: &UseCaseError) -> bool {
    match error {
        UseCaseError::Store(error) => matches!(
            error,
            StoreError::Constraint { .. }
                | StoreError::NoRow { .. }
                | StoreError::Decode { .. }
                | StoreError::KeyReused { .. }
        ),
        UseCaseError::RemoteCalendar(_) => false,
        UseCaseError::Zone { .. } | UseCaseError::Outbound(_) | UseCaseError::NoContact { .. } => true,
    }
}

/// Says when what waits in a conversation is to be answered: when its burst is over, and its files are here or too late. If
/// nothing waits, nothing is changed.
pub(crate) fn schedule_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    burst: BurstRules,
) -> Result<(), UseCaseError> {
    let Some(waiting) = inbox::burst(tx, organization, conversation)? else { return Ok(()) };
    let over = burst.due_at(waiting.first, waiting.last, waiting.count);
    let files = attachment::awaited_until(tx, organization, conversation)?;
    lease::set_due(tx, organization, conversation, Some(files.map_or(over, |files| files.max(over))))?;
    Ok(())
}
