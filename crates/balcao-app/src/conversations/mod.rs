//! What staff do with conversations: list those that wait, read one, take it over, write in it and give it back.

mod audit_trail;
mod delivery;
mod pages;

use std::collections::HashMap;

use balcao_channel::inbound::Media;
use balcao_domain::conversation::{ConversationEvent, ConversationState};
use balcao_domain::{AttachmentId, ContactId, ConversationId, MessageId, OrganizationId};
use balcao_store::crm::staff::{self, Staff};
use balcao_store::messaging::conversation::Conversation;
use balcao_store::messaging::handoff::{self, OpenHandoff};
use balcao_store::messaging::message::{self, NewMessage};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::turns::turn;
use balcao_store::{
    StoreError, Tx, crm::contact, crm::note, crm::organization, messaging::attachment, messaging::conversation,
};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::app_context::{AppContext, UseCaseError, granted};
use crate::context::page::cut;
use crate::context::staff_email::{self, Actor, UnknownStaff};
use crate::messaging::files::{self, FileView};
use crate::messaging::inbox::message_text;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};
use crate::messaging::takeover::take_over;

/// Longest reply or note of staff, in characters.
const MAX_CHARS: usize = 4_000;
/// So many conversations are listed at most.
const LISTED: u32 = 200;
/// So many messages of a conversation are shown at most.
const SHOWN: u32 = 100;

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationView {
    /// Its id.
    pub id: ConversationId,
    /// The contact.
    pub contact_id: ContactId,
    /// The contact's name, where it is known.
    pub contact_name: Option<String>,
    /// The contact's phone number, E.164.
    pub phone: Option<String>,
    /// How messages travel.
    pub channel: String,
    /// Who has it.
    pub state: ConversationState,
    /// The name of the person of staff that it is assigned to.
    pub assigned_to: Option<String>,
    /// Why it was handed over, while that is open.
    pub reason: Option<String>,
    /// Since when the contact has waited for a person.
    pub waiting_since: Option<Timestamp>,
    /// The last message that was said. What the agent had still to say when a person took over was not.
    pub last_message: Option<String>,
    /// Who wrote it.
    pub last_message_author: Option<Author>,
    /// The delivery state, if the message is ours and a channel takes it: a reply that did not arrive does not answer the contact.
    pub last_message_delivery: Option<Delivery>,
    /// The instant of the newest message.
    pub last_message_at: Timestamp,
}

/// The first conversations of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationList {
    /// In the order of the list.
    pub items: Vec<ConversationView>,
    /// Whether the list goes on behind them.
    pub more: bool,
}

/// A conversation with what was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationDetail {
    /// The conversation.
    pub conversation: ConversationView,
    /// What it is about: the handoff's summary, else the running one.
    pub summary: Option<String>,
    /// Notes of staff and agent about the contact, oldest first.
    pub notes: Vec<String>,
    /// The last messages, oldest first.
    pub messages: Vec<Said>,
}

/// A message with its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// What came with it.
    pub attachments: Vec<FileView>,
    /// Whether it arrived; `None` of what came in, of drafts, and of what no channel takes.
    pub delivery: Option<Delivery>,
    /// The versions that the agent wrote it under, such as `business_3`; none of what others wrote.
    pub versions: Vec<String>,
}

/// Why staff could not do something with a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ConversationRefusal {
    /// There is none of this id.
    #[error("unknown conversation {id}; `balcao inbox list --all` shows every conversation")]
    NotFound {
        /// The id as given.
        id: ConversationId,
    },
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The agent has it already.
    #[error("the agent has this conversation already")]
    WithAgent,
    /// Nothing but spaces.
    #[error("the text is empty")]
    Empty,
    /// The file is not one that is still to be sent in this conversation.
    #[error(
        "cannot send file {id}; expected a file that waits to be sent in this conversation; a file is sent with one message"
    )]
    NoFile {
        /// The id as given.
        id: AttachmentId,
    },
    /// Longer than 4,000 characters.
    #[error("the text has {chars} characters; at most {MAX_CHARS} fit")]
    TooLong {
        /// How many it has.
        chars: usize,
    },
}

pub use crate::messaging::outbound::costs::MessagePrice;
use audit_trail::{Act, standing, write_down};
pub use balcao_store::messaging::message::{Author, Message};
pub use delivery::{Delivery, DeliveryStep};
pub use pages::{ConversationPage, HandoffView, MessagePage};

type Answer<T> = Result<Result<T, ConversationRefusal>, UseCaseError>;

/// What staff do with conversations.
#[derive(Debug, Clone)]
pub struct Conversations {
    app: AppContext,
    /// Under which what staff do happens once.
    key: Option<EffectKey>,
}

impl Conversations {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, key: None }
    }

    /// Returns the use case with an effect key: a repeated action of staff gives the answer of the first one and does nothing.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
    }

    async fn act<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        organization: OrganizationId,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Answer<T> + Clone + Send + 'static,
    ) -> Answer<T> {
        self.app.act(organization, self.key.clone(), work).await
    }

    /// The first 200 conversations of the states given: those that wait for a person first, the longest waiting foremost.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(
        &self,
        organization: OrganizationId,
        states: Vec<ConversationState>,
    ) -> Result<ConversationList, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let staff = staff::list_with_archived(tx, organization)?;
                let mut found = conversation::list(tx, organization, &states, LISTED.saturating_add(1))?;
                let more = cut(&mut found, LISTED).is_some();
                let items = found.iter().map(|one| view(tx, organization, &staff, one));
                Ok(ConversationList { items: items.collect::<Result<_, _>>()?, more })
            })
            .await
    }

    /// One conversation with its last hundred messages.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn show(&self, organization: OrganizationId, id: ConversationId) -> Answer<ConversationDetail> {
        self.app
            .look(move |tx, _now| {
                let Some(found) = find(tx, organization, id)? else {
                    return Ok(Err(ConversationRefusal::NotFound { id }));
                };
                let staff = staff::list_with_archived(tx, organization)?;
                let summary = handoff::open_of(tx, organization, id)?.and_then(|open| open.summary);
                let messages = message::last(tx, organization, id, SHOWN)?;
                Ok(Ok(ConversationDetail {
                    conversation: view(tx, organization, &staff, &found)?,
                    summary: summary.or_else(|| found.summary.clone()),
                    notes: note::of_contact(tx, organization, found.contact)?
                        .into_iter()
                        .map(|one| one.content)
                        .collect(),
                    messages: with_files(tx, organization, id, messages)?,
                }))
            })
            .await
    }

    /// Takes a conversation over: from now on the agent is silent in it. Returns the name of the staff member who had it before.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn take(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        email: String,
    ) -> Answer<Option<String>> {
        let work = move |tx: &mut Tx<'_>, now| {
            let (mut found, me, all) = granted!(both(tx, organization, id, &email)?);
            let before = found.assigned_staff.filter(|before| *before != me.id);
            let before = all.into_iter().find(|one| Some(one.id) == before).map(|one| one.name);
            let stood = Some(standing(&found));
            take_over(tx, organization, &mut found, Some(me.id), now)?;
            let after = standing(&found);
            let act = Act { actor: &me.email, action: "conversation.take", on: id, before: stood, after };
            write_down(tx, organization, act, now)?;
            Ok(Ok(before))
        };
        self.act(organization, work).await
    }

    /// Writes to the contact, by the channel that the conversation came by, and takes the conversation over.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn reply(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        email: String,
        text: String,
    ) -> Answer<()> {
        let work = move |tx: &mut Tx<'_>, now| {
            let text = granted!(trimmed(&text));
            let both = granted!(both(tx, organization, id, &email)?);
            write(tx, organization, both, text, None, now)?;
            Ok(Ok(()))
        };
        self.act(organization, work).await
    }

    /// Sends a file of staff ([`crate::messaging::files::Files::take_in`]) to the contact, with a text or without, and takes the
    /// conversation over.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn send_file(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        email: String,
        file: AttachmentId,
        text: String,
    ) -> Answer<()> {
        let work = move |tx: &mut Tx<'_>, now| {
            let text = if text.trim().is_empty() { "" } else { granted!(trimmed(&text)) };
            let both = granted!(both(tx, organization, id, &email)?);
            let found = attachment::find(tx, organization, file)?;
            let Some(media) = found.as_ref().and_then(files::media_of) else {
                return Ok(Err(ConversationRefusal::NoFile { id: file }));
            };
            let message = write(tx, organization, both, text, Some((file, &media)), now)?;
            if attachment::give(tx, organization, id, file, message)? {
                return Ok(Ok(()));
            }
            Ok(Err(ConversationRefusal::NoFile { id: file }))
        };
        // Without a key, too, a refusal leaves nothing behind.
        let work = move |tx: &mut Tx<'_>, now| tx.savepoint(|tx| work(tx, now));
        self.act(organization, work).await
    }

    /// Leaves a note about the contact, for staff only.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn note(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        email: String,
        text: String,
    ) -> Answer<()> {
        let work = move |tx: &mut Tx<'_>, now| {
            let text = granted!(trimmed(&text));
            let (found, me, _) = granted!(both(tx, organization, id, &email)?);
            note::insert(tx, organization, found.contact, &me.email, text, now)?;
            let after = json!({ "contact": found.contact.to_string() });
            let act = Act { actor: &me.email, action: "conversation.note", on: id, before: None, after };
            write_down(tx, organization, act, now)?;
            Ok(Ok(()))
        };
        self.act(organization, work).await
    }

    /// Gives a conversation back to the agent: its handoff is resolved, and its breaker starts over. The agent answers messages that arrive
    /// from now on, and none that staff had (F-152). Returns how many messages the contact has no answer to, so that staff
    /// can write to them first.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn give_back(&self, organization: OrganizationId, id: ConversationId, by: Actor) -> Answer<u32> {
        let work = move |tx: &mut Tx<'_>, now| {
            let Some(mut found) = find(tx, organization, id)? else {
                return Ok(Err(ConversationRefusal::NotFound { id }));
            };
            let all = staff::list(tx, organization)?;
            let actor = granted!(by.identify(&all).map_err(ConversationRefusal::from));
            let before = Some(standing(&found));
            let Some(next) = found.state.after(ConversationEvent::GiveBack) else {
                return Ok(Err(ConversationRefusal::WithAgent));
            };
            found.state = next;
            found.assigned_staff = None;
            found.breaker = None;
            conversation::update(tx, organization, &found)?;
            handoff::resolve(tx, organization, id, now)?;
            let act =
                Act { actor: actor.name(), action: "conversation.give_back", on: id, before, after: standing(&found) };
            write_down(tx, organization, act, now)?;
            Ok(Ok(message::unanswered(tx, organization, id)?))
        };
        self.act(organization, work).await
    }
}

/// Writes what staff say: into the thread, and on its way to the contact.
fn write(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (mut found, me, _): (Conversation, Staff, Vec<Staff>),
    text: &str,
    file: Option<(AttachmentId, &Media)>,
    now: Timestamp,
) -> Result<MessageId, UseCaseError> {
    let (id, before) = (found.id, Some(standing(&found)));
    found.last_message_at = now;
    take_over(tx, organization, &mut found, Some(me.id), now)?;
    let locale = organization::get(tx, organization)?.locale;
    let shown = file.map_or_else(|| text.to_owned(), |(_, media)| message_text::sent(media, text, &locale));
    let new = NewMessage { conversation: id, turn: None, author: Author::Staff, text: &shown, subject: None };
    let message = message::insert(tx, organization, &new, now)?;
    let mut after = standing(&found);
    if let Some(after) = after.as_object_mut() {
        after.insert("message".to_owned(), json!(message.to_string()));
    }
    let act = Act { actor: &me.email, action: "conversation.reply", on: id, before, after };
    write_down(tx, organization, act, now)?;
    let outgoing = OutgoingMessage {
        conversation: id,
        channel: &found.channel,
        turn: None,
        message: Some(message),
        kind: "staff",
        name: &message.to_string(),
        text,
        file,
        choices: None,
        about: None,
        fallback: None,
    };
    enqueue::enqueue(tx, organization, &outgoing, now)?;
    Ok(message)
}

/// Messages with their files, and whether they arrived.
fn with_files(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    messages: Vec<Message>,
) -> Result<Vec<Said>, StoreError> {
    let mut all = files::of_messages(tx, organization, conversation, messages.iter().map(|message| message.id))?;
    let mut arrived = delivery::of_messages(tx, organization, conversation, messages.iter().map(|message| message.id))?;
    let mut under = versions_of(tx, organization, conversation, &messages)?;
    let with = |message: Message| {
        let versions = under.remove(&message.id).unwrap_or_default();
        let own = all.extract_if(.., |(id, _)| *id == message.id);
        let attachments = own.map(|(_, file)| file).collect();
        let delivery = arrived.remove(&message.id).filter(|_| message.author != Author::Draft);
        Said { message, attachments, delivery, versions }
    };
    Ok(messages.into_iter().map(with).collect())
}

/// The names of the versions that the agent wrote messages under.
fn versions_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    messages: &[Message],
) -> Result<HashMap<MessageId, Vec<String>>, StoreError> {
    let ids = messages.iter().map(|message| message.id);
    let (Some(first), Some(last)) = (ids.clone().min(), ids.max()) else { return Ok(HashMap::new()) };
    let found = turn::versions_of_messages(tx, organization, conversation, first, last)?;
    Ok(found.into_iter().map(|(id, versions)| (id, versions.names().map(|name| name.to_string()).collect())).collect())
}

fn trimmed(text: &str) -> Result<&str, ConversationRefusal> {
    let text = text.trim();
    let chars = text.chars().count();
    match chars {
        0 => Err(ConversationRefusal::Empty),
        1..=MAX_CHARS => Ok(text),
        _ => Err(ConversationRefusal::TooLong { chars }),
    }
}

fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: ConversationId) -> Result<Option<Conversation>, StoreError> {
    match conversation::get(tx, organization, id) {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::NoRow { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The conversation, the person who acts, and everybody of staff.
fn both(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
    email: &str,
) -> Answer<(Conversation, Staff, Vec<Staff>)> {
    let Some(found) = find(tx, organization, id)? else { return Ok(Err(ConversationRefusal::NotFound { id })) };
    let all = staff::list(tx, organization)?;
    let me = granted!(staff_email::by_email(&all, email).cloned().map_err(ConversationRefusal::from));
    Ok(Ok((found, me, all)))
}

fn view(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    staff: &[Staff],
    found: &Conversation,
) -> Result<ConversationView, UseCaseError> {
    let contact = contact::get(tx, organization, found.contact)?;
    let open: Option<OpenHandoff> = handoff::open_of(tx, organization, found.id)?;
    let assigned = staff.iter().find(|one| Some(one.id) == found.assigned_staff);
    let last = message::last_said(tx, organization, found.id)?;
    let named = last.iter().map(|message| message.id);
    let last_message_delivery = delivery::of_messages(tx, organization, found.id, named)?.into_values().next();
    Ok(ConversationView {
        id: found.id,
        contact_id: found.contact,
        contact_name: contact.name,
        phone: contact.phone.map(|phone| phone.e164().to_owned()),
        channel: found.channel.clone(),
        state: found.state,
        assigned_to: assigned.map(|one| one.name.clone()),
        waiting_since: open
            .as_ref()
            .filter(|_| found.state == ConversationState::WaitingHuman)
            .map(|open| open.created_at),
        reason: open.map(|open| open.reason),
        last_message_author: last.as_ref().map(|message| message.author),
        last_message_delivery,
        last_message: last.map(|message| message.text),
        last_message_at: found.last_message_at,
    })
}
