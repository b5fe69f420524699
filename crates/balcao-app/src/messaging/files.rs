//! Files of conversations, for staff: what customers sent, read; what staff send, taken in.
//!
//! Invariants: a file goes only to a request in the name of its organization. Its type is the one found in its bytes, if a browser
//! cannot run that type. A file of staff passes the checks of a file of a stranger.

use std::sync::Arc;

use balcao_channel::file::own;
use balcao_channel::inbound::Media;
use balcao_channel::{MediaError, ProviderMediaId};
use balcao_domain::attachment::AttachmentState;
use balcao_domain::{AttachmentId, ConversationId, MessageId, OrganizationId};
use balcao_store::messaging::attachment::{self, Attachment, Fetched, OwnFile};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{StoreError, Tx, crm::staff, messaging::conversation};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::Full;
use crate::context::hash::sha256_hex;
use crate::context::staff_email::{self, UnknownStaff};

/// A file of a conversation, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileView {
    /// Its id.
    pub id: AttachmentId,
    /// `image`, `video`, `audio`, `document` or `sticker`.
    pub kind: String,
    /// The name to save it under.
    pub name: String,
    /// Its type, as its bytes say; `None` until they are here.
    pub mime: Option<String>,
    /// How many bytes it has.
    pub size: Option<i64>,
    /// What became of it.
    pub state: AttachmentState,
    /// What is said in it, as a machine heard it.
    pub transcript: Option<String>,
    /// Why it could not be read, for staff.
    pub failure: Option<String>,
}

/// A file, to be saved.
#[derive(Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The name to save it under.
    pub name: String,
    /// Its type; `application/octet-stream` for what a reader might run.
    pub mime: &'static str,
    /// Its bytes: untrusted.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileBytes").field("mime", &self.mime).field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// Why a file was not given or taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum FileRefusal {
    /// There is none of this id.
    #[error("unknown file {id}; a conversation shows the files of its messages")]
    NotFound {
        /// The id as given.
        id: AttachmentId,
    },
    /// It is on its way, never came, or was deleted by age.
    #[error("the file {id} is not here: {}", because(*state))]
    NotHere {
        /// The id.
        id: AttachmentId,
        /// What became of it.
        state: AttachmentState,
    },
    /// The conversation does not exist.
    #[error("unknown conversation {id}; `balcao inbox list --all` shows every conversation")]
    NoConversation {
        /// The id as given.
        id: ConversationId,
    },
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It is larger than its kind may be.
    #[error("the file is larger than {limit} bytes, the most for its kind")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// All visitors of the web chat together have sent what they may in a day.
    #[error("visitors have sent {mib} MiB of files today, the most that is taken in a day; send it tomorrow")]
    DayFull {
        /// What they may send, in MiB.
        mib: u64,
        /// Until the day ends, in seconds.
        wait_s: u32,
    },
    /// This contact has.
    #[error("you have sent {mib} MiB of files today, the most that one person may in a day; send it tomorrow")]
    ContactFull {
        /// What they may send, in MiB.
        mib: u64,
        /// Until the day ends, in seconds.
        wait_s: u32,
    },
    /// The storage for files is full.
    #[error("no files are taken now: there is too little room; send it later")]
    NoRoom,
    /// It is of a type that no channel takes.
    #[error(
        "files of type {found} cannot be sent: JPEG, PNG, MP4, 3GP, AAC, AMR, MP3, M4A, Ogg, PDF, text and Office files can"
    )]
    Type {
        /// What its bytes are; `unknown` if nothing that is known.
        found: String,
    },
}

impl FileRefusal {
    /// After so many seconds there may be room for files again.
    pub const NO_ROOM_S: u32 = 600;
}

const fn because(state: AttachmentState) -> &'static str {
    match state {
        AttachmentState::Waiting => "it is still being fetched",
        AttachmentState::Stored | AttachmentState::Unreadable => "it could not be fetched",
        AttachmentState::Expired => "it was deleted, as old files are",
    }
}

type Answer<T> = Result<Result<T, FileRefusal>, UseCaseError>;

/// What staff do with files.
#[derive(Debug, Clone)]
pub struct Files {
    app: AppContext,
    key: Option<EffectKey>,
}

impl Files {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, key: None }
    }

    /// Returns the service with an effect key, so that an action of staff happens once under this key.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// A file with its bytes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn open(&self, organization: OrganizationId, id: AttachmentId) -> Answer<FileBytes> {
        self.app.look(move |tx, _now| Ok(opened(tx, organization, id)?)).await
    }

    /// Takes in a file that staff are about to send in a conversation ([`crate::conversations::Conversations::send_file`]).
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn take_in(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        email: String,
        name: String,
        bytes: Vec<u8>,
    ) -> Answer<FileView> {
        let own = match own::recognise(&bytes) {
            Ok(own) => own,
            Err(error) => return Ok(Err(refused(error))),
        };
        let bytes: Arc<[u8]> = bytes.into();
        let work = move |tx: &mut Tx<'_>, now| {
            let found = match conversation::get(tx, organization, id) {
                Ok(found) => found,
                Err(StoreError::NoRow { .. }) => return Ok(Err(FileRefusal::NoConversation { id })),
                Err(error) => return Err(error.into()),
            };
            if let Err(unknown) = staff_email::by_email(&staff::list(tx, organization)?, &email) {
                return Ok(Err(unknown.into()));
            }
            let media = Media {
                media: own.kind,
                id: ProviderMediaId::new("ours"),
                mime: Some(own.mime.to_owned()),
                sha256: None,
                caption: None,
                filename: Some(own::name(Some(&name), own.kind.as_str(), own.mime)),
                voice: false,
            };
            let sha256 = sha256_hex(&bytes);
            let new = OwnFile {
                contact: found.contact,
                conversation: id,
                channel: &found.channel,
                media: &serde_json::to_string(&media).unwrap_or_default(),
                file: Fetched { mime: own.mime, sha256: &sha256, bytes: &bytes },
            };
            let id = attachment::add(tx, organization, &new, now)?;
            let kept = attachment::find(tx, organization, id)?;
            Ok(kept.as_ref().map(view).ok_or(FileRefusal::NotFound { id }))
        };
        self.app.act(organization, self.key.clone(), work).await
    }
}

/// A file that is not taken, in words.
pub(crate) fn refused(error: MediaError) -> FileRefusal {
    match error {
        MediaError::Empty => FileRefusal::Empty,
        MediaError::TooLarge { limit } => FileRefusal::TooLarge { limit },
        MediaError::Type { mime } => FileRefusal::Type { found: mime },
        MediaError::Id
        | MediaError::Gone
        | MediaError::Host { .. }
        | MediaError::Disguised { .. }
        | MediaError::Unsupported
        | MediaError::Altered
        | MediaError::Exchange(_) => FileRefusal::Type { found: "unknown".to_owned() },
    }
}

/// Converts a full file storage into a refusal.
pub(crate) fn full(full: Full) -> FileRefusal {
    let seconds = |wait: jiff::SignedDuration| u32::try_from(wait.as_secs()).unwrap_or(0).saturating_add(1);
    match full {
        Full::Visitors(mib, wait) => FileRefusal::DayFull { mib, wait_s: seconds(wait) },
        Full::Contact(mib, wait) => FileRefusal::ContactFull { mib, wait_s: seconds(wait) },
        Full::Disk => FileRefusal::NoRoom,
    }
}

/// A file with its bytes, or why there is none.
pub(crate) fn opened(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AttachmentId,
) -> Result<Result<FileBytes, FileRefusal>, StoreError> {
    let Some(found) = attachment::find(tx, organization, id)? else { return Ok(Err(FileRefusal::NotFound { id })) };
    let Some((mime, bytes)) = attachment::bytes(tx, organization, id)? else {
        return Ok(Err(FileRefusal::NotHere { id, state: found.state }));
    };
    Ok(Ok(FileBytes { name: view(&found).name, mime: own::served_type(&mime), bytes }))
}

/// What its message said of a file.
pub(crate) fn media_of(found: &Attachment) -> Option<Media> {
    serde_json::from_str(&found.media).ok()
}

/// A file as staff see it.
pub(crate) fn view(found: &Attachment) -> FileView {
    let media = media_of(found);
    let said = media.as_ref().and_then(|media| media.filename.as_deref());
    let named = own::name(said, &found.id.to_string(), found.mime.as_deref().unwrap_or_default());
    FileView {
        id: found.id,
        kind: media.as_ref().map_or("document", |media| media.media.as_str()).to_owned(),
        // The right file extension is unknown until the bytes are here.
        name: if found.mime.is_some() { named } else { found.id.to_string() },
        mime: found.mime.clone(),
        size: found.size,
        state: found.state,
        transcript: found.transcript.clone(),
        failure: found.failure.clone(),
    }
}

/// The files of these messages of a conversation, each with its message.
pub(crate) fn of_messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    messages: impl Iterator<Item = MessageId> + Clone,
) -> Result<Vec<(MessageId, FileView)>, StoreError> {
    let Some((first, last)) = messages.clone().min().zip(messages.max()) else { return Ok(Vec::new()) };
    let found = attachment::of_messages(tx, organization, conversation, first, last)?;
    Ok(found.iter().filter_map(|one| Some((one.message?, view(one)))).collect())
}
