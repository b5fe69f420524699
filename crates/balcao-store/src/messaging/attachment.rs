//! Files of conversations, with their bytes: those that customers sent, and those that staff send.
//!
//! The states are in [`balcao_domain::attachment`]. A customer's is inserted in the transaction that stores its message, and
//! belongs to a message of the conversation once a turn has taken it; one of staff is inserted whole, and belongs to a message
//! once it is sent ([`give`]). The bytes lie in the database, so that every replica reads them, a backup holds them, and erasing a
//! contact erases them.

use balcao_domain::attachment::AttachmentState;
use balcao_domain::{AttachmentId, ContactId, ConversationId, InboxId, MessageId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::suspects::claim_suspect_or_batch;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// A file that is to be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewAttachment<'a> {
    /// Whose.
    pub contact: ContactId,
    /// Where.
    pub conversation: ConversationId,
    /// The message that it came with.
    pub inbox: InboxId,
    /// The channel.
    pub channel: &'a str,
    /// The business's account.
    pub account: &'a str,
    /// What its message said of it, as JSON of the channel.
    pub media: &'a str,
    /// So long its turn waits for it.
    pub awaited_until: Timestamp,
}

/// A file as it is stored, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its id.
    pub id: AttachmentId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Where.
    pub conversation: ConversationId,
    /// What it came in with; `None` if staff made it.
    pub inbox: Option<InboxId>,
    /// What shows it in the conversation; `None` until there is such a message.
    pub message: Option<MessageId>,
    /// The channel.
    pub channel: String,
    /// The business's account.
    pub account: String,
    /// What its message said of it, as JSON of the channel.
    pub media: String,
    /// What became of it.
    pub state: AttachmentState,
    /// Attempts so far, the running one included.
    pub attempts: u32,
    /// Its type, as its bytes say; `None` until they are here.
    pub mime: Option<String>,
    /// How many bytes.
    pub size: Option<i64>,
    /// What is said in it.
    pub transcript: Option<String>,
    /// Why it could not be read, for staff.
    pub failure: Option<String>,
    /// When it came, or was made.
    pub created_at: Timestamp,
    /// Attempts in a row that the program did not live to end.
    pub deaths: u32,
}

/// A file that staff are about to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnFile<'a> {
    /// The contact who receives the file.
    pub contact: ContactId,
    /// Where.
    pub conversation: ConversationId,
    /// The conversation's channel.
    pub channel: &'a str,
    /// What is known of it, as JSON of the channel.
    pub media: &'a str,
    /// Itself.
    pub file: Fetched<'a>,
}

/// Bytes that were fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetched<'a> {
    /// Their type.
    pub mime: &'a str,
    /// SHA-256, in hexadecimal.
    pub sha256: &'a str,
    /// Themselves.
    pub bytes: &'a [u8],
}

const COLUMNS: &str = "id, organization_id, conversation_id, inbox_id, channel, account, media, state, attempts, mime, size, \
                       transcript, failure, message_id, created_at, deaths";

fn read(row: &Row<'_>) -> Result<Attachment, StoreError> {
    Ok(Attachment {
        id: row.get(0)?,
        organization: row.get(1)?,
        conversation: row.get(2)?,
        inbox: row.get(3)?,
        channel: row.get(4)?,
        account: row.get(5)?,
        media: row.get(6)?,
        state: read_word(row, 7, AttachmentState::from_word)?,
        attempts: row.get(8)?,
        mime: row.get(9)?,
        size: row.get(10)?,
        transcript: row.get(11)?,
        failure: row.get(12)?,
        message: row.get(13)?,
        created_at: row.get(14)?,
        deaths: row.get(15)?,
    })
}

/// Adds a file that is to be fetched.
///
/// # Errors
/// A unique violation for a second file of one message.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewAttachment<'_>,
    now: Timestamp,
) -> Result<AttachmentId, StoreError> {
    tx.insert(
        "INSERT INTO attachment (organization_id, contact_id, conversation_id, inbox_id, channel, account, media, not_before,
                                 awaited_until, created_at, changed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9, ?8, ?9, ?9) RETURNING id",
        values![
            organization,
            new.contact,
            new.conversation,
            new.inbox,
            new.channel,
            new.account,
            new.media,
            new.awaited_until,
            now
        ],
    )
}

/// Adds a file of staff.
///
/// # Errors
/// What the database said.
pub fn add(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    own: &OwnFile<'_>,
    now: Timestamp,
) -> Result<AttachmentId, StoreError> {
    let size = i64::try_from(own.file.bytes.len()).unwrap_or(i64::MAX);
    tx.insert(
        "INSERT INTO attachment (organization_id, contact_id, conversation_id, channel, account, media, state, not_before,
                                 awaited_until, mime, size, sha256, bytes, created_at, changed_at)
         VALUES (?1, ?2, ?3, ?4, '', ?5, 'stored', ?10, ?10, ?6, ?7, ?8, ?9, ?10, ?10) RETURNING id",
        values![
            organization,
            own.contact,
            own.conversation,
            own.channel,
            own.media,
            own.file.mime,
            size,
            own.file.sha256,
            own.file.bytes,
            now
        ],
    )
}

/// Gives a customer's file to the message that a turn made of what it came with.
///
/// # Errors
/// What the database said.
pub fn show_with(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    inbox: InboxId,
    message: MessageId,
) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE attachment SET message_id = ?3 WHERE organization_id = ?1 AND inbox_id = ?2",
        values![organization, inbox, message],
    )
}

/// Gives a file of staff to the message that it is sent with; tells whether it was still to be sent in that conversation. A file
/// is sent with one message.
///
/// # Errors
/// What the database said.
pub fn give(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    id: AttachmentId,
    message: MessageId,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE attachment SET message_id = ?4 WHERE organization_id = ?1 AND conversation_id = ?2 AND id = ?3
           AND inbox_id IS NULL AND message_id IS NULL AND state = 'stored'",
        values![organization, conversation, id, message],
    )?;
    Ok(changed == 1)
}

/// One file, without its bytes.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: AttachmentId) -> Result<Option<Attachment>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM attachment WHERE organization_id = ?1 AND id = ?2");
    tx.query_optional(&sql, values![organization, id], read)
}

/// The files of messages of a conversation from `first` to `last`, in order of message.
///
/// # Errors
/// What the database said.
pub fn of_messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    first: MessageId,
    last: MessageId,
) -> Result<Vec<Attachment>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM attachment WHERE organization_id = ?1 AND conversation_id = ?2 AND message_id >= ?3
           AND message_id <= ?4 ORDER BY message_id, id"
    );
    tx.query_all(&sql, values![organization, conversation, first, last], read)
}

/// Until when what waits in a conversation waits for its files; `None` if it does not.
///
/// # Errors
/// What the database said.
pub fn awaited_until(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Timestamp>, StoreError> {
    tx.query_one(
        "SELECT max(a.awaited_until) FROM attachment a JOIN inbox i ON i.id = a.inbox_id
         WHERE a.organization_id = ?1 AND a.conversation_id = ?2 AND a.state = 'waiting' AND i.state = 'new'",
        values![organization, conversation],
        |row| row.get(0),
    )
}

/// The condition of a file that a process has in hand, or died at: every attempt that ends gives its claim back.
const CLAIMED: &str = "lease_until IS NOT NULL";

/// Whether a file is due at which a process may have died. It is claimed alone, so a worker with others in hand ends them first.
///
/// # Errors
/// What the database said.
pub fn is_suspect_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool, StoreError> {
    let served = tx.served();
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM attachment WHERE state = 'waiting' AND not_before <= ?1 AND lease_until <= ?1
                          AND (organization_id = ?2 OR ?2 IS NULL))",
        values![now, served],
        |row| row.get(0),
    )
}

/// Claims files that are due, and counts the attempt. A file whose claim expired, because its process died, is due again, and the death
/// counts; it comes first, and alone.
///
/// # Errors
/// What the database said.
pub fn claim(tx: &mut Tx<'_>, now: Timestamp, until: Timestamp, limit: u32) -> Result<Vec<Attachment>, StoreError> {
    let mut rows = claim_suspect_or_batch(CLAIMED, limit, |which, limit| {
        let sql = format!(
            "UPDATE attachment SET attempts = attempts + 1, deaths = CASE WHEN lease_until IS NULL THEN 0 ELSE deaths + 1 END,
                    lease_until = ?2, changed_at = ?1 WHERE id IN (
                 SELECT id FROM attachment
                 WHERE state = 'waiting' AND not_before <= ?1 AND (lease_until IS NULL OR lease_until <= ?1) AND {which}
                   AND (organization_id = ?4 OR ?4 IS NULL)
                 ORDER BY not_before, id LIMIT ?3)
             RETURNING {COLUMNS}"
        );
        let served = tx.served();
        tx.query_all(&sql, values![now, until, limit, served], read)
    })?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// Keeps the bytes of a file that goes on waiting, so that they are not fetched again; tells whether this attempt is still
/// the one that counts.
///
/// # Errors
/// What the database said.
pub fn store_bytes(
    tx: &mut Tx<'_>,
    attempted: &Attachment,
    fetched: &Fetched<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let size = i64::try_from(fetched.bytes.len()).unwrap_or(i64::MAX);
    let changed = tx.execute(
        "UPDATE attachment SET mime = ?4, size = ?5, sha256 = ?6, bytes = ?7, changed_at = ?8
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'waiting'",
        values![
            attempted.organization,
            attempted.id,
            attempted.attempts,
            fetched.mime,
            size,
            fetched.sha256,
            fetched.bytes,
            now
        ],
    )?;
    Ok(changed == 1)
}

/// Ends a file's waiting; tells whether this attempt is still the one that counts.
///
/// # Errors
/// What the database said.
pub fn finish(
    tx: &mut Tx<'_>,
    attempted: &Attachment,
    state: AttachmentState,
    transcript: Option<&str>,
    failure: Option<&str>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE attachment SET state = ?4, transcript = ?5, failure = ?6, lease_until = NULL, changed_at = ?7
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'waiting'",
        values![attempted.organization, attempted.id, attempted.attempts, state.as_str(), transcript, failure, now],
    )?;
    Ok(changed == 1)
}

/// Lets a file wait for another attempt; tells whether this attempt is still the one that counts.
///
/// # Errors
/// What the database said.
pub fn postpone(
    tx: &mut Tx<'_>,
    attempted: &Attachment,
    not_before: Timestamp,
    failure: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE attachment SET not_before = ?4, failure = ?5, lease_until = NULL, changed_at = ?6
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'waiting'",
        values![attempted.organization, attempted.id, attempted.attempts, not_before, failure, now],
    )?;
    Ok(changed == 1)
}

/// As [`postpone`], and the attempt does not count: nothing of it was the file's fault.
///
/// # Errors
/// What the database said.
pub fn excuse(
    tx: &mut Tx<'_>,
    attempted: &Attachment,
    not_before: Timestamp,
    failure: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE attachment SET attempts = attempts - 1, not_before = ?4, failure = ?5, lease_until = NULL, changed_at = ?6
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'waiting'",
        values![attempted.organization, attempted.id, attempted.attempts, not_before, failure, now],
    )?;
    Ok(changed == 1)
}

/// The files of a conversation, in order of arrival, at most `limit`, the latest.
///
/// # Errors
/// What the database said.
pub fn of_conversation(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: u32,
) -> Result<Vec<Attachment>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM attachment WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY id DESC LIMIT ?3"
    );
    let mut rows = tx.query_all(&sql, values![organization, conversation, limit], read)?;
    rows.reverse();
    Ok(rows)
}

/// Returns the bytes and the type of a file; `None` if the file does not exist or its bytes are not stored here.
///
/// # Errors
/// What the database said.
pub fn bytes(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AttachmentId,
) -> Result<Option<(String, Vec<u8>)>, StoreError> {
    let found = tx.query_optional(
        "SELECT mime, bytes FROM attachment WHERE organization_id = ?1 AND id = ?2",
        values![organization, id],
        |row| Ok((row.get::<Option<String>>(0)?, row.get::<Option<Vec<u8>>>(1)?)),
    )?;
    Ok(found.and_then(|(mime, bytes)| mime.zip(bytes)))
}

/// Forgets the file of a message that was taken back.
///
/// # Errors
/// What the database said.
pub fn forget(tx: &mut Tx<'_>, organization: OrganizationId, inbox: InboxId) -> Result<usize, StoreError> {
    tx.execute("DELETE FROM attachment WHERE organization_id = ?1 AND inbox_id = ?2", values![organization, inbox])
}
