//! What services of packs tell of on their own, from its arrival until it is an event.
//!
//! Invariants: a delivery is a row for ever, and so is a change; a repeat is dropped, however late. A delivery without an id from the
//! service is identified by its bytes. Another delivery may have equal bytes, so these count as a repeat for [`REPEATED_WITHIN`] only.
//! Handing on writes the event and forgets the body in one transaction, once.

use balcao_domain::OrganizationId;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use crate::database::error::StoreError;
use crate::database::suspects::claim_suspect_or_batch;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};
use crate::turns::event;

/// The kind of the event that a delivery becomes.
pub const EVENT: &str = "pack_delivery";

/// How long a delivery without a name counts as a repeat of an equal one: services repeat what got no answer within it, and after it
/// the same words tell that the same thing happened again.
pub const REPEATED_WITHIN: SignedDuration = SignedDuration::from_hours(1);

/// A delivery that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrived<'a> {
    /// The pack whose service sent it.
    pub pack: &'a str,
    /// The same for a delivery that is sent again, another for any other.
    pub once: &'a str,
    /// Whether `once` is what the service calls the delivery; otherwise it is made of what was sent.
    pub named: bool,
    /// The same for all deliveries of one change, if the service names it.
    pub change: Option<&'a str>,
    /// What was sent, as JSON.
    pub body: &'a str,
}

/// A delivery that waits to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its number.
    pub id: i64,
    /// The pack whose service sent it.
    pub pack: String,
    /// What was sent, as JSON.
    pub body: String,
    /// Attempts to read it so far.
    pub attempts: u32,
}

/// Stores a delivery; tells whether it, or its change, is new.
///
/// # Errors
/// What the database said.
pub fn accept(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    arrived: Arrived<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Arrived { pack, once, named, change, body } = arrived;
    let (once, change) = if named {
        (hash(once), change.map(hash))
    } else {
        let (this, before) = spans(once, now);
        if is_repeat(tx, organization, pack, [&this, &before], now)? {
            return Ok(false);
        }
        (this, change.map(hash))
    };
    let stored = tx.execute(
        "INSERT INTO pack_delivery (organization_id, pack, delivery_key, change_key, body, not_before, received_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING",
        values![organization, pack, once, change, body, now],
    )?;
    Ok(stored == 1)
}

/// The keys of what has no name: of the span that `now` lies in, and of the one before it, which are each as long as a repeat counts.
fn spans(once: &str, now: Timestamp) -> (String, String) {
    let span = now.as_second().div_euclid(REPEATED_WITHIN.as_secs());
    let key = |span: i64| hash(&format!("{span} {once}"));
    (key(span), key(span.saturating_sub(1)))
}

/// Whether an equal delivery came a short while ago. In the span that is going on the unique key says it as well.
fn is_repeat(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    pack: &str,
    [this, before]: [&str; 2],
    now: Timestamp,
) -> Result<bool, StoreError> {
    let since = now.checked_sub(REPEATED_WITHIN).unwrap_or(Timestamp::MIN);
    let found: Option<i64> = tx.query_optional(
        "SELECT id FROM pack_delivery
         WHERE organization_id = ?1 AND pack = ?2 AND delivery_key IN (?3, ?4) AND received_at > ?5 ORDER BY id LIMIT 1",
        values![organization, pack, this, before, since],
        |row: &Row<'_>| row.get(0),
    )?;
    Ok(found.is_some())
}

/// Whether a delivery waits whose time has come.
///
/// # Errors
/// What the database said.
pub fn is_due(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pack_delivery WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2)";
    tx.query_one(sql, values![organization, now], |row| row.get(0))
}

/// So many attempts that the program did not live to end are enough: then it is the delivery that ends the program.
const MOST_DEATHS: u32 = 3;

/// Sets aside what the program died at too often; gives how many deliveries those were.
///
/// # Errors
/// What the database said.
pub fn set_aside(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE pack_delivery SET state = 'failed', failure = 'the program ended each time while this was read'
         WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2 AND deaths >= ?3",
        values![organization, now, MOST_DEATHS],
    )
}

/// Takes deliveries whose time has come, in the order of their arrival, at most `limit`; no other program takes them before `held_until`. Each
/// counts as one that the program died at until the attempt ends. One at which it may have died comes first, and alone.
///
/// # Errors
/// What the database said.
pub fn take(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    held_until: Timestamp,
    limit: u32,
) -> Result<Vec<Waiting>, StoreError> {
    let skip = tx.skip_locked();
    let mut taken = claim_suspect_or_batch("deaths > 0", limit, |which, limit| {
        let sql = format!(
            "WITH due AS MATERIALIZED
               (SELECT id FROM pack_delivery
                WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2 AND {which} ORDER BY id LIMIT ?4 {skip})
             UPDATE pack_delivery SET deaths = deaths + 1, not_before = ?3
             WHERE organization_id = ?1 AND state = 'waiting' AND not_before <= ?2 AND id IN (SELECT id FROM due)
             RETURNING id, pack, body, attempts"
        );
        tx.query_all(&sql, values![organization, now, held_until, limit], |row: &Row<'_>| {
            Ok(Waiting { id: row.get(0)?, pack: row.get(1)?, body: row.get(2)?, attempts: row.get(3)? })
        })
    })?;
    taken.sort_by_key(|one| one.id);
    Ok(taken)
}

/// Makes an event of a delivery that still waits, and forgets what was sent; tells whether it still waited.
///
/// # Errors
/// What the database said.
pub fn hand_on(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: i64,
    payload: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let handed = tx.execute(
        "UPDATE pack_delivery SET state = 'handed_on', body = NULL, failure = NULL
         WHERE organization_id = ?1 AND id = ?2 AND state = 'waiting'",
        values![organization, id],
    )?;
    if handed == 1 {
        event::push(tx, organization, EVENT, &format!("pde_{id}"), payload, now)?;
    }
    Ok(handed == 1)
}

/// Records that an attempt to read it failed. It is tried again at `again`; without that it is given up, and kept for staff.
///
/// # Errors
/// What the database said.
pub fn fail(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: i64,
    failure: &str,
    again: Option<Timestamp>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE pack_delivery SET attempts = attempts + 1, deaths = 0, failure = ?3, not_before = COALESCE(?4, not_before),
                state = CASE WHEN ?5 = 1 THEN 'failed' ELSE state END
         WHERE organization_id = ?1 AND id = ?2 AND state = 'waiting'",
        values![organization, id, failure, again, again.is_none()],
    )?;
    Ok(())
}

/// How many were given up.
///
/// # Errors
/// What the database said.
pub fn failed(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    let sql = "SELECT count(*) FROM pack_delivery WHERE organization_id = ?1 AND state = 'failed'";
    tx.query_one(sql, values![organization], |row| row.get(0))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
