//! Keys of the HTTP API: found by their first characters, never stored themselves; and how many requests each has left.

use balcao_domain::{ApiKeyId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// A key as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// Whose data it opens.
    pub organization: OrganizationId,
    /// What it is for, in staff's words.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// SHA-256 of the whole key, in hexadecimal.
    pub hash: String,
    /// What it may do: words, separated by spaces.
    pub scopes: String,
    /// Requests per minute.
    pub per_minute: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// About when it was last used: exact to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// A key to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewApiKey<'a> {
    /// What it is for.
    pub name: &'a str,
    /// Its first characters.
    pub prefix: &'a str,
    /// SHA-256 of the whole key, in hexadecimal.
    pub hash: &'a str,
    /// What it may do: words, separated by spaces.
    pub scopes: &'a str,
    /// Requests per minute.
    pub per_minute: u32,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, organization_id, name, prefix, hash, scopes, per_minute, created_at, expires_at, revoked_at, \
                       last_used_at";

fn read(row: &Row<'_>) -> Result<ApiKey, StoreError> {
    Ok(ApiKey {
        id: row.get(0)?,
        organization: row.get(1)?,
        name: row.get(2)?,
        prefix: row.get(3)?,
        hash: row.get(4)?,
        scopes: row.get(5)?,
        per_minute: row.get(6)?,
        created_at: row.get(7)?,
        expires_at: row.get(8)?,
        revoked_at: row.get(9)?,
        last_used_at: row.get(10)?,
    })
}

/// Adds a key.
///
/// # Errors
/// A unique violation if the very same key is there.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewApiKey<'_>,
    now: Timestamp,
) -> Result<ApiKeyId, StoreError> {
    tx.insert(
        "INSERT INTO api_key (organization_id, name, prefix, hash, scopes, per_minute, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        values![organization, new.name, new.prefix, new.hash, new.scopes, new.per_minute, now, new.expires_at],
    )
}

/// The keys of every organization that is served which begin with `prefix`, revoked and expired ones included: who asks has
/// not said yet whose they are. As a rule there is one or none.
///
/// # Errors
/// What the database said.
pub fn find_by_prefix(tx: &mut Tx<'_>, prefix: &str) -> Result<Vec<ApiKey>, StoreError> {
    let served = tx.served();
    let sql =
        format!("SELECT {COLUMNS} FROM api_key WHERE prefix = ?1 AND (organization_id = ?2 OR ?2 IS NULL) ORDER BY id");
    tx.query_all(&sql, values![prefix, served], read)
}

/// An organization's keys, revoked and expired ones included, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<ApiKey>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM api_key WHERE organization_id = ?1 ORDER BY id");
    tx.query_all(&sql, values![organization], read)
}

/// Revokes a key; tells whether there was one that was not revoked.
///
/// # Errors
/// What the database said.
pub fn revoke(tx: &mut Tx<'_>, organization: OrganizationId, id: ApiKeyId, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "UPDATE api_key SET revoked_at = ?3 WHERE organization_id = ?1 AND id = ?2 AND revoked_at IS NULL";
    Ok(tx.execute(sql, values![organization, id, now])? == 1)
}

/// Takes up to `wanted` requests from the quota of the minute that begins at `minute`, and records the use of the key. Returns the number
/// taken, which is 0 if the quota is used up. All processes together never take more than the quota of the key.
///
/// # Errors
/// What the database said; [`StoreError::NoRow`] if the key does not exist.
pub fn take_requests(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ApiKeyId,
    minute: Timestamp,
    wanted: u32,
    now: Timestamp,
) -> Result<u32, StoreError> {
    let (limit, counted): (u32, u32) = tx.query_one(
        "SELECT per_minute, CASE WHEN counted_from = ?3 THEN counted ELSE 0 END FROM api_key
         WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, minute],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let given = wanted.min(limit.saturating_sub(counted));
    if given > 0 {
        tx.execute(
            "UPDATE api_key SET counted_from = ?3, counted = ?4, last_used_at = ?5 WHERE organization_id = ?1 AND id = ?2",
            values![organization, id, minute, counted.saturating_add(given), now],
        )?;
    }
    Ok(given)
}
