//! Runs of automations, waiting for the worker.

use balcao_domain::{ContactId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Queues a run; `input` is JSON.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    flow: &str,
    input: &str,
    now: Timestamp,
) -> Result<i64, StoreError> {
    tx.insert(
        "INSERT INTO flow_run (organization_id, contact_id, flow, input, created_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![organization, contact, flow, input, now],
    )
}
