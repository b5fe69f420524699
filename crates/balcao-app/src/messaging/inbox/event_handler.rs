//! One new event of an account of ours: what it changes, in the transaction that stores it.

use std::time::Duration;

use balcao_channel::channels::web;
use balcao_channel::channels::whatsapp::price::Rates;
use balcao_channel::channels::whatsapp::window;
use balcao_channel::inbound::{Content, Echo, Forwarded, InboundMessage, Media, MediaKind, Person};
use balcao_channel::{InboundEvent, Recipient};
use balcao_domain::attachment::AttachmentState;
use balcao_domain::burst::BurstRules;
use balcao_domain::{AttachmentId, ContactId, ConversationId, InboxId, OrganizationId};
use balcao_store::messaging::attachment::{self, Fetched, NewAttachment};
use balcao_store::messaging::choice;
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::messaging::message::{self, Answered, Author, NewMessage};
use balcao_store::messaging::web_chat::{self, ChatAuthor};
use balcao_store::turns::lease::{self, Route};
use balcao_store::{Tx, crm::organization, scheduling::follow_up, turns::event};
use jiff::{SignedDuration, Timestamp};

use super::{Account, message_text, schedule_turn, sender_identity, template_changes};
use crate::context::app_context::UseCaseError;
use crate::context::hash::sha256_hex;
use crate::messaging::outbound::enqueue;
use crate::messaging::takeover::take_over;

/// How a message is kept: with words for a turn, or without.
fn kind_of(content: &Content) -> &'static str {
    let sticker = |media: &Media| media.media == MediaKind::Sticker && media.caption.is_none();
    let is_wordless =
        matches!(content, Content::Unsupported { .. }) || matches!(content, Content::Media(media) if sticker(media));
    if is_wordless { inbox::WORDLESS } else { "message" }
}

/// A file that came with its message.
#[derive(Debug)]
pub(crate) struct UploadedFile {
    /// Its type, as its bytes say.
    pub(crate) mime: &'static str,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// A new event of an account of ours.
pub(super) struct EventHandler<'a> {
    pub(super) account: &'a Account,
    pub(super) key: &'a str,
    pub(super) payload: &'a str,
    pub(super) now: Timestamp,
    pub(super) burst: BurstRules,
    /// How long a turn waits for files; `None` if no worker fetches them.
    pub(super) wait: Option<Duration>,
    /// What messages of the account cost, if that is known.
    pub(super) rates: Option<Rates>,
    /// The file of the message, if it need not be fetched.
    pub(super) brought: Option<&'a UploadedFile>,
}

/// Records that a contact wrote: webhook endpoints receive the event, and the contact's follow-ups are no longer needed (F-143).
pub(super) fn record_contact_wrote(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    follow_up::drop_open(tx, organization, contact)?;
    let payload = serde_json::json!({ "contact": contact.to_string() }).to_string();
    event::push(tx, organization, "contact_wrote", &conversation.to_string(), &payload, now)?;
    Ok(())
}

impl EventHandler<'_> {
    pub(super) fn organization(&self) -> OrganizationId {
        self.account.organization
    }

    pub(super) fn handle(&mut self, tx: &mut Tx<'_>, event: &InboundEvent) -> Result<(), UseCaseError> {
        match event {
            InboundEvent::Message(message) => self.message(tx, message),
            InboundEvent::Echo(echo) => self.echo(tx, echo),
            InboundEvent::Status(status) => {
                let reason = self.status(tx, status)?;
                self.store_unanswered(tx, "status", None, Some(status.message.as_str()), reason)
            }
            InboundEvent::Preference(preference) => {
                let reason = self.preference(tx, preference)?;
                self.store_unanswered(tx, "preference", None, None, reason)
            }
            InboundEvent::Renamed(renamed) => {
                let reason = self.renamed(tx, renamed)?;
                self.store_unanswered(tx, "renamed", None, None, reason)
            }
            InboundEvent::Unknown(unknown) => {
                if let Some(change) = template_changes::change(unknown) {
                    let reason = self.template_changed(tx, &change)?;
                    return self.store_unanswered(tx, "unknown", None, None, reason);
                }
                tracing::warn!(
                    field = unknown.field,
                    reason = unknown.reason,
                    "an event that is not known here was kept"
                );
                self.store_unanswered(tx, "unknown", None, None, &unknown.reason)
            }
        }
    }

    fn message(&mut self, tx: &mut Tx<'_>, message: &InboundMessage) -> Result<(), UseCaseError> {
        let id = Some(message.id.as_str());
        if message.group.is_some() {
            return self.store_unanswered(tx, "message", None, id, "it was written in a group");
        }
        match &message.content {
            Content::Edit { message: earlier, content } => {
                let reason = self.edited(tx, &message.sender, earlier, content)?;
                self.store_unanswered(tx, "edit", None, id, reason)
            }
            Content::Delete { message: earlier } => {
                let reason = self.deleted(tx, &message.sender, earlier)?;
                self.store_unanswered(tx, "delete", None, id, reason)
            }
            Content::System(notice) => {
                let reason = self.system(tx, &message.sender, notice)?;
                self.store_unanswered(tx, "system", None, id, reason)
            }
            Content::Reaction { .. } => self.store_unanswered(tx, "reaction", None, id, "a reaction wakes nobody"),
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

    /// A message that deserves an answer: it waits until its burst is due.
    fn for_a_turn(&mut self, tx: &mut Tx<'_>, message: &InboundMessage) -> Result<(), UseCaseError> {
        if message.sender.is_nobody() {
            return self.store_unanswered(tx, "message", None, Some(message.id.as_str()), "nobody to answer");
        }
        let organization = self.organization();
        let wrote_at = message.at.unwrap_or(self.now).min(self.now);
        let sender = sender_identity::sender(message);
        if let Some(before) = sender_identity::gone_silent(tx, organization, &sender, wrote_at)? {
            sender_identity::let_go(tx, organization, before, &self.account.channel, self.now)?;
        }
        let (contact, recipient) = self.who_wrote(tx, &sender, wrote_at)?;
        let Some(recipient) = recipient else {
            return self.store_unanswered(tx, "message", None, Some(message.id.as_str()), "nobody to answer");
        };
        let found = conversation::find_or_begin(tx, organization, contact, &self.account.channel, self.now)?;
        let route = Route {
            account: self.account.account.clone(),
            recipient: serde_json::to_string(&recipient).unwrap_or_default(),
            customer_wrote_at: window::opens(message).then_some(wrote_at),
        };
        lease::set_route(tx, organization, found.id, &route)?;
        let text = match self.chosen(tx, found.id, &message.content)? {
            Some(words) => words,
            None => self.words_of(tx, found.id, message)?,
        };
        let new = NewInbox {
            text: Some(&text),
            provider_at: message.at,
            ignored: None,
            ..self.row(kind_of(&message.content), Some(found.id), Some(message.id.as_str()), "")
        };
        let row = inbox::insert(tx, organization, &new, self.now)?;
        record_contact_wrote(tx, organization, contact, found.id, self.now)?;
        let file = self.add_file(tx, &found, row, &message.content)?;
        if self.account.channel == web::KIND {
            // A file is shown as such; its description is the turn's.
            let text = if let Content::Media(media) = &message.content {
                media.caption.as_deref().unwrap_or_default()
            } else {
                &text
            };
            // The pages of the visitor read it there.
            let (conversation, name, author) = (found.id, message.id.as_str(), ChatAuthor::Visitor);
            web_chat::push(tx, organization, &web_chat::NewEntry { conversation, name, author, text, file }, self.now)?;
        }
        schedule_turn(tx, organization, found.id, self.burst)
    }

    /// Adds the file of a new message. What came with it is here, and sound alone is still to be written down.
    fn add_file(
        &self,
        tx: &mut Tx<'_>,
        conversation: &Conversation,
        row: Option<InboxId>,
        content: &Content,
    ) -> Result<Option<AttachmentId>, UseCaseError> {
        let (Content::Media(media), Some(inbox)) = (content, row) else { return Ok(None) };
        let Some(wait) = self.wait.or(self.brought.map(|_| Duration::ZERO)) else { return Ok(None) };
        let wait = SignedDuration::try_from(wait).unwrap_or_default();
        let new = NewAttachment {
            contact: conversation.contact,
            conversation: conversation.id,
            inbox,
            channel: &self.account.channel,
            account: &self.account.account,
            media: &serde_json::to_string(media).unwrap_or_default(),
            awaited_until: self.now.checked_add(wait).unwrap_or(self.now),
        };
        let id = attachment::insert(tx, self.organization(), &new, self.now)?;
        if let Some(UploadedFile { mime, bytes }) = self.brought
            && let Some(added) = attachment::find(tx, self.organization(), id)?
        {
            let sha256 = sha256_hex(bytes);
            attachment::store_bytes(tx, &added, &Fetched { mime, sha256: &sha256, bytes }, self.now)?;
            if media.media != MediaKind::Audio || self.wait.is_none() {
                attachment::finish(tx, &added, AttachmentState::Stored, None, None, self.now)?;
            }
        }
        Ok(Some(id))
    }

    fn who_wrote(
        &self,
        tx: &mut Tx<'_>,
        person: &Person,
        at: Timestamp,
    ) -> Result<(ContactId, Option<Recipient>), UseCaseError> {
        sender_identity::who_wrote(tx, self.organization(), person, &self.account.channel, at, self.now)
    }

    /// Staff wrote from the shop's own phone: the conversation is theirs at once, and what was about to be sent is a draft.
    fn echo(&mut self, tx: &mut Tx<'_>, echo: &Echo) -> Result<(), UseCaseError> {
        // A sign put on a message, or a message corrected, is nothing said.
        if matches!(echo.content, Content::Reaction { .. } | Content::Edit { .. } | Content::Delete { .. }) {
            return self.store_unanswered(
                tx,
                "echo",
                None,
                Some(echo.id.as_str()),
                "staff changed something that was said",
            );
        }
        let organization = self.organization();
        let (contact, recipient) = self.who_wrote(tx, &echo.to, echo.at.unwrap_or(self.now).min(self.now))?;
        let mut found = conversation::find_or_begin(tx, organization, contact, &self.account.channel, self.now)?;
        if let Some(recipient) = recipient {
            let recipient = serde_json::to_string(&recipient).unwrap_or_default();
            let route = Route { account: self.account.account.clone(), recipient, customer_wrote_at: None };
            lease::set_route(tx, organization, found.id, &route)?;
        }
        let text = self.words(tx, &echo.content)?;
        let new = NewMessage { conversation: found.id, turn: None, author: Author::Staff, text: &text, subject: None };
        message::insert(tx, organization, &new, self.now)?;
        found.last_message_at = self.now;
        if take_over(tx, organization, &mut found, None, self.now)? {
            event::push(tx, organization, "conversation_taken_over", &found.id.to_string(), "{}", self.now)?;
        }
        self.store_unanswered(tx, "echo", Some(found.id), Some(echo.id.as_str()), "staff wrote it")
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
        if !id.starts_with(enqueue::CHOICE) {
            return Ok(None);
        }
        let found = choice::find(tx, self.organization(), conversation, id)?;
        let locale = organization::get(tx, self.organization())?.locale;
        Ok(Some(match found {
            Some((words, until)) if self.now < until => words,
            Some((words, _)) => message_text::lapsed(Some(&words), &locale),
            None => message_text::lapsed(None, &locale),
        }))
    }

    /// What a turn reads of a message, and that its words are another person's or answer an earlier message.
    fn words_of(
        &self,
        tx: &mut Tx<'_>,
        conversation: ConversationId,
        message: &InboundMessage,
    ) -> Result<String, UseCaseError> {
        let locale = organization::get(tx, self.organization())?.locale;
        let text = message_text::compose(&message.content, &locale);
        if message.forwarded != Forwarded::No {
            return Ok(message_text::forwarded(&text, &locale));
        }
        let quoted = message.quoted.as_ref().and_then(|quoted| quoted.message.as_ref());
        let Some(name) = quoted else { return Ok(text) };
        Ok(match message::find_answered(tx, self.organization(), conversation, name.as_str())? {
            Answered::Last => text,
            Answered::Earlier(ours) => message_text::answering(&ours, &text, &locale),
            Answered::Other => message_text::answering("", &text, &locale),
        })
    }

    /// What a turn reads of a message.
    pub(super) fn words(&self, tx: &mut Tx<'_>, content: &Content) -> Result<String, UseCaseError> {
        let locale = organization::get(tx, self.organization())?.locale;
        Ok(message_text::compose(content, &locale))
    }

    /// Keeps an event that no turn answers.
    pub(super) fn store_unanswered(
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
