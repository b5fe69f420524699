//! Handoffs: conversations that wait for, or were with, a person.

use balcao_domain::{ConversationId, NoteId, OrganizationId, StaffId, TurnId};
use jiff::{SignedDuration, Timestamp};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// A handoff to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHandoff<'a> {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn that ended in it.
    pub turn: Option<TurnId>,
    /// Why: the reason's word and what more is known, for staff.
    pub reason: &'a str,
    /// What the conversation was about.
    pub summary: Option<&'a str>,
    /// The note to staff.
    pub note: Option<NoteId>,
    /// The staff member who has the handoff; `None` means the queue.
    pub assigned_staff: Option<StaffId>,
}

/// Records a handoff and gives its id. A conversation has one open handoff (F-154): a further one adds to it what was not
/// known, and changes neither its reason nor since when it waits.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewHandoff<'_>,
    now: Timestamp,
) -> Result<i64, StoreError> {
    tx.insert(
        "INSERT INTO handoff (organization_id, conversation_id, turn_id, reason, summary, note_id, assigned_staff, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (organization_id, conversation_id) WHERE resolved_at IS NULL DO UPDATE SET
             summary = COALESCE(excluded.summary, handoff.summary), note_id = COALESCE(handoff.note_id, excluded.note_id),
             assigned_staff = COALESCE(excluded.assigned_staff, handoff.assigned_staff)
         RETURNING id",
        values![organization, new.conversation, new.turn, new.reason, new.summary, new.note, new.assigned_staff, now],
    )
}

/// Marks the open handoff of a conversation as resolved: it was given back or closed.
///
/// # Errors
/// What the database said.
pub fn resolve(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE handoff SET resolved_at = ?3 WHERE organization_id = ?1 AND conversation_id = ?2 AND resolved_at IS NULL",
        values![organization, conversation, now],
    )
}

/// Keeps what a conversation was about with its open handoff; how many those are: one or none.
///
/// # Errors
/// What the database said.
pub fn set_summary(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    summary: &str,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE handoff SET summary = ?3 WHERE organization_id = ?1 AND conversation_id = ?2 AND resolved_at IS NULL",
        values![organization, conversation, summary],
    )
}

/// A handoff that staff have not resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenHandoff {
    /// Why: the reason's word and what more is known, for staff.
    pub reason: String,
    /// What the conversation was about.
    pub summary: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A handoff that has waited for a while and that staff have not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untaken {
    /// Which.
    pub id: i64,
    /// Whose.
    pub organization: OrganizationId,
    /// The conversation.
    pub conversation: ConversationId,
    /// How many alerts have already reported this handoff.
    pub told: u32,
}

/// Lists open handoffs that need another alert because their conversations still wait for a person. The number of earlier alerts selects
/// the entry of `after` that the wait must exceed. The longest wait comes first; at most `limit` rows.
///
/// # Errors
/// What the database said.
pub fn untaken(
    tx: &mut Tx<'_>,
    after: [SignedDuration; 3],
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Untaken>, StoreError> {
    let [first, second, third] = after.map(|after| now.checked_sub(after).unwrap_or(Timestamp::MIN));
    let served = tx.served();
    tx.query_all(
        "SELECT h.id, h.organization_id, h.conversation_id, h.told FROM handoff h
         JOIN conversation c ON c.id = h.conversation_id
         WHERE h.resolved_at IS NULL AND c.state = 'waiting_human'
           AND ((h.told = 0 AND h.created_at <= ?1) OR (h.told = 1 AND h.created_at <= ?2)
                OR (h.told = 2 AND h.created_at <= ?3))
           AND (h.organization_id = ?5 OR ?5 IS NULL)
         ORDER BY h.created_at, h.id LIMIT ?4",
        values![first, second, third, limit, served],
        |row| Ok(Untaken { id: row.get(0)?, organization: row.get(1)?, conversation: row.get(2)?, told: row.get(3)? }),
    )
}

/// Counts one more alert for a handoff; returns whether this process counted it first.
///
/// # Errors
/// What the database said.
pub fn count_alert(tx: &mut Tx<'_>, untaken: &Untaken) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE handoff SET told = told + 1 WHERE organization_id = ?1 AND id = ?2 AND told = ?3 AND resolved_at IS NULL",
        values![untaken.organization, untaken.id, untaken.told],
    )?;
    Ok(changed == 1)
}

/// The open handoff of a conversation: since then its contact has waited.
///
/// # Errors
/// What the database said.
pub fn open_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<OpenHandoff>, StoreError> {
    tx.query_optional(
        "SELECT reason, summary, created_at FROM handoff WHERE organization_id = ?1 AND conversation_id = ?2 AND resolved_at IS NULL
         ORDER BY created_at, id LIMIT 1",
        values![organization, conversation],
        |row| Ok(OpenHandoff { reason: row.get(0)?, summary: row.get(1)?, created_at: row.get(2)? }),
    )
}
