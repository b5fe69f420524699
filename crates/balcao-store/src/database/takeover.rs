//! What a program that died had in hand, on a file that one program at a time serves from.
//!
//! Whoever serves alone knows that nobody else is at work: what its predecessor had claimed need not wait until the claim runs out. The
//! rows are then claimed, or settled, as those of any program that died (I-5); who is to blame is found out by the same tally.

use crate::database::error::StoreError;
use crate::database::tx::Tx;

/// Ends every claim there is, and tells how many there were. Only for whoever serves alone.
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
