//! Tags, and who carries them.

use balcao_domain::tag::Tag;
use balcao_domain::{ContactId, OrganizationId, TagId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

fn read(row: &Row<'_>) -> Result<Tag, StoreError> {
    Ok(Tag { id: row.get(0)?, name: row.get(1)? })
}

/// Adds a tag.
///
/// # Errors
/// A unique violation if the name is taken.
pub fn insert(tx: &mut Tx<'_>, organization: OrganizationId, name: &str) -> Result<TagId, StoreError> {
    tx.insert("INSERT INTO tag (organization_id, name) VALUES (?1, ?2) RETURNING id", values![organization, name])
}

/// Every tag, in order of name.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Tag>, StoreError> {
    tx.query_all("SELECT id, name FROM tag WHERE organization_id = ?1 ORDER BY name", values![organization], read)
}

/// A contact's tags, in order of name.
///
/// # Errors
/// What the database said.
pub fn of_contact(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId) -> Result<Vec<Tag>, StoreError> {
    tx.query_all(
        "SELECT t.id, t.name FROM contact_tag c JOIN tag t ON t.id = c.tag_id
         WHERE c.organization_id = ?1 AND c.contact_id = ?2 ORDER BY t.name",
        values![organization, contact],
        read,
    )
}

/// Gives a contact a tag; tells whether it lacked it.
///
/// # Errors
/// What the database said.
pub fn attach(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    tag: TagId,
) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO contact_tag (organization_id, contact_id, tag_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        values![organization, contact, tag],
    )?;
    Ok(added == 1)
}

/// Takes a tag from a contact; tells whether it had it.
///
/// # Errors
/// What the database said.
pub fn detach(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    tag: TagId,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM contact_tag WHERE organization_id = ?1 AND contact_id = ?2 AND tag_id = ?3",
        values![organization, contact, tag],
    )?;
    Ok(removed == 1)
}
