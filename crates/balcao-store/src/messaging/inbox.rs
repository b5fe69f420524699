//! The inbox: everything that a channel delivered, once.
//!
//! The states and their invariants are in [`balcao_domain::inbox`]. A row exists before the channel receives our confirmation (I-1), and
//! it is unique for ever (I-2).

use balcao_domain::inbox::{InboxState, Speaker};
use balcao_domain::{ConversationId, InboxId, OrganizationId, TurnId};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// Something that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewInbox<'a> {
    /// The channel.
    pub channel: &'a str,
    /// The business's account on it.
    pub account: &'a str,
    /// What makes two deliveries one event, within the account.
    pub key: &'a str,
    /// What it is: `message`, `status`, …
    pub kind: &'a str,
    /// Where it belongs.
    pub conversation: Option<ConversationId>,
    /// The provider's name of the message.
    pub provider_message: Option<&'a str>,
    /// What the turn reads.
    pub text: Option<&'a str>,
    /// What came, as JSON.
    pub payload: &'a str,
    /// When it was written, by the provider's clock.
    pub provider_at: Option<Timestamp>,
    /// `None`: it waits for a turn. Else nothing is said to it, for this reason.
    pub ignored: Option<&'a str>,
}

/// The kind of a customer's message without words that could be read, such as a sticker: no turn answers it by itself.
pub const WORDLESS: &str = "wordless";
/// The kind of a message that a service of a pack tells: a turn answers it, and the contact wrote none of it.
pub const SERVICE: &str = "service";

/// A row that waits, or that a turn answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// Its id, in the order of arrival.
    pub id: InboxId,
    /// When it was written, by the provider's clock; when it came, if that is not known.
    pub written_at: Timestamp,
    /// What became of it.
    pub state: InboxState,
    /// Who says it.
    pub speaker: Speaker,
    /// The provider's name of the message.
    pub provider_message: Option<String>,
    /// What the turn reads.
    pub text: String,
    /// When it came.
    pub received_at: Timestamp,
    /// Where it belongs.
    pub conversation: Option<ConversationId>,
    /// The turn that answers it.
    pub turn: Option<TurnId>,
    /// Why nothing is said to it.
    pub reason: Option<String>,
}

/// What waits in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// When the first of it came.
    pub first: Timestamp,
    /// When the last of it came.
    pub last: Timestamp,
    /// How many there are.
    pub count: u32,
}

const COLUMNS: &str = "id, state, provider_message, text, received_at, turn_id, reason, conversation_id, \
                       COALESCE(provider_at, received_at), kind";

fn read(row: &Row<'_>) -> Result<InboxRow, StoreError> {
    Ok(InboxRow {
        id: row.get(0)?,
        state: read_word(row, 1, InboxState::from_word)?,
        provider_message: row.get(2)?,
        text: row.get::<Option<String>>(3)?.unwrap_or_default(),
        received_at: row.get(4)?,
        turn: row.get(5)?,
        reason: row.get(6)?,
        conversation: row.get(7)?,
        written_at: row.get(8)?,
        speaker: if row.get::<String>(9)? == SERVICE { Speaker::Service } else { Speaker::Contact },
    })
}

fn hash(key: &str) -> String {
    Sha256::digest(key.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Stores what came in; `None` if it had come before, and then nothing is changed.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewInbox<'_>,
    now: Timestamp,
) -> Result<Option<InboxId>, StoreError> {
    let state = if new.ignored.is_some() { InboxState::Ignored } else { InboxState::New };
    tx.query_optional(
        "INSERT INTO inbox (organization_id, channel, account, event_hash, kind, conversation_id, provider_message, text,
                            payload, provider_at, received_at, state, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (organization_id, channel, account, event_hash) DO NOTHING RETURNING id",
        values![
            organization,
            new.channel,
            new.account,
            hash(new.key),
            new.kind,
            new.conversation,
            new.provider_message,
            new.text,
            new.payload,
            new.provider_at,
            now,
            state.as_str(),
            new.ignored,
        ],
        |row| row.get(0),
    )
}

/// Whether an event came before.
///
/// # Errors
/// What the database said.
pub fn is_known(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    channel: &str,
    account: &str,
    key: &str,
) -> Result<bool, StoreError> {
    let found: Option<i64> = tx.query_optional(
        "SELECT 1 FROM inbox WHERE organization_id = ?1 AND channel = ?2 AND account = ?3 AND event_hash = ?4",
        values![organization, channel, account, hash(key)],
        |row| row.get(0),
    )?;
    Ok(found.is_some())
}

/// Keeps an event of an account that no organization has; tells whether it is new.
///
/// # Errors
/// What the database said.
pub fn insert_stray(
    tx: &mut Tx<'_>,
    channel: &str,
    account: &str,
    key: &str,
    payload: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let inserted = tx.execute(
        "INSERT INTO stray_event (channel, account, event_hash, payload, received_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (channel, account, event_hash) DO NOTHING",
        values![channel, account, hash(key), payload, now],
    )?;
    Ok(inserted == 1)
}

/// What came in for an account that no organization has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strays {
    /// The channel's name.
    pub channel: String,
    /// The account, as the provider names it; empty if it named none.
    pub account: String,
    /// How many events.
    pub count: u32,
    /// When the last of them came.
    pub last: Timestamp,
}

/// What came in for accounts that no organization has since then, by account.
///
/// # Errors
/// What the database said.
pub fn strays(tx: &mut Tx<'_>, since: Timestamp) -> Result<Vec<Strays>, StoreError> {
    tx.query_all(
        "SELECT channel, account, count(*), max(received_at) FROM stray_event WHERE received_at >= ?1
         GROUP BY channel, account ORDER BY channel, account",
        values![since],
        |row| Ok(Strays { channel: row.get(0)?, account: row.get(1)?, count: row.get(2)?, last: row.get(3)? }),
    )
}

/// What waits in a conversation; `None` if nothing does.
///
/// # Errors
/// What the database said.
pub fn burst(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Burst>, StoreError> {
    tx.query_one(
        "SELECT min(received_at), max(received_at), count(*) FROM inbox
         WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'new'",
        values![organization, conversation],
        |row| {
            let (first, last): (Option<Timestamp>, Option<Timestamp>) = (row.get(0)?, row.get(1)?);
            let count = row.get(2)?;
            Ok(first.zip(last).map(|(first, last)| Burst { first, last, count }))
        },
    )
}

/// Whose words a turn of a conversation answers next; `None` if nothing waits. The contact comes before services.
///
/// # Errors
/// What the database said.
pub fn next_speaker(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Speaker>, StoreError> {
    let sql = "SELECT min(CASE WHEN kind = ?3 THEN 1 ELSE 0 END) FROM inbox
               WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'new'";
    tx.query_one(sql, values![organization, conversation, SERVICE], |row| {
        let found: Option<i64> = row.get(0)?;
        Ok(found.map(|service| if service == 1 { Speaker::Service } else { Speaker::Contact }))
    })
}

/// Gives what waits in a conversation to a turn, at most `limit` rows, and gives them in the order in which they were written:
/// providers deliver in any order (F-22).
///
/// All rows are of one speaker: messages of services wait as long as words of the contact wait. A row's turn is set once and never
/// changes (I-3).
///
/// # Errors
/// What the database said.
pub fn assign(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    turn: TurnId,
    limit: u32,
) -> Result<Vec<InboxRow>, StoreError> {
    let sql = format!(
        "UPDATE inbox SET state = 'assigned', turn_id = ?3 WHERE id IN (
             SELECT id FROM inbox WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'new' AND turn_id IS NULL
             AND (kind <> '{SERVICE}' OR NOT EXISTS (
                 SELECT 1 FROM inbox said WHERE said.conversation_id = ?2 AND said.state = 'new' AND said.kind <> '{SERVICE}'))
             ORDER BY COALESCE(provider_at, received_at), id LIMIT ?4) RETURNING {COLUMNS}"
    );
    let mut rows = tx.query_all(&sql, values![organization, conversation, turn, limit], read)?;
    rows.sort_by_key(|row| (row.written_at, row.id));
    Ok(rows)
}

/// Takes what the contact sent out of a conversation, for a reason, if nothing of it has words ([`WORDLESS`]); gives it, in the order
/// of arrival. Words of the contact beside it make all of it a turn's; messages of services stay.
///
/// # Errors
/// What the database said.
pub fn take_wordless(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    reason: &str,
) -> Result<Vec<InboxRow>, StoreError> {
    let sql = format!(
        "UPDATE inbox SET state = 'ignored', reason = ?4
         WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'new' AND kind = ?3 AND NOT EXISTS (
             SELECT 1 FROM inbox said
             WHERE said.conversation_id = ?2 AND said.state = 'new' AND said.kind NOT IN (?3, '{SERVICE}'))
         RETURNING {COLUMNS}"
    );
    let mut rows = tx.query_all(&sql, values![organization, conversation, WORDLESS, reason], read)?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// One row.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has none of this id.
pub fn get(tx: &mut Tx<'_>, organization: OrganizationId, id: InboxId) -> Result<InboxRow, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM inbox WHERE organization_id = ?1 AND id = ?2");
    tx.query_one(&sql, values![organization, id], read)
}

/// The rows that a turn answers, in the order in which they were written.
///
/// # Errors
/// What the database said.
pub fn of_turn(tx: &mut Tx<'_>, organization: OrganizationId, turn: TurnId) -> Result<Vec<InboxRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM inbox WHERE organization_id = ?1 AND turn_id = ?2
         ORDER BY COALESCE(provider_at, received_at), id"
    );
    tx.query_all(&sql, values![organization, turn], read)
}

pub(crate) const PAYLOADS: &str =
    "SELECT payload FROM inbox WHERE organization_id = ?1 AND turn_id = ?2 AND payload IS NOT NULL
     ORDER BY COALESCE(provider_at, received_at) DESC, id DESC";

/// What came with a turn's messages, as JSON, the last first. Erased ones have none.
///
/// # Errors
/// What the database said.
pub fn payloads_of_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    turn: TurnId,
) -> Result<Vec<String>, StoreError> {
    tx.query_all(PAYLOADS, values![organization, turn], |row| row.get(0))
}

/// When messages of a contact were written that an advertisement led to, and came in since an instant.
///
/// # Errors
/// What the database said.
pub fn referred(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<Vec<Timestamp>, StoreError> {
    // No words of a customer look so: a quotation mark of theirs has a backslash before it.
    let sql = r#"SELECT COALESCE(provider_at, received_at) FROM inbox WHERE organization_id = ?1 AND conversation_id = ?2
                 AND received_at >= ?3 AND kind = 'message' AND payload LIKE '%"referral":{%' ORDER BY id"#;
    tx.query_all(sql, values![organization, conversation, since], |row| row.get(0))
}

/// The rows of a conversation that wait for a turn, in order of arrival, at most `limit`, the earliest.
///
/// # Errors
/// What the database said.
pub fn list_waiting(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: u32,
) -> Result<Vec<InboxRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM inbox WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'new' ORDER BY id LIMIT ?3"
    );
    tx.query_all(&sql, values![organization, conversation, limit], read)
}

/// The rows of a conversation, in order of arrival, at most `limit`, the latest.
///
/// # Errors
/// What the database said.
pub fn of_conversation(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: u32,
) -> Result<Vec<InboxRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM inbox WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY id DESC LIMIT ?3"
    );
    let mut rows = tx.query_all(&sql, values![organization, conversation, limit], read)?;
    rows.reverse();
    Ok(rows)
}

/// Ends the rows of a turn that closes. Only the closing transaction calls this.
///
/// # Errors
/// What the database said.
pub fn set_state(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    turn: TurnId,
    state: InboxState,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE inbox SET state = ?3, reason = ?4 WHERE organization_id = ?1 AND turn_id = ?2 AND state = 'assigned'",
        values![organization, turn, state.as_str(), reason],
    )
}

/// The row of a provider's message.
///
/// # Errors
/// What the database said.
pub fn find_message(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    channel: &str,
    account: &str,
    provider_message: &str,
) -> Result<Option<InboxRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM inbox WHERE organization_id = ?1 AND channel = ?2 AND account = ?3 AND provider_message = ?4
         AND kind IN ('message', 'wordless') ORDER BY id LIMIT 1"
    );
    tx.query_optional(&sql, values![organization, channel, account, provider_message], read)
}

/// When something last came in for an account, whatever it was, among the organization's latest ten thousand.
///
/// # Errors
/// What the database said.
pub fn last_received(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    channel: &str,
    account: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT received_at FROM (SELECT id, channel, account, received_at FROM inbox WHERE organization_id = ?1
                                        ORDER BY id DESC LIMIT 10000) AS latest
               WHERE channel = ?2 AND account = ?3 ORDER BY id DESC LIMIT 1";
    tx.query_optional(sql, values![organization, channel, account], |row| row.get(0))
}

/// Changes the words of a row that still waits; tells whether it did.
///
/// # Errors
/// What the database said.
pub fn reword(tx: &mut Tx<'_>, organization: OrganizationId, id: InboxId, text: &str) -> Result<bool, StoreError> {
    let sql = "UPDATE inbox SET text = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'new'";
    Ok(tx.execute(sql, values![organization, id, text])? == 1)
}

/// Puts other words in the place of those of a row that was read, for good: its customer took it back.
///
/// # Errors
/// What the database said.
pub fn retract(tx: &mut Tx<'_>, organization: OrganizationId, id: InboxId, words: &str) -> Result<(), StoreError> {
    let sql = "UPDATE inbox SET text = ?3, payload = NULL WHERE organization_id = ?1 AND id = ?2 AND state <> 'new'";
    tx.execute(sql, values![organization, id, words])?;
    Ok(())
}

/// Takes a row that still waits out of the conversation, its words with it; tells whether it did.
///
/// # Errors
/// What the database said.
pub fn withdraw(tx: &mut Tx<'_>, organization: OrganizationId, id: InboxId, reason: &str) -> Result<bool, StoreError> {
    let sql = "UPDATE inbox SET state = 'ignored', reason = ?3, text = NULL, payload = NULL
               WHERE organization_id = ?1 AND id = ?2 AND state = 'new'";
    Ok(tx.execute(sql, values![organization, id, reason])? == 1)
}
