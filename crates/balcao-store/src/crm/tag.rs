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

/// How many contacts carry a tag, and the first `limit` of them.
///
/// # Errors
/// What the database said.
pub fn carriers(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    tag: TagId,
    limit: u32,
) -> Result<(u64, Vec<ContactId>), StoreError> {
    let count: i64 = tx.query_one(
        "SELECT count(*) FROM contact_tag WHERE organization_id = ?1 AND tag_id = ?2",
        values![organization, tag],
        |row| row.get(0),
    )?;
    let first = tx.query_all(
        "SELECT contact_id FROM contact_tag WHERE organization_id = ?1 AND tag_id = ?2 ORDER BY contact_id LIMIT ?3",
        values![organization, tag, limit],
        |row| row.get(0),
    )?;
    Ok((u64::try_from(count).unwrap_or_default(), first))
}

/// Removes a tag that no contact carries; tells whether it was removed.
///
/// # Errors
/// What the database said.
pub fn remove(tx: &mut Tx<'_>, organization: OrganizationId, tag: TagId) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM tag WHERE organization_id = ?1 AND id = ?2
             AND NOT EXISTS (SELECT 1 FROM contact_tag WHERE organization_id = ?1 AND tag_id = ?2)",
        values![organization, tag],
    )?;
    Ok(removed == 1)
}
