//! O-6: whoever works on a conversation is its only one. Nothing is committed under an earlier lease once something was under a
//! later one, and no lease is taken from somebody who still has it.
//!
//! The second cannot be seen from commits: the fence stops what an early taker would spoil in our own tables, and not what its
//! predecessor is doing outside. So a trigger writes down each lease that passes from hand to hand.

use balcao_app::turns::dispatcher::DispatcherSettings;
use balcao_store::Lease;
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};

use super::Finding;
use crate::observations::Outside;
use crate::world::World;

/// Lets the database write down who took a lease from whom, and when by their own clocks.
pub(crate) fn record(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute(
        "CREATE TABLE simulated_takeover (conversation_id INTEGER NOT NULL, epoch INTEGER NOT NULL,
             loser TEXT NOT NULL, lost_until INTEGER NOT NULL, taker TEXT NOT NULL, taken_until INTEGER NOT NULL)",
        &[],
    )?;
    tx.execute(
        "CREATE TRIGGER simulated_taken_over AFTER UPDATE OF epoch ON dispatch
         WHEN NEW.epoch > OLD.epoch AND OLD.owner IS NOT NULL AND NEW.owner IS NOT NULL
         BEGIN INSERT INTO simulated_takeover
             VALUES (NEW.conversation_id, NEW.epoch, OLD.owner, OLD.lease_until, NEW.owner, NEW.lease_until); END",
        &[],
    )?;
    Ok(())
}

/// Nothing was committed under an earlier lease after something under a later one.
pub(super) fn fence(outside: &Outside, found: &mut Vec<Finding>) {
    let in_words = |lease: &Lease| {
        let Lease { conversation, epoch, .. } = lease;
        format!("O-6: work on {conversation} under epoch {epoch} was committed after that of a later one")
    };
    found.extend(outside.epochs.outrun.iter().map(in_words));
}

/// Each lease that was taken from somebody had run out: in true time, but for what the clocks may differ by.
pub(super) fn are_waited_for(tx: &mut Tx<'_>, world: &World, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let tolerance = SignedDuration::from_millis(2 * world.plan.faults.skew_ms);
    let lasts = DispatcherSettings::new("", "").lease;
    let taken: Vec<(i64, i64, String, Timestamp, String, Timestamp)> = tx.query_all(
        "SELECT conversation_id, epoch, loser, lost_until, taker, taken_until FROM simulated_takeover",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
    )?;
    for (conversation, epoch, loser, lost_until, taker, taken_until) in taken {
        let ran_out = lost_until - SignedDuration::from_millis(world.skew_ms(&loser));
        let leased = taken_until - lasts - SignedDuration::from_millis(world.skew_ms(&taker));
        let early = ran_out.duration_since(leased);
        if early > tolerance {
            found.push(format!(
                "O-6: {taker} took conversation {conversation} as epoch {epoch} from {loser}, whose lease had {early:#} left"
            ));
        }
    }
    Ok(())
}
