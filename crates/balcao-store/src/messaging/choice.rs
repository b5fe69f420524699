//! What customers may tap: buttons and rows that we offered, each under a name of ours.
//!
//! A name is valid only in the conversation in which we offered it. A contact who sends the name of another conversation, or an invented
//! one, chooses nothing.

use balcao_domain::{ConversationId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Something that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewChoice<'a> {
    /// Where it is offered.
    pub conversation: ConversationId,
    /// Our name of it, unique in the conversation.
    pub name: &'a str,
    /// What a turn reads when it was chosen.
    pub words: &'a str,
    /// Until when it counts.
    pub expires_at: Timestamp,
}

/// Adds something that may be chosen; a name that is known keeps its first meaning.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewChoice<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO choice (conversation_id, organization_id, name, words, expires_at, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (conversation_id, name) DO NOTHING",
        values![new.conversation, organization, new.name, new.words, new.expires_at, now],
    )?;
    Ok(())
}

/// What choosing it means, and until when it counts; `None` if it was never offered in this conversation.
///
/// # Errors
/// What the database said.
pub fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    name: &str,
) -> Result<Option<(String, Timestamp)>, StoreError> {
    tx.query_optional(
        "SELECT words, expires_at FROM choice WHERE organization_id = ?1 AND conversation_id = ?2 AND name = ?3",
        values![organization, conversation, name],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Forgets what has not counted since `before`; gives how many that were.
///
/// # Errors
/// What the database said.
pub fn sweep(tx: &mut Tx<'_>, before: Timestamp) -> Result<usize, StoreError> {
    tx.across_organizations();
    tx.execute("DELETE FROM choice WHERE expires_at < ?1", values![before])
}
