//! Handoffs: conversations that wait for, or were with, a person.

use balcao_domain::{ConversationId, NoteId, OrganizationId, StaffId, TurnId};
use jiff::Timestamp;

use crate::error::StoreError;
use crate::tx::Tx;
use crate::value::values;

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
    /// To whom it is assigned; nobody means the queue.
    pub assigned_staff: Option<StaffId>,
}

/// Records a handoff.
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
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        values![organization, new.conversation, new.turn, new.reason, new.summary, new.note, new.assigned_staff, now],
    )
}

/// Marks the open handoffs of a conversation as resolved: it was given back or closed.
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

/// A handoff that nobody has resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenHandoff {
    /// Why: the reason's word and what more is known, for staff.
    pub reason: String,
    /// What the conversation was about.
    pub summary: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The first open handoff of a conversation: since then its contact has waited.
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
