//! Accounts of channels that can send nothing before the operator acts. What is to leave by them waits, and is tried now and then.

use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;
use crate::messaging::outbox::{self, Outbox};

/// Pauses the account that a message is being sent from, until an instant. The attempt is not the message's own; a message whose
/// attempt is not the last one changes no count.
///
/// # Errors
/// What the database said.
pub fn begin(
    tx: &mut Tx<'_>,
    attempted: &Outbox,
    failure: &str,
    until: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO pause (organization_id, channel, account, since, until, failure) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (organization_id, channel, account) DO UPDATE SET until = excluded.until, failure = excluded.failure",
        values![attempted.organization, &attempted.channel, &attempted.account, now, until, failure],
    )?;
    outbox::excuse(tx, attempted)
}

/// Ends the pause of the account that a message was sent from; tells whether there was one.
///
/// # Errors
/// What the database said.
pub fn end(tx: &mut Tx<'_>, sent: &Outbox) -> Result<bool, StoreError> {
    let sql = "DELETE FROM pause WHERE organization_id = ?1 AND channel = ?2 AND account = ?3";
    Ok(tx.execute(sql, values![sent.organization, &sent.channel, &sent.account])? > 0)
}
