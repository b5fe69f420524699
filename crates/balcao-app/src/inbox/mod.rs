//! What a channel delivers, taken in once.
//!
//! [`Inbox::accept`] is one transaction for all events of a delivery, durable when it returns: only then may the channel be
//! told that they were received (I-1). What came before is told apart and changes nothing (I-2). A message waits for the
//! dispatcher; everything else takes effect at once: statuses move the outbox on, an echo of the shop's own phone gives the
//! conversation to the person who wrote.
//!
//! Nothing that a signed delivery holds is an error: what nobody knows is kept, and so is what cannot be taken in, because the
//! provider repeats for days what is refused.

pub mod calls;
mod changes;
mod mistakes;
mod people;
pub(crate) mod retract;
mod statuses;
mod templates;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use balcao_channel::channels::web;
use balcao_channel::channels::whatsapp::price::Rates;
use balcao_channel::channels::whatsapp::window;
use balcao_channel::inbound::{Content, Echo, InboundMessage, Media, MediaKind, Person};
use balcao_channel::{Inbound, Recipient};
use balcao_domain::burst::BurstRules;
use balcao_domain::{ContactId, ConversationId, OrganizationId};
use balcao_planted::{self as planted, Bug};
use balcao_store::attachment::{self, NewAttachment};
use balcao_store::choice;
use balcao_store::dispatch::{self, Route};
use balcao_store::inbox::{self, NewInbox};
use balcao_store::message::{self, Author, NewMessage};
use balcao_store::{StoreError, Tx, conversation, event, follow_up, organization};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use crate::chat;
use crate::conversations::speaks;
use crate::desk::{Desk, UseCaseError};
use crate::metrics;
use crate::outgoing;

/// Which account of a channel belongs to whom.
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

/// What became of a delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Events that were new.
    pub new: u32,
    /// Events that had come before.
    pub repeated: u32,
    /// Events for accounts that nobody has, new ones.
    pub strays: u32,
}

/// Takes in what channels deliver. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox {
    desk: Desk,
    accounts: Arc<BTreeMap<(String, String), Account>>,
    burst: BurstRules,
    wake: Arc<Notify>,
    /// Told when a file is to be fetched, and how long its turn waits for it. Without it files are only mentioned.
    files: Option<(Arc<Notify>, Duration)>,
    /// What messages on WhatsApp cost.
    rates: Option<Rates>,
    /// Accounts that nobody has, of which the log was told.
    strangers: Arc<Mutex<BTreeSet<(String, String)>>>,
}

/// What the provider calls a delivery of messages and their statuses.
const MESSAGES: &str = "messages";
/// The channel whose messages have a price.
const WHATSAPP: &str = "whatsapp";

/// So many accounts that nobody has are told of; more are an attack or a proxy gone wrong, and told of by the metric.
const STRANGERS: usize = 64;

impl Inbox {
    /// An inbox for these accounts; `wake` is told when something waits for an answer.
    #[must_use]
    pub fn new(desk: Desk, accounts: impl IntoIterator<Item = Account>, burst: BurstRules, wake: Arc<Notify>) -> Self {
        let keyed = accounts.into_iter().map(|one| ((one.channel.clone(), one.account.clone()), one));
        Self {
            desk,
            accounts: Arc::new(keyed.collect()),
            burst,
            wake,
            files: None,
            rates: None,
            strangers: Arc::default(),
        }
    }

    /// The same, for a [`crate::attachments::Attachments`] that fetches files: it is told by `fetch`, and a turn waits so long
    /// for them.
    #[must_use]
    pub fn with_files(self, fetch: Arc<Notify>, wait: Duration) -> Self {
        Self { files: Some((fetch, wait)), ..self }
    }

    /// The same, where messages on WhatsApp cost so much: what the provider says it billed one as is priced by it.
    #[must_use]
    pub fn with_rates(self, rates: Option<Rates>) -> Self {
        Self { rates, ..self }
    }

    /// Stores a delivery of a channel. When it returns, it is durable; on an error nothing is, and the channel must be told to
    /// come again.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn accept(&self, channel: &'static str, events: Vec<Inbound>) -> Result<Accepted, UseCaseError> {
        let events = if planted::has(Bug::DedupedByReading) {
            mistakes::new_by_reading(self, channel, events).await
        } else {
            events
        };
        let now = self.desk.clock.now();
        let inbox = self.clone();
        let work = move |tx: &mut Tx<'_>| {
            let mut accepted = Accepted::default();
            for event in &events {
                inbox.take_in_or_aside(tx, channel, event, &mut accepted, now)?;
            }
            Ok::<_, UseCaseError>(accepted)
        };
        let accepted = match self.desk.store.write(work).await {
            Err(_) if planted::has(Bug::AcknowledgedBeforeCommit) => return Ok(Accepted::default()),
            accepted => accepted?,
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

    /// Takes an event in. One that cannot be is put aside with the reason, and loses none of its neighbours (F-23): the provider
    /// would repeat all of them for days.
    fn take_in_or_aside(
        &self,
        tx: &mut Tx<'_>,
        channel: &str,
        event: &Inbound,
        accepted: &mut Accepted,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let mut after = *accepted;
        let taken = tx.attempt(|tx| self.take_in(tx, channel, event, &mut after, now).map(Ok::<(), Infallible>));
        let error = match taken {
            Ok(_) => {
                *accepted = after;
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(account) = self.account(channel, event).filter(|_| is_of_the_event(&error)) else {
            return Err(error);
        };
        tracing::error!(%error, "an event that could not be taken in was put aside");
        let key = mistakes::key_of(event, now);
        let payload = serde_json::to_string(event).unwrap_or_default();
        let arrival =
            Arrival { account, key: &key, payload: &payload, now, burst: self.burst, wait: None, rates: None };
        arrival.keep(tx, "unknown", None, None, &format!("it could not be taken in: {error}"))?;
        accepted.new = accepted.new.saturating_add(1);
        Ok(())
    }

    /// Says once that something came in for an account that nobody has: customers write there and hear nothing.
    fn tell_of_stranger(&self, channel: &str, account: &str, business: &str) {
        let mut told = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= STRANGERS || !told.insert((channel.to_owned(), account.to_owned())) {
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
        channel: &str,
        event: &Inbound,
        accepted: &mut Accepted,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let key = mistakes::key_of(event, now);
        let payload = serde_json::to_string(event).unwrap_or_default();
        let Some(account) = self.account(channel, event) else {
            let name = event.origin().account.as_ref().map_or("", |account| account.as_str());
            let is_new = inbox::insert_stray(tx, channel, name, &key, &payload, now)?;
            accepted.strays = accepted.strays.saturating_add(is_new.into());
            self.tell_of_stranger(channel, name, &event.origin().business);
            return Ok(());
        };
        if inbox::knows(tx, account.organization, channel, &account.account, &key)? {
            accepted.repeated = accepted.repeated.saturating_add(1);
            return Ok(());
        }
        accepted.new = accepted.new.saturating_add(1);
        let wait = self.files.as_ref().map(|(_, wait)| *wait);
        let rates = self.rates.filter(|_| account.channel == WHATSAPP);
        let mut arrival = Arrival { account, key: &key, payload: &payload, now, burst: self.burst, wait, rates };
        arrival.handle(tx, event)
    }

    /// The account that an event is for, if it is one of ours.
    fn account(&self, channel: &str, event: &Inbound) -> Option<&Account> {
        let origin = event.origin();
        let Some(name) = &origin.account else {
            // News of the whole business name no number of it; a message that names none is nobody's.
            let is_news = matches!(event, Inbound::Unknown(news) if news.field != MESSAGES);
            let of_business = |one: &&Account| one.business.as_ref() == Some(&origin.business);
            return self.accounts.values().filter(|one| is_news && one.channel == channel).find(of_business);
        };
        let name = name.as_str().to_owned();
        let found = self.accounts.get(&(channel.to_owned(), name))?;
        found.business.as_ref().is_none_or(|business| *business == origin.business).then_some(found)
    }
}

/// How a message is kept: with words for a turn, or without.
fn kind_of(content: &Content) -> &'static str {
    let sticker = |media: &Media| media.media == MediaKind::Sticker && media.caption.is_none();
    let is_wordless =
        matches!(content, Content::Unsupported { .. }) || matches!(content, Content::Media(media) if sticker(media));
    if is_wordless { inbox::WORDLESS } else { "message" }
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
        UseCaseError::Zone { .. } | UseCaseError::Outbound(_) | UseCaseError::NoContact { .. } => true,
    }
}

/// Says when what waits in a conversation is to be answered: when its burst is over, and its files are here or too late. If
/// nothing waits, nothing is changed.
pub(crate) fn ripen(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    burst: BurstRules,
) -> Result<(), UseCaseError> {
    let Some(waiting) = inbox::burst(tx, organization, conversation)? else { return Ok(()) };
    let over = burst.ripe_at(waiting.first, waiting.last, waiting.count);
    let files = attachment::awaited_until(tx, organization, conversation)?;
    dispatch::set_ripe(tx, organization, conversation, Some(files.map_or(over, |files| files.max(over))))?;
    Ok(())
}

/// A new event of an account of ours.
pub(super) struct Arrival<'a> {
    pub(super) account: &'a Account,
    key: &'a str,
    payload: &'a str,
    pub(super) now: Timestamp,
    burst: BurstRules,
    /// How long a turn waits for files; `None` if nobody fetches them.
    wait: Option<Duration>,
    /// What messages of the account cost, if that is known.
    rates: Option<Rates>,
}

/// A contact wrote: who listens is told, and they need not be reminded that they wanted to (F-143).
fn wrote(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    follow_up::cancel_open(tx, organization, contact, None)?;
    let payload = serde_json::json!({ "contact": contact.to_string() }).to_string();
    event::push(tx, organization, "contact_wrote", &conversation.to_string(), &payload, now)?;
    Ok(())
}

impl Arrival<'_> {
    pub(super) fn organization(&self) -> OrganizationId {
        self.account.organization
    }

    fn handle(&mut self, tx: &mut Tx<'_>, event: &Inbound) -> Result<(), UseCaseError> {
        match event {
            Inbound::Message(message) => self.message(tx, message),
            Inbound::Echo(echo) => self.echo(tx, echo),
            Inbound::Status(status) => {
                let reason = self.status(tx, status)?;
                self.keep(tx, "status", None, Some(status.message.as_str()), reason)
            }
            Inbound::Preference(preference) => {
                let reason = self.preference(tx, preference)?;
                self.keep(tx, "preference", None, None, reason)
            }
            Inbound::Renamed(renamed) => {
                let reason = self.renamed(tx, renamed)?;
                self.keep(tx, "renamed", None, None, reason)
            }
            Inbound::Unknown(unknown) => {
                if let Some(change) = templates::change(unknown) {
                    let reason = self.template_changed(tx, &change)?;
                    return self.keep(tx, "unknown", None, None, reason);
                }
                tracing::warn!(
                    field = unknown.field,
                    reason = unknown.reason,
                    "an event that is not known here was kept"
                );
                self.keep(tx, "unknown", None, None, &unknown.reason)
            }
        }
    }

    fn message(&mut self, tx: &mut Tx<'_>, message: &InboundMessage) -> Result<(), UseCaseError> {
        let id = Some(message.id.as_str());
        if message.group.is_some() {
            return self.keep(tx, "message", None, id, "it was written in a group");
        }
        match &message.content {
            Content::Edit { message: earlier, content } => {
                let reason = self.edited(tx, earlier, content)?;
                self.keep(tx, "edit", None, id, reason)
            }
            Content::Delete { message: earlier } => {
                let reason = self.deleted(tx, earlier)?;
                self.keep(tx, "delete", None, id, reason)
            }
            Content::System(notice) => {
                let reason = self.system(tx, &message.sender, notice)?;
                self.keep(tx, "system", None, id, reason)
            }
            Content::Reaction { .. } => self.keep(tx, "reaction", None, id, "a reaction wakes nobody"),
            Content::Text { .. }
            | Content::Media(_)
            | Content::Location(_)
            | Content::ContactCards { .. }
            | Content::ButtonReply { .. }
            | Content::ListReply { .. }
            | Content::Order(_)
            | Content::Unsupported { .. } => self.for_a_turn(tx, message),
        }
    }

    /// A message that deserves an answer: it waits until its burst is ripe.
    fn for_a_turn(&mut self, tx: &mut Tx<'_>, message: &InboundMessage) -> Result<(), UseCaseError> {
        if message.sender.is_nobody() {
            return self.keep(tx, "message", None, Some(message.id.as_str()), "nobody to answer");
        }
        let organization = self.organization();
        let wrote_at = message.at.unwrap_or(self.now).min(self.now);
        let sender = people::sender(message);
        if let Some(before) = people::gone_silent(tx, organization, &sender, wrote_at)? {
            people::let_go(tx, organization, before, &self.account.channel, self.now)?;
        }
        let (contact, recipient) = self.who_wrote(tx, &sender, wrote_at)?;
        let Some(recipient) = recipient else {
            return self.keep(tx, "message", None, Some(message.id.as_str()), "nobody to answer");
        };
        let found = conversation::find_or_begin(tx, organization, contact, &self.account.channel, self.now)?;
        let route = Route {
            account: self.account.account.clone(),
            recipient: serde_json::to_string(&recipient).unwrap_or_default(),
            customer_wrote_at: window::opens(message).then_some(wrote_at),
        };
        dispatch::set_route(tx, organization, found.id, &route)?;
        let text = match self.chosen(tx, found.id, &message.content)? {
            Some(words) => words,
            None => self.words(tx, &message.content)?,
        };
        let new = NewInbox {
            text: Some(&text),
            provider_at: message.at,
            ignored: None,
            ..self.row(kind_of(&message.content), Some(found.id), Some(message.id.as_str()), "")
        };
        let row = inbox::insert(tx, organization, &new, self.now)?;
        wrote(tx, organization, contact, found.id, self.now)?;
        if self.account.channel == web::KIND {
            chat::note_inbound(tx, organization, found.id, &message.id, &text, self.now)?;
        }
        if let (Content::Media(media), Some(row), Some(wait)) = (&message.content, row, self.wait) {
            let wait = SignedDuration::try_from(wait).unwrap_or_default();
            let new = NewAttachment {
                contact,
                conversation: found.id,
                inbox: row,
                channel: &self.account.channel,
                account: &self.account.account,
                media: &serde_json::to_string(media).unwrap_or_default(),
                awaited_until: self.now.checked_add(wait).unwrap_or(self.now),
            };
            attachment::insert(tx, organization, &new, self.now)?;
        }
        ripen(tx, organization, found.id, self.burst)
    }

    fn who_wrote(
        &self,
        tx: &mut Tx<'_>,
        person: &Person,
        at: Timestamp,
    ) -> Result<(ContactId, Option<Recipient>), UseCaseError> {
        people::who_wrote(tx, self.organization(), person, &self.account.channel, at, self.now)
    }

    /// Staff wrote from the shop's own phone: the conversation is theirs at once, and what was about to be sent is a draft.
    fn echo(&mut self, tx: &mut Tx<'_>, echo: &Echo) -> Result<(), UseCaseError> {
        // A sign put on a message, or a message corrected, is nothing said.
        if matches!(echo.content, Content::Reaction { .. } | Content::Edit { .. } | Content::Delete { .. }) {
            return self.keep(tx, "echo", None, Some(echo.id.as_str()), "staff changed something that was said");
        }
        let organization = self.organization();
        let (contact, recipient) = self.who_wrote(tx, &echo.to, echo.at.unwrap_or(self.now).min(self.now))?;
        let mut found = conversation::find_or_begin(tx, organization, contact, &self.account.channel, self.now)?;
        if let Some(recipient) = recipient {
            let recipient = serde_json::to_string(&recipient).unwrap_or_default();
            let route = Route { account: self.account.account.clone(), recipient, customer_wrote_at: None };
            dispatch::set_route(tx, organization, found.id, &route)?;
        }
        let text = self.words(tx, &echo.content)?;
        let new = NewMessage { conversation: found.id, turn: None, author: Author::Staff, text: &text, subject: None };
        message::insert(tx, organization, &new, self.now)?;
        found.last_message_at = self.now;
        if speaks(tx, organization, &mut found, None, self.now)? {
            event::push(tx, organization, "conversation_taken_over", &found.id.to_string(), "{}", self.now)?;
        }
        self.keep(tx, "echo", Some(found.id), Some(echo.id.as_str()), "staff wrote it")
    }

    /// What a turn reads when the customer tapped a button or a row of ours: what our record says of it, whatever came back
    /// beside its name. `None` if it is none of ours.
    fn chosen(
        &self,
        tx: &mut Tx<'_>,
        conversation: ConversationId,
        content: &Content,
    ) -> Result<Option<String>, UseCaseError> {
        let (Content::ButtonReply { id, .. } | Content::ListReply { id, .. }) = content else { return Ok(None) };
        if !id.starts_with(outgoing::CHOICE) {
            return Ok(None);
        }
        let found = choice::find(tx, self.organization(), conversation, id)?;
        let locale = organization::get(tx, self.organization())?.locale;
        Ok(Some(match found {
            Some((words, until)) if self.now < until => words,
            Some((words, _)) => words::lapsed(Some(&words), &locale),
            None => words::lapsed(None, &locale),
        }))
    }

    /// What a turn reads of a message.
    fn words(&self, tx: &mut Tx<'_>, content: &Content) -> Result<String, UseCaseError> {
        let locale = organization::get(tx, self.organization())?.locale;
        Ok(words::of(content, &locale))
    }

    /// Keeps an event that no turn answers.
    fn keep(
        &self,
        tx: &mut Tx<'_>,
        kind: &str,
        conversation: Option<ConversationId>,
        provider_message: Option<&str>,
        reason: &str,
    ) -> Result<(), UseCaseError> {
        inbox::insert(tx, self.organization(), &self.row(kind, conversation, provider_message, reason), self.now)?;
        Ok(())
    }

    fn row<'b>(
        &'b self,
        kind: &'b str,
        conversation: Option<ConversationId>,
        provider_message: Option<&'b str>,
        reason: &'b str,
    ) -> NewInbox<'b> {
        NewInbox {
            channel: &self.account.channel,
            account: &self.account.account,
            key: self.key,
            kind,
            conversation,
            provider_message,
            text: None,
            payload: self.payload,
            provider_at: None,
            ignored: Some(reason),
        }
    }
}
