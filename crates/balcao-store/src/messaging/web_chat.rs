//! The web chat: what its visitor reads, numbered without gaps.
//!
//! The transaction that writes the entry also gives it its number. A reader who has read up to one number therefore misses nothing when
//! it asks for later numbers. Of two writers at once the later one waits, or begins again.

use balcao_domain::{AttachmentId, ConversationId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// Who wrote an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatAuthor {
    /// The visitor.
    Visitor,
    /// The agent, or the program: a reminder, an offer.
    Agent,
    /// A person of staff.
    Staff,
}

impl ChatAuthor {
    const ALL: [Self; 3] = [Self::Visitor, Self::Agent, Self::Staff];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Visitor => "visitor",
            Self::Agent => "agent",
            Self::Staff => "staff",
        }
    }

    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|author| author.as_str() == text)
    }
}

/// An entry to be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// Where.
    pub conversation: ConversationId,
    /// What makes two attempts one entry.
    pub name: &'a str,
    /// Who wrote it.
    pub author: ChatAuthor,
    /// What.
    pub text: &'a str,
    /// A file with it.
    pub file: Option<AttachmentId>,
}

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place, from 1.
    pub seq: i64,
    /// What makes two attempts one entry.
    pub name: String,
    /// Who wrote it.
    pub author: ChatAuthor,
    /// What.
    pub text: String,
    /// When.
    pub created_at: Timestamp,
    /// A file with it.
    pub file: Option<AttachmentId>,
}

fn read(row: &Row<'_>) -> Result<Entry, StoreError> {
    Ok(Entry {
        seq: row.get(0)?,
        name: row.get(1)?,
        author: read_word(row, 2, ChatAuthor::from_word)?,
        text: row.get(3)?,
        created_at: row.get(4)?,
        file: row.get(5)?,
    })
}

/// Appends an entry; tells whether it was new. One of the same name changes nothing.
///
/// # Errors
/// What the database said.
pub fn push(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewEntry<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO chat_entry (conversation_id, organization_id, seq, name, author, text, created_at, attachment_id)
         VALUES (?2, ?1, (SELECT COALESCE(max(seq), 0) + 1 FROM chat_entry WHERE conversation_id = ?2), ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (conversation_id, name) DO NOTHING",
        values![organization, new.conversation, new.name, new.author.as_str(), new.text, now, new.file],
    )?;
    Ok(added == 1)
}

/// The entries after a number, in order, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn after(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    seq: i64,
    limit: u32,
) -> Result<Vec<Entry>, StoreError> {
    tx.query_all(
        "SELECT seq, name, author, text, created_at, attachment_id FROM chat_entry
         WHERE organization_id = ?1 AND conversation_id = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4",
        values![organization, conversation, seq, limit],
        read,
    )
}

/// The number of the last entry; 0 if there is none.
///
/// # Errors
/// What the database said.
pub fn last_seq(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COALESCE(max(seq), 0) FROM chat_entry WHERE organization_id = ?1 AND conversation_id = ?2",
        values![organization, conversation],
        |row| row.get(0),
    )
}

/// Whether an entry of a conversation shows this file: then its visitor may read it.
///
/// # Errors
/// What the database said.
pub fn shows(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    file: AttachmentId,
) -> Result<bool, StoreError> {
    let found = tx.query_optional(
        "SELECT 1 FROM chat_entry WHERE organization_id = ?1 AND conversation_id = ?2 AND attachment_id = ?3 LIMIT 1",
        values![organization, conversation, file],
        |row| row.get::<i64>(0),
    )?;
    Ok(found.is_some())
}

/// Whether something waits in a conversation for an answer, or is being answered.
///
/// # Errors
/// What the database said.
pub fn is_answering(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<bool, StoreError> {
    let found = tx.query_optional(
        "SELECT 1 FROM dispatch WHERE organization_id = ?1 AND conversation_id = ?2
         AND (ripe_at IS NOT NULL OR owner IS NOT NULL)",
        values![organization, conversation],
        |row| row.get::<i64>(0),
    )?;
    Ok(found.is_some())
}

/// The conversation of a message in the outbox, by our name of it, and what it is (`reply`, `staff`, …).
///
/// # Errors
/// What the database said.
pub fn outgoing(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    correlation: &str,
) -> Result<Option<(ConversationId, String)>, StoreError> {
    tx.query_optional(
        "SELECT conversation_id, kind FROM outbox WHERE organization_id = ?1 AND correlation = ?2",
        values![organization, correlation],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
