//! Conversations that programs call by a name of their own.

use balcao_domain::{ConversationId, OrganizationId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// The conversation of a name, if there is one.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, name: &str) -> Result<Option<ConversationId>, StoreError> {
    tx.query_optional(
        "SELECT conversation_id FROM api_conversation WHERE organization_id = ?1 AND name = ?2",
        values![organization, name],
        |row| row.get(0),
    )
}

/// Gives a conversation a name, one of perhaps several.
///
/// # Errors
/// A unique violation if the name is taken.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: &str,
    conversation: ConversationId,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO api_conversation (organization_id, name, conversation_id) VALUES (?1, ?2, ?3)",
        values![organization, name, conversation],
    )?;
    Ok(())
}
