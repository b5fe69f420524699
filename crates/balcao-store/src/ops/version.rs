//! Immutable versions of business, knowledge and prompts.
//!
//! A version is born under the lock of its organization's row ([`crate::crm::organization::lock`]), which gives numbers without gaps.

use balcao_domain::{OrganizationId, VersionKind, VersionName};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// A version without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// Its name.
    pub name: VersionName,
    /// The hash of its content: two versions of one kind that are equal have the same.
    pub hash: String,
    /// Who made it.
    pub author: String,
    /// When.
    pub created_at: Timestamp,
}

/// A version to be.
#[derive(Debug, Clone, Copy)]
pub struct NewVersion<'a> {
    /// What it is a version of.
    pub kind: VersionKind,
    /// The hash of its content.
    pub hash: &'a str,
    /// The hash of the part that a reply may state.
    pub stated: &'a str,
    /// JSON.
    pub content: &'a str,
    /// Who makes it.
    pub author: &'a str,
}

/// Adds a version behind the last one of its kind. The caller holds the organization's lock.
///
/// # Errors
/// What the database said.
pub fn append(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewVersion<'_>,
    now: Timestamp,
) -> Result<VersionName, StoreError> {
    let number = tx.insert(
        "INSERT INTO version (organization_id, kind, number, hash, content, author, created_at, stated)
         SELECT ?1, ?2, COALESCE((SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = ?2), 0) + 1,
                ?3, ?4, ?5, ?6, ?7
         RETURNING number",
        values![organization, new.kind.as_str(), new.hash, new.content, new.author, now, new.stated],
    )?;
    Ok(VersionName { kind: new.kind, number })
}

/// The last version of a kind.
///
/// # Errors
/// What the database said.
pub fn last(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: VersionKind,
) -> Result<Option<VersionRow>, StoreError> {
    tx.query_optional(
        "SELECT kind, number, hash, author, created_at FROM version WHERE organization_id = ?1 AND kind = ?2
         ORDER BY number DESC LIMIT 1",
        values![organization, kind.as_str()],
        read,
    )
}

/// The last version of a kind that has this content.
///
/// # Errors
/// What the database said.
pub fn of_hash(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: VersionKind,
    hash: &str,
) -> Result<Option<VersionRow>, StoreError> {
    tx.query_optional(
        "SELECT kind, number, hash, author, created_at FROM version
         WHERE organization_id = ?1 AND kind = ?2 AND hash = ?3 ORDER BY number DESC LIMIT 1",
        values![organization, kind.as_str(), hash],
        read,
    )
}

/// The last `limit` versions of a kind, the newest first.
///
/// # Errors
/// What the database said.
pub fn list(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: VersionKind,
    limit: u32,
) -> Result<Vec<VersionRow>, StoreError> {
    tx.query_all(
        "SELECT kind, number, hash, author, created_at FROM version WHERE organization_id = ?1 AND kind = ?2
         ORDER BY number DESC LIMIT ?3",
        values![organization, kind.as_str(), limit],
        read,
    )
}

/// A version with its content, as JSON.
///
/// # Errors
/// What the database said.
pub fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: VersionName,
) -> Result<Option<(VersionRow, String)>, StoreError> {
    tx.query_optional(
        "SELECT kind, number, hash, author, created_at, content FROM version
         WHERE organization_id = ?1 AND kind = ?2 AND number = ?3",
        values![organization, name.kind.as_str(), name.number],
        |row| Ok((read(row)?, row.get(5)?)),
    )
}

fn read(row: &Row<'_>) -> Result<VersionRow, StoreError> {
    Ok(VersionRow {
        name: VersionName { kind: read_word(row, 0, VersionKind::from_word)?, number: row.get(1)? },
        hash: row.get(2)?,
        author: row.get(3)?,
        created_at: row.get(4)?,
    })
}
