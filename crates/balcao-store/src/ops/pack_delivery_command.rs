//! Commands that deliveries of packs started, from the delivery until the end of the command.
//!
//! Invariants: a delivery has at most one command, for ever. The arguments are fixed before the first attempt. A claim is durable before the
//! command runs, so an attempt that the program did not live to end is known to the next one. A finished command never waits again.

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::suspects::{BEGUN_WITHOUT_END, claim_suspect_or_batch};
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// So many attempts with an unknown end are enough; then people decide.
const MAX_BEGUN: u32 = 3;

/// A command that a delivery starts.
#[derive(Debug, Clone, Copy)]
pub struct NewCommand<'a> {
    /// The number of the delivery.
    pub delivery: i64,
    /// The pack of the delivery and of the command.
    pub pack: &'a str,
    /// The command's name in its pack.
    pub command: &'a str,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
}

/// A command that a program claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedCommand {
    /// The number of the delivery.
    pub delivery: i64,
    /// The pack.
    pub pack: String,
    /// The command's name in its pack.
    pub command: String,
    /// Its arguments, as JSON.
    pub arguments: String,
    /// Earlier attempts that ended without an effect.
    pub attempts: u32,
    /// Attempts whose end is unknown, this one included.
    pub begun: u32,
}

impl ClaimedCommand {
    /// Whether an earlier attempt may have had the effect.
    #[must_use]
    pub const fn may_have_run(&self) -> bool {
        self.begun > 1
    }
}

/// The end of an attempt that had no effect.
#[derive(Debug, Clone, Copy)]
pub struct FailedAttempt<'a> {
    /// Why, for staff.
    pub failure: &'a str,
    /// When the next attempt is due; `None` sets the command aside.
    pub again: Option<Timestamp>,
    /// Attempts whose end is still unknown. Zero if the command certainly never ran.
    pub begun: u32,
}

/// Stores the command of a delivery, unless the delivery has one; returns whether it is new.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: NewCommand<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let NewCommand { delivery, pack, command, arguments } = new;
    let stored = tx.execute(
        "INSERT INTO pack_delivery_command (organization_id, delivery_id, pack, command, arguments, not_before, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (organization_id, delivery_id) DO NOTHING",
        values![organization, delivery, pack, command, arguments, now],
    )?;
    Ok(stored == 1)
}

/// Returns whether a command waits whose time has come.
///
/// # Errors
/// What the database said.
pub fn is_due(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pack_delivery_command
                              WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2)";
    tx.query_one(sql, values![organization, now], |row| row.get(0))
}

/// Sets aside due commands that were begun too often without a known end; returns how many.
///
/// # Errors
/// What the database said.
pub fn set_aside(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE pack_delivery_command SET state = 'failed', failure = 'the program ended each time while the command ran'
         WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2 AND begun >= ?3",
        values![organization, now, MAX_BEGUN],
    )
}

/// Claims due commands in the order of their deliveries, at most `limit`; no other program claims them before `held_until`. One at which
/// the program may have died comes first, and alone.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    held_until: Timestamp,
    limit: u32,
) -> Result<Vec<ClaimedCommand>, StoreError> {
    let skip = tx.skip_locked();
    let mut claimed = claim_suspect_or_batch(BEGUN_WITHOUT_END, limit, |which, limit| {
        let sql = format!(
            "WITH due AS MATERIALIZED
               (SELECT delivery_id FROM pack_delivery_command
                WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2 AND {which}
                ORDER BY delivery_id LIMIT ?4 {skip})
             UPDATE pack_delivery_command SET begun = begun + 1, failure = NULL, not_before = ?3
             WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2
               AND delivery_id IN (SELECT delivery_id FROM due)
             RETURNING delivery_id, pack, command, arguments, attempts, begun"
        );
        tx.query_all(&sql, values![organization, now, held_until, limit], |row: &Row<'_>| {
            Ok(ClaimedCommand {
                delivery: row.get(0)?,
                pack: row.get(1)?,
                command: row.get(2)?,
                arguments: row.get(3)?,
                attempts: row.get(4)?,
                begun: row.get(5)?,
            })
        })
    })?;
    claimed.sort_by_key(|one| one.delivery);
    Ok(claimed)
}

/// Records that a command took effect, and forgets its arguments; returns whether the command still waited. An effect is a fact, even if
/// another program holds the claim by now.
///
/// # Errors
/// What the database said.
pub fn finish(tx: &mut Tx<'_>, organization: OrganizationId, delivery: i64) -> Result<bool, StoreError> {
    let finished = tx.execute(
        "UPDATE pack_delivery_command SET state = 'done', arguments = NULL, failure = NULL, begun = 0
         WHERE organization_id = ?1 AND delivery_id = ?2 AND state = 'waiting'",
        values![organization, delivery],
    )?;
    Ok(finished == 1)
}

/// Records an attempt that had no effect, or whose effect is unknown. Changes nothing if another program claimed the command since.
///
/// # Errors
/// What the database said.
pub fn fail(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &ClaimedCommand,
    failed: FailedAttempt<'_>,
) -> Result<bool, StoreError> {
    let FailedAttempt { failure, again, begun } = failed;
    let changed = tx.execute(
        "UPDATE pack_delivery_command SET attempts = attempts + 1, begun = ?5, failure = ?4, not_before = COALESCE(?6, not_before),
                state = CASE WHEN ?7 = 1 THEN 'failed' ELSE state END
         WHERE organization_id = ?1 AND delivery_id = ?2 AND state = 'waiting' AND begun = ?3",
        values![organization, claimed.delivery, claimed.begun, failure, begun, again, again.is_none()],
    )?;
    Ok(changed == 1)
}

/// How many commands were set aside.
///
/// # Errors
/// What the database said.
pub fn failed(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    let sql = "SELECT count(*) FROM pack_delivery_command WHERE organization_id = ?1 AND state = 'failed'";
    tx.query_one(sql, values![organization], |row| row.get(0))
}
