//! Conversations: who has them, and what the turn engine keeps with them.

use balcao_domain::{
    ContactId, ConversationId, OrganizationId, ProfessionalId, StaffId, TurnId, conversation::ConversationState,
};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// A conversation as it is stored. The JSON texts are the turn engine's; the store does not look into them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The contact of the conversation.
    pub contact: ContactId,
    /// How messages travel.
    pub channel: String,
    /// Who has it.
    pub state: ConversationState,
    /// The person of staff that it is assigned to.
    pub assigned_staff: Option<StaffId>,
    /// The circuit breaker, as JSON.
    pub breaker: Option<String>,
    /// A call that waits for the customer's word, as JSON.
    pub pending_confirmation: Option<String>,
    /// What is under discussion, as JSON.
    pub memory: Option<String>,
    /// The running summary.
    pub summary: Option<String>,
    /// Turns before this one are not part of the context any more.
    pub context_from: i64,
    /// How often it was opened, from 1.
    pub episode: i64,
    /// When the contact asked for no proactive messages.
    pub opted_out_at: Option<Timestamp>,
    /// When it began.
    pub created_at: Timestamp,
    /// When the contact or staff last wrote.
    pub last_message_at: Timestamp,
    /// The professional that the conversation concerns, if one number serves several professionals.
    pub professional: Option<ProfessionalId>,
}

const COLUMNS: &str = "id, contact_id, channel, state, assigned_staff, breaker, held, memory, summary, context_from, episode, \
                       opted_out_at, created_at, last_message_at, professional_id";

fn read(row: &Row<'_>) -> Result<Conversation, StoreError> {
    Ok(Conversation {
        id: row.get(0)?,
        contact: row.get(1)?,
        channel: row.get(2)?,
        state: read_word(row, 3, ConversationState::from_word)?,
        assigned_staff: row.get(4)?,
        breaker: row.get(5)?,
        pending_confirmation: row.get(6)?,
        memory: row.get(7)?,
        summary: row.get(8)?,
        context_from: row.get(9)?,
        episode: row.get(10)?,
        opted_out_at: row.get(11)?,
        created_at: row.get(12)?,
        last_message_at: row.get(13)?,
        professional: row.get(14)?,
    })
}

/// The conversation with a contact on a channel; it is begun if there is none. Of two that begin it at once both get the same one.
///
/// # Errors
/// What the database said.
pub fn find_or_begin(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    channel: &str,
    now: Timestamp,
) -> Result<Conversation, StoreError> {
    let found = tx.query_optional(
        &format!("SELECT {COLUMNS} FROM conversation WHERE organization_id = ?1 AND contact_id = ?2 AND channel = ?3"),
        values![organization, contact, channel],
        read,
    )?;
    if let Some(conversation) = found {
        return Ok(conversation);
    }
    tx.query_one(
        &format!(
            "INSERT INTO conversation (organization_id, contact_id, channel, created_at, last_message_at)
             VALUES (?1, ?2, ?3, ?4, ?4)
             ON CONFLICT (organization_id, contact_id, channel) DO UPDATE SET channel = excluded.channel RETURNING {COLUMNS}"
        ),
        values![organization, contact, channel, now],
        read,
    )
}

/// One conversation.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has none of this id.
pub fn get(tx: &mut Tx<'_>, organization: OrganizationId, id: ConversationId) -> Result<Conversation, StoreError> {
    tx.query_one(
        &format!("SELECT {COLUMNS} FROM conversation WHERE organization_id = ?1 AND id = ?2"),
        values![organization, id],
        read,
    )
}

/// Conversations of the states given, those that wait for a person first and the longest silent of them foremost; then those
/// that a person has, then the rest, the latest first.
///
/// # Errors
/// What the database said.
pub fn list(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    states: &[ConversationState],
    limit: u32,
) -> Result<Vec<Conversation>, StoreError> {
    let wanted = |state| if states.contains(&state) { state.as_str() } else { "" };
    let [ai, waiting, human, closed] = ConversationState::ALL.map(wanted);
    tx.query_all(
        &format!(
            "SELECT {COLUMNS} FROM conversation WHERE organization_id = ?1 AND state IN (?2, ?3, ?4, ?5)
             ORDER BY CASE state WHEN 'waiting_human' THEN 0 WHEN 'human' THEN 1 ELSE 2 END,
                      CASE state WHEN 'waiting_human' THEN last_message_at ELSE -last_message_at END, id LIMIT ?6"
        ),
        values![organization, ai, waiting, human, closed, limit],
        read,
    )
}

/// A contact's conversations, the latest first.
///
/// # Errors
/// What the database said.
pub fn of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<Conversation>, StoreError> {
    tx.query_all(
        &format!(
            "SELECT {COLUMNS} FROM conversation WHERE organization_id = ?1 AND contact_id = ?2 ORDER BY last_message_at DESC, id"
        ),
        values![organization, contact],
        read,
    )
}

/// Whether a contact asked, on any channel, for no messages on our own account.
///
/// # Errors
/// What the database said.
pub fn opted_out(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId) -> Result<bool, StoreError> {
    let found = tx.query_optional(
        "SELECT id FROM conversation WHERE organization_id = ?1 AND contact_id = ?2 AND opted_out_at IS NOT NULL LIMIT 1",
        values![organization, contact],
        |row| row.get::<ConversationId>(0),
    )?;
    Ok(found.is_some())
}

/// Remembers that its contact wants no messages on our own account; what was known before stays.
///
/// # Errors
/// What the database said.
pub fn opt_out(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
    at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE conversation SET opted_out_at = ?3 WHERE organization_id = ?1 AND id = ?2 AND opted_out_at IS NULL",
        values![organization, id, at],
    )?;
    Ok(())
}

/// Writes everything of a conversation that can change.
///
/// # Errors
/// What the database said.
pub fn update(tx: &mut Tx<'_>, organization: OrganizationId, changed: &Conversation) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE conversation SET state = ?3, assigned_staff = ?4, breaker = ?5, held = ?6, memory = ?7, summary = ?8,
             context_from = ?9, episode = ?10, opted_out_at = ?11, last_message_at = ?12
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            changed.id,
            changed.state.as_str(),
            changed.assigned_staff,
            changed.breaker.as_ref(),
            changed.pending_confirmation.as_ref(),
            changed.memory.as_ref(),
            changed.summary.as_ref(),
            changed.context_from,
            changed.episode,
            changed.opted_out_at,
            changed.last_message_at
        ],
    )
}

/// Stores the professional that a conversation concerns; `None` clears the professional.
///
/// # Errors
/// What the database said.
pub fn set_professional(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
    professional: Option<ProfessionalId>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE conversation SET professional_id = ?3 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, professional],
    )?;
    Ok(())
}

/// Keeps the running summary.
///
/// # Errors
/// What the database said.
pub fn set_summary(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
    summary: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE conversation SET summary = ?3 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, summary],
    )?;
    Ok(())
}

/// The person on duty with the fewest conversations in hand. If two have equally many, the earlier record wins. `None` if no staff member
/// is on duty.
///
/// # Errors
/// What the database said.
pub fn least_loaded(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Option<(StaffId, String)>, StoreError> {
    tx.query_optional(
        "SELECT s.id, s.name FROM staff s
         WHERE s.organization_id = ?1 AND s.active = 1 AND s.on_duty = 1 AND s.role IN ('attendant', 'manager', 'owner')
         ORDER BY (SELECT count(*) FROM conversation c WHERE c.organization_id = s.organization_id AND c.assigned_staff = s.id
                   AND c.state IN ('waiting_human', 'human')),
                  CASE s.role WHEN 'attendant' THEN 0 WHEN 'manager' THEN 1 ELSE 2 END, s.id LIMIT 1",
        values![organization],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The last turn of a conversation; `None` before the first.
///
/// # Errors
/// What the database said.
pub fn last_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<Option<TurnId>, StoreError> {
    tx.query_optional(
        "SELECT id FROM turn WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY id DESC LIMIT 1",
        values![organization, id],
        |row| row.get(0),
    )
}

/// Returns whether a conversation belongs to the web chat and its contact has no conversation on another channel. Any person who opens
/// the page is such a contact.
///
/// # Errors
/// What the database said.
pub fn is_with_a_stranger(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) FROM conversation c WHERE c.organization_id = ?1 AND c.id = ?2 AND c.channel = 'web'
                 AND NOT EXISTS (SELECT 1 FROM conversation o WHERE o.organization_id = c.organization_id
                                 AND o.contact_id = c.contact_id AND o.channel <> 'web')";
    tx.query_one(sql, values![organization, id], |row| row.get::<i64>(0)).map(|found| found > 0)
}
