//! The rate at which one client asks, over all processes. The caller supplies the rule.

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// When `name` may ask as often at once as its burst allows again; `None` if nothing is known of it.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, name: &str) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT full_at FROM pace WHERE organization_id = ?1 AND name = ?2";
    tx.query_optional(sql, values![organization, name], |row| row.get(0))
}

/// Remembers it.
///
/// # Errors
/// What the database said.
pub fn set(tx: &mut Tx<'_>, organization: OrganizationId, name: &str, full_at: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO pace (organization_id, name, full_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (organization_id, name) DO UPDATE SET full_at = excluded.full_at",
        values![organization, name, full_at],
    )?;
    Ok(())
}

/// Forgets those who may ask at once again anyway; gives how many.
///
/// # Errors
/// What the database said.
pub fn forget(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    tx.execute("DELETE FROM pace WHERE organization_id = ?1 AND full_at <= ?2", values![organization, now])
}
