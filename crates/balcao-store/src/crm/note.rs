//! Internal notes. Nothing here may reach a customer or a prompt.

use balcao_domain::note::Note;
use balcao_domain::{ContactId, NoteId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Adds a note.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    author: &str,
    content: &str,
    now: Timestamp,
) -> Result<NoteId, StoreError> {
    tx.insert(
        "INSERT INTO note (organization_id, contact_id, content, author, created_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![organization, contact, content, author, now],
    )
}

/// A contact's notes, oldest first.
///
/// # Errors
/// What the database said.
pub fn of_contact(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId) -> Result<Vec<Note>, StoreError> {
    tx.query_all(
        "SELECT id, contact_id, content, author, created_at FROM note WHERE organization_id = ?1 AND contact_id = ?2 ORDER BY id",
        values![organization, contact],
        |row| {
            Ok(Note {
                id: row.get(0)?,
                contact: row.get(1)?,
                content: row.get(2)?,
                author: row.get(3)?,
                created_at: row.get(4)?,
            })
        },
    )
}
