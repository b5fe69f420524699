//! What a program that died had in hand, on a file that one program at a time serves from.
//!
//! The process that serves alone knows that no other process is at work, so the claims of its predecessor need not run out first. It then
//! claims or settles those rows as it does for any process that died (I-5). The same history of attempts finds the row that is to blame.

use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::suspects::BEGUN_WITHOUT_END;
use crate::database::tx::Tx;
use crate::database::value::values;

/// A column that says until when a process has a row in hand.
struct ClaimColumn {
    table: &'static str,
    column: &'static str,
    /// What holds for a row in hand, where the same column also holds pauses, or stays behind when the work ended.
    in_hand: Option<&'static str>,
}

impl ClaimColumn {
    const fn new(table: &'static str, column: &'static str) -> Self {
        Self { table, column, in_hand: None }
    }

    const fn in_hand_if(table: &'static str, column: &'static str, condition: &'static str) -> Self {
        Self { table, column, in_hand: Some(condition) }
    }
}

/// Every claim of the schema; a test compares them with it.
const CLAIMS: [ClaimColumn; 11] = [
    ClaimColumn::new("dispatch", "lease_until"),
    ClaimColumn::new("outbox", "sending_until"),
    ClaimColumn::new("webhook_delivery", "sending_until"),
    ClaimColumn::new("attachment", "lease_until"),
    ClaimColumn::new("retention", "lease_until"),
    ClaimColumn::in_hand_if("follow_up", "held_until", "state = 'open'"),
    ClaimColumn::new("calendar_event", "claimed_until"),
    ClaimColumn::new("outside_calendar", "claimed_until"),
    // A comparison that ended without a result takes its crash back, and its claim is the pause until the next one.
    ClaimColumn::in_hand_if("calendar_comparison", "claimed_until", "crashes > 0"),
    ClaimColumn::in_hand_if("pack_delivery", "not_before", "state = 'waiting' AND deaths > 0"),
    ClaimColumn::in_hand_if("pack_delivery_command", "not_before", BEGUN_WITHOUT_END),
];

/// Ends every claim and returns their number. Only a process that serves alone may call this.
///
/// A claim ends at `now`, as if it ran out: some alarms count from its end.
pub(crate) fn end_claims(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64, StoreError> {
    let mut ended = 0_u64;
    for ClaimColumn { table, column, in_hand } in CLAIMS {
        let in_hand = in_hand.unwrap_or("TRUE");
        let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {column} > ?1 AND {in_hand}");
        ended = ended.saturating_add(u64::try_from(tx.execute(&sql, values![now])?).unwrap_or_default());
    }
    Ok(ended)
}

#[cfg(test)]
#[path = "takeover_tests.rs"]
mod tests;
