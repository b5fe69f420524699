//! Messages that did not leave, or may not have: what staff look at.

use balcao_domain::{OrganizationId, OutboxId};
use jiff::Timestamp;

use super::{COLUMNS, Outbox, read};
use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// A message that did not leave, or may not have, as staff see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedMessage {
    /// The message.
    pub message: Outbox,
    /// When something last became of it.
    pub changed_at: Timestamp,
    /// When staff let it be.
    pub given_up_at: Option<Timestamp>,
}

fn read_trouble(row: &Row<'_>) -> Result<FailedMessage, StoreError> {
    Ok(FailedMessage { message: read(row)?, changed_at: row.get(25)?, given_up_at: row.get(26)? })
}

/// Dead and unknown messages, the latest first, at most `limit`, those before `before`; those that staff let be only if `all`.
///
/// # Errors
/// What the database said.
pub fn list_failed(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    all: bool,
    before: Option<OutboxId>,
    limit: u32,
) -> Result<Vec<FailedMessage>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, changed_at, given_up_at FROM outbox
         WHERE organization_id = ?1 AND state IN ('unknown', 'dead') AND id < ?2 AND (?3 = 1 OR given_up_at IS NULL)
         ORDER BY id DESC LIMIT ?4"
    );
    let before = before.map_or(i64::MAX, i64::from);
    tx.query_all(&sql, values![organization, before, all, limit], read_trouble)
}

/// One dead or unknown message.
///
/// # Errors
/// What the database said.
pub fn find_failed(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: OutboxId,
) -> Result<Option<FailedMessage>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, changed_at, given_up_at FROM outbox
         WHERE organization_id = ?1 AND id = ?2 AND state IN ('unknown', 'dead')"
    );
    tx.query_optional(&sql, values![organization, id], read_trouble)
}

/// Staff let a dead or unknown message be; tells whether they had not before.
///
/// # Errors
/// What the database said.
pub fn give_up(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: OutboxId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE outbox SET given_up_at = ?3
               WHERE organization_id = ?1 AND id = ?2 AND state IN ('unknown', 'dead') AND given_up_at IS NULL";
    Ok(tx.execute(sql, values![organization, id, now])? == 1)
}
