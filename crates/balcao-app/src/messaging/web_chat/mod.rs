//! The web chat: what visitors write, and what they may read.
//!
//! The server gives each visitor a name. This name is the key of the contact on this channel, and the only way to the conversation. The
//! messages of a visitor pass the inbox ([`Inbox::accept`]) and replies pass the outbox, as on every other channel. Both leave an entry,
//! and the pages of the visitor read the entries in order ([`WebChats::look`]).
//!
//! Not here: tokens, streams and rate limits (`balcao-web`).

mod hub;
mod mailbox;

use std::sync::Arc;
use std::time::Duration;

use balcao_channel::channels::web::KIND;
use balcao_channel::file::own;
use balcao_channel::inbound::{Content, Forwarded, InboundMessage, Media, Origin, Person};
use balcao_channel::{AccountId, InboundEvent, ProviderMediaId, ProviderMessageId, UserId};
use balcao_domain::conversation::ConversationState;
use balcao_domain::{AttachmentId, ContactId, ConversationId, OrganizationId};
use balcao_store::messaging::conversation::Conversation;
use balcao_store::messaging::web_chat::{self, ChatAuthor, Entry};
use balcao_store::{Tx, crm::contact, crm::staff, messaging::attachment, messaging::conversation};
use jiff::Timestamp;
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::{self, FileBudgets, Full, Whose};
use crate::context::metrics;
use crate::context::request_rate::{self, RequestRate};
use crate::messaging::files::{self, FileBytes, FileRefusal};
use crate::messaging::inbox::{Account, Inbox, UploadedFile};
pub use hub::{Hub, OpenPage, ReplyPreview};
pub use mailbox::ChatMailbox;

/// The one account of the web chat.
pub const ACCOUNT: &str = "web";
/// How many entries a newly opened page shows.
const SHOWN: i64 = 100;
/// So many entries are read at a time.
const PAGE: u32 = 100;

/// A visitor, as the server named them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Visitor(UserId);

impl Visitor {
    /// The visitor of a name that the server gave out.
    #[must_use]
    pub fn new(name: &str) -> Self {
        // The prefix keeps them apart from the users of every other channel.
        Self(UserId::new(format!("{KIND}:{name}")))
    }

    /// The channel's key of them.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A message as a visitor reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    /// Its place, from 1, without gaps.
    pub seq: i64,
    /// The visitor's own id of what they wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `visitor`, `agent` or `staff`.
    pub author: &'static str,
    /// The words.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// A file with it; the visitor reads it by [`WebChats::file`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<ChatFile>,
}

/// A file as a visitor sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatFile {
    /// Its id, as it is asked for.
    pub id: String,
    /// `image`, `video`, `audio` or `document`.
    pub kind: String,
    /// The name to save it under.
    pub name: String,
    /// How many bytes it has.
    pub size: Option<i64>,
}

/// Who answers a visitor now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatState {
    /// `agent`; `waiting` for a person; `person`.
    pub with: &'static str,
    /// The first name of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether an answer of the agent is on its way.
    pub typing: bool,
}

/// What a visitor's page shows next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatView {
    /// Messages, in order.
    pub messages: Vec<ChatMessage>,
    /// Who answers.
    pub state: ChatState,
    /// Whether there are more messages than these.
    pub more: bool,
}

/// The web chat of one business. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebChats {
    app: AppContext,
    inbox: Inbox,
    hub: Hub,
    organization: OrganizationId,
    files: FileBudgets,
}

impl WebChats {
    /// Counts a request of a visitor, or of a newcomer, under all of these names, each with its pace, over all programs.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; the inner error says how long to wait, and then it is counted under none.
    pub async fn ask_all(&self, names: Vec<(String, RequestRate)>) -> Result<Result<(), Duration>, UseCaseError> {
        let names = names.into_iter().map(|(name, pace)| (format!("chat/{name}"), pace)).collect();
        request_rate::take_all(&self.app, self.organization, names).await
    }

    /// The chat of a business over an inbox that has [`Self::account`].
    #[must_use]
    pub fn new(app: AppContext, inbox: Inbox, hub: Hub, organization: OrganizationId) -> Self {
        Self { app, inbox, hub, organization, files: FileBudgets::default() }
    }

    /// Returns the web chat with these budgets for visitors' files.
    #[must_use]
    pub fn with_file_budgets(self, files: FileBudgets) -> Self {
        Self { files, ..self }
    }

    /// The account that an inbox needs for it.
    #[must_use]
    pub fn account(organization: OrganizationId) -> Account {
        Account { channel: KIND.to_owned(), account: ACCOUNT.to_owned(), business: None, organization }
    }

    /// Who listens.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Store and clock.
    #[must_use]
    pub fn app(&self) -> &AppContext {
        &self.app
    }

    /// Whose chat it is.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// Takes in what a visitor wrote, under an id of theirs; tells whether it was new. When it returns, it is durable.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; then nothing is stored.
    pub async fn write(&self, visitor: &Visitor, id: &str, text: String) -> Result<bool, UseCaseError> {
        self.take_in(visitor, id, Content::Text { body: text }, None).await
    }

    /// Why a file with these bytes is not taken, if it is not.
    #[must_use]
    pub fn unfit(bytes: &[u8]) -> Option<FileRefusal> {
        own::recognise(bytes).err().map(files::refused)
    }

    /// The same of a file, under the name that it has at the visitor's. What it is its bytes say.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; the inner error says why the file is not taken. Then nothing is stored.
    pub async fn send_file(
        &self,
        visitor: &Visitor,
        id: &str,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<Result<bool, FileRefusal>, UseCaseError> {
        let own = match own::recognise(&bytes) {
            Ok(own) => own,
            Err(error) => return Ok(Err(files::refused(error))),
        };
        let size = bytes.len();
        if let Err(full) = self.room_for(visitor, size).await? {
            metrics::file_refused(&full);
            return Ok(Err(files::full(full)));
        }
        let media = Media {
            media: own.kind,
            id: ProviderMediaId::new(id),
            mime: Some(own.mime.to_owned()),
            sha256: None,
            caption: None,
            filename: Some(own::name(Some(name), own.kind.as_str(), own.mime)),
            voice: false,
        };
        let brought = Arc::new(UploadedFile { mime: own.mime, bytes });
        let taken = self.take_in(visitor, id, Content::Media(media), Some(brought)).await;
        if !matches!(taken, Ok(true)) {
            // It is here already, or not at all.
            self.give_room_back(visitor, size).await?;
        }
        taken.map(Ok)
    }

    async fn room_for(&self, visitor: &Visitor, bytes: usize) -> Result<Result<(), Full>, UseCaseError> {
        if !budgets::has_room(&self.app, &self.files) {
            return Ok(Err(Full::Disk));
        }
        let (now, organization, files) = (self.app.clock.now(), self.organization, self.files);
        let key = visitor.as_str().to_owned();
        let take =
            move |tx: &mut Tx<'_>| budgets::take_file(tx, organization, &files, &Whose::Visitor(&key), bytes, now);
        self.app.store.write(take).await
    }

    async fn give_room_back(&self, visitor: &Visitor, bytes: usize) -> Result<(), UseCaseError> {
        let (now, organization, key) = (self.app.clock.now(), self.organization, visitor.as_str().to_owned());
        let give = move |tx: &mut Tx<'_>| budgets::give_back_file(tx, organization, &Whose::Visitor(&key), bytes, now);
        self.app.store.write(give).await
    }

    async fn take_in(
        &self,
        visitor: &Visitor,
        id: &str,
        content: Content,
        brought: Option<Arc<UploadedFile>>,
    ) -> Result<bool, UseCaseError> {
        let message = InboundMessage {
            origin: Origin { account: Some(AccountId::new(ACCOUNT)), business: String::new() },
            id: ProviderMessageId::new(format!("{}/{id}", visitor.as_str())),
            sender: Person { user: Some(visitor.0.clone()), ..Person::default() },
            at: None,
            content,
            quoted: None,
            referral: None,
            forwarded: Forwarded::No,
            group: None,
        };
        let accepted = self.inbox.accept_with(KIND, vec![InboundEvent::Message(Box::new(message))], brought).await?;
        self.hub.wake(visitor.as_str());
        Ok(accepted.new > 0)
    }

    /// What a visitor may read after a number, and who answers. Without a number, or with one that was never given, it
    /// begins a hundred messages before the end. A visitor without a message reads nothing.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn look(&self, visitor: &Visitor, after: Option<i64>) -> Result<ChatView, UseCaseError> {
        let (organization, key) = (self.organization, visitor.as_str().to_owned());
        self.app.look(move |tx, _now| view(tx, organization, &key, after)).await
    }

    /// A file that a visitor's chat shows, with its bytes; `None` if it shows none of this id, or the file is not here any more.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn file(&self, visitor: &Visitor, id: AttachmentId) -> Result<Option<FileBytes>, UseCaseError> {
        let (organization, key) = (self.organization, visitor.as_str().to_owned());
        self.app
            .look(move |tx, _now| {
                let Some(own) = conversation_of(tx, organization, &key)? else { return Ok(None) };
                if !web_chat::shows(tx, organization, own.id, id)? {
                    return Ok(None);
                }
                Ok(files::opened(tx, organization, id)?.ok())
            })
            .await
    }

    /// Returns the conversation of the chat with the most recent message, and its contact.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn latest(&self) -> Result<Option<(ConversationId, ContactId)>, UseCaseError> {
        let organization = self.organization;
        self.app
            .look(move |tx, _now| {
                let all = conversation::list(tx, organization, &ConversationState::ALL, PAGE)?;
                let latest = all.into_iter().filter(|one| one.channel == KIND).max_by_key(|one| one.last_message_at);
                Ok(latest.map(|one| (one.id, one.contact)))
            })
            .await
    }
}

fn view(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    visitor: &str,
    after: Option<i64>,
) -> Result<ChatView, UseCaseError> {
    let nothing = ChatState { with: "agent", name: None, typing: false };
    let Some(found) = conversation_of(tx, organization, visitor)? else {
        return Ok(ChatView { messages: Vec::new(), state: nothing, more: false });
    };
    let last = web_chat::last_seq(tx, organization, found.id)?;
    let after = after.filter(|after| (0..=last).contains(after)).unwrap_or(last.saturating_sub(SHOWN));
    let entries = web_chat::after(tx, organization, found.id, after, PAGE)?;
    let more = entries.last().is_some_and(|entry| entry.seq < last);
    let with = match found.state {
        ConversationState::Ai | ConversationState::Closed => "agent",
        ConversationState::WaitingHuman => "waiting",
        ConversationState::Human => "person",
    };
    let assigned = found.assigned_staff.filter(|_| with == "person");
    let name = match assigned {
        Some(id) => staff::list(tx, organization)?.into_iter().find(|one| one.id == id).map(|one| first(&one.name)),
        None => None,
    };
    let typing = found.state.agent_speaks() && web_chat::is_answering(tx, organization, found.id)?;
    let messages =
        entries.into_iter().map(|entry| message(tx, organization, entry, visitor)).collect::<Result<_, _>>()?;
    Ok(ChatView { messages, state: ChatState { with, name, typing }, more })
}

/// The conversation of a visitor, once they wrote.
fn conversation_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    visitor: &str,
) -> Result<Option<Conversation>, UseCaseError> {
    let Some(contact) = contact::find_by_channel_user(tx, organization, visitor)? else { return Ok(None) };
    let mut all = conversation::of_contact(tx, organization, contact.id)?.into_iter();
    Ok(all.find(|one| one.channel == KIND))
}

fn message(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    entry: Entry,
    visitor: &str,
) -> Result<ChatMessage, UseCaseError> {
    let own = entry.name.strip_prefix(visitor).and_then(|rest| rest.strip_prefix('/'));
    let id = own.filter(|_| entry.author == ChatAuthor::Visitor).map(str::to_owned);
    let file = match entry.file {
        Some(id) => attachment::find(tx, organization, id)?.as_ref().map(files::view),
        None => None,
    };
    let file = file.map(|file| ChatFile { id: file.id.to_string(), kind: file.kind, name: file.name, size: file.size });
    Ok(ChatMessage { seq: entry.seq, id, author: entry.author.as_str(), text: entry.text, at: entry.created_at, file })
}

fn first(name: &str) -> String {
    name.split_whitespace().next().unwrap_or_default().to_owned()
}
