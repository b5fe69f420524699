//! What a program that died had in hand, on a file that one program at a time serves from.
//!
//! The process that serves alone knows that no other process is at work, so the claims of its predecessor need not run out first. It then
//! claims or settles those rows as it does for any process that died (I-5). The same history of attempts finds the row that is to blame.

use crate::database::error::StoreError;
use crate::database::tx::Tx;

/// Ends every claim and returns their number. Only a process that serves alone may call this.
pub(crate) fn end_claims(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let mut ended = 0_u64;
    for sql in [
        "UPDATE dispatch SET lease_until = 0 WHERE owner IS NOT NULL AND lease_until > 0",
        "UPDATE outbox SET sending_until = 0 WHERE state = 'sending' AND sending_until > 0",
        "UPDATE webhook_delivery SET sending_until = 0 WHERE state = 'sending' AND sending_until > 0",
        "UPDATE attachment SET lease_until = 0 WHERE lease_until > 0",
        "UPDATE retention SET lease_until = 0 WHERE lease_until > 0",
    ] {
        ended = ended.saturating_add(u64::try_from(tx.execute(sql, &[])?).unwrap_or_default());
    }
    Ok(ended)
}
