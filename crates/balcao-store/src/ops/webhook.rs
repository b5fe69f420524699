//! Events on their way to webhook endpoints: the last event that each endpoint received, and the deliveries that wait.
//!
//! An event is a row that was written with what caused it ([`crate::turns::event`]). [`fan_out`] makes a delivery of it for an endpoint
//! and moves that endpoint's cursor in one transaction, so that each event is one delivery per endpoint, for ever. Events
//! are numbered in the order of their commits, because writers take turns: none appears behind a cursor.

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::suspects::claim_suspect_or_batch;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};
use crate::turns::event::{Event, read};

/// An event on its way to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its number.
    pub id: i64,
    /// Whose.
    pub organization: OrganizationId,
    /// The endpoint's name in the configuration.
    pub endpoint: String,
    /// The event.
    pub event: i64,
    /// What the endpoint reads.
    pub body: String,
    /// Attempts so far, the running one included.
    pub attempts: u32,
    /// Why the last one failed.
    pub failure: Option<String>,
}

const COLUMNS: &str = "id, organization_id, endpoint, event_id, body, attempts, failure";

fn read_delivery(row: &Row<'_>) -> Result<Delivery, StoreError> {
    Ok(Delivery {
        id: row.get(0)?,
        organization: row.get(1)?,
        endpoint: row.get(2)?,
        event: row.get(3)?,
        body: row.get(4)?,
        attempts: row.get(5)?,
        failure: row.get(6)?,
    })
}

/// Returns whether events have happened that the endpoint has not received, or the endpoint is not known yet.
///
/// # Errors
/// What the database said.
pub fn is_behind(tx: &mut Tx<'_>, organization: OrganizationId, endpoint: &str) -> Result<bool, StoreError> {
    let behind: Option<bool> = tx.query_optional(
        "SELECT CASE WHEN after_event < (SELECT COALESCE(max(id), 0) FROM event WHERE organization_id = ?1)
                THEN 1 ELSE 0 END
         FROM webhook_cursor WHERE organization_id = ?1 AND endpoint = ?2",
        values![organization, endpoint],
        |row| row.get(0),
    )?;
    Ok(behind.unwrap_or(true))
}

/// Returns whether a delivery is due, or the process that was sending it died.
///
/// # Errors
/// What the database said.
pub fn is_due(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    let found: Option<i64> = tx.query_optional(
        "SELECT id FROM webhook_delivery WHERE organization_id = ?1
         AND ((state = 'pending' AND not_before <= ?2) OR (state = 'sending' AND sending_until <= ?2)) LIMIT 1",
        values![organization, now],
        |row| row.get(0),
    )?;
    Ok(found.is_some())
}

/// Creates deliveries for the events since the endpoint's cursor, at most `limit` events; returns the number of events that it looked at.
/// `body` returns the text that the endpoint receives for an event, or `None` if the endpoint does not want it. A new endpoint receives
/// only later events.
///
/// # Errors
/// What the database said.
pub fn fan_out(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    endpoint: &str,
    limit: u32,
    now: Timestamp,
    body: impl Fn(&Event) -> Option<String>,
) -> Result<usize, StoreError> {
    let known: Option<i64> = tx.query_optional(
        "SELECT after_event FROM webhook_cursor WHERE organization_id = ?1 AND endpoint = ?2",
        values![organization, endpoint],
        |row| row.get(0),
    )?;
    let Some(after) = known else {
        tx.execute(
            "INSERT INTO webhook_cursor (organization_id, endpoint, after_event)
             VALUES (?1, ?2, (SELECT COALESCE(max(id), 0) FROM event WHERE organization_id = ?1))",
            values![organization, endpoint],
        )?;
        return Ok(0);
    };
    let events = tx.query_all(
        "SELECT id, organization_id, kind, subject, payload, created_at FROM event
         WHERE id > ?2 AND organization_id = ?1 ORDER BY id LIMIT ?3",
        values![organization, after, limit],
        read,
    )?;
    let Some(last) = events.last() else { return Ok(0) };
    for event in &events {
        let Some(body) = body(event) else { continue };
        tx.execute(
            "INSERT INTO webhook_delivery (organization_id, endpoint, event_id, body, not_before, created_at, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5) ON CONFLICT (organization_id, endpoint, event_id) DO NOTHING",
            values![organization, endpoint, event.id, body, now],
        )?;
    }
    tx.execute(
        "UPDATE webhook_cursor SET after_event = ?3 WHERE organization_id = ?1 AND endpoint = ?2",
        values![organization, endpoint, last.id],
    )?;
    Ok(events.len())
}

/// So many attempts in a row that the program did not live to end are enough.
const MOST_DEATHS: u32 = 3;

/// Claims due deliveries, at most `limit`. If a process dies while it sends a delivery, the delivery is sent again, alone, and given up
/// after the third death in a row. The endpoint recognises the repeat by its id.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> Result<Vec<Delivery>, StoreError> {
    tx.execute(
        "UPDATE webhook_delivery SET state = CASE WHEN deaths + 1 < ?3 THEN 'pending' ELSE 'dead' END, deaths = deaths + 1,
                failure = CASE WHEN deaths + 1 < ?3 THEN failure ELSE 'the program ended each time while it was being sent' END,
                sending_until = NULL, changed_at = ?2
         WHERE organization_id = ?1 AND state = 'sending' AND sending_until <= ?2",
        values![organization, now, MOST_DEATHS],
    )?;
    let mut claimed = claim_suspect_or_batch("deaths > 0", limit, |which, limit| {
        let sql = format!(
            "UPDATE webhook_delivery SET state = 'sending', attempts = attempts + 1, sending_until = ?3, changed_at = ?2
             WHERE id IN (SELECT id FROM webhook_delivery
                          WHERE organization_id = ?1 AND state = 'pending' AND not_before <= ?2 AND {which}
                          ORDER BY not_before, id LIMIT ?4)
             RETURNING {COLUMNS}"
        );
        tx.query_all(&sql, values![organization, now, until, limit], read_delivery)
    })?;
    claimed.sort_by_key(|one| one.id);
    Ok(claimed)
}

/// What an attempt came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempted<'a> {
    /// The endpoint took it.
    Delivered,
    /// It is tried again, not before then.
    Again {
        /// Not before.
        at: Timestamp,
        /// Why it failed.
        failure: &'a str,
    },
    /// It is given up.
    Dead {
        /// Why it failed.
        failure: &'a str,
    },
}

/// Records what came of the attempt that [`claim`] counted; tells whether it still was the current one.
///
/// # Errors
/// What the database said.
pub fn record(tx: &mut Tx<'_>, of: &Delivery, what: Attempted<'_>, now: Timestamp) -> Result<bool, StoreError> {
    let (state, at, failure) = match what {
        Attempted::Delivered => ("sent", now, None),
        Attempted::Again { at, failure } => ("pending", at, Some(failure)),
        Attempted::Dead { failure } => ("dead", now, Some(failure)),
    };
    let changed = tx.execute(
        "UPDATE webhook_delivery SET state = ?4, not_before = ?5, failure = ?6, changed_at = ?7, sending_until = NULL,
                deaths = 0
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending'",
        values![of.organization, of.id, of.attempts, state, at, failure, now],
    )?;
    Ok(changed == 1)
}

/// The endpoints with deliveries at which the program died.
///
/// # Errors
/// What the database said.
pub fn crashed_endpoints(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<String>, StoreError> {
    tx.query_all(
        "SELECT DISTINCT endpoint FROM webhook_delivery WHERE organization_id = ?1 AND deaths > 0 ORDER BY endpoint",
        values![organization],
        |row| row.get(0),
    )
}

/// Takes back the deaths at deliveries to an endpoint, which ends their alarm; returns the number of deliveries. What was given up stays so.
///
/// # Errors
/// What the database said.
pub fn take_back_deaths(tx: &mut Tx<'_>, organization: OrganizationId, endpoint: &str) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE webhook_delivery SET deaths = 0 WHERE organization_id = ?1 AND endpoint = ?2 AND deaths > 0",
        values![organization, endpoint],
    )
}

/// Deliveries that were given up, the latest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn dead(tx: &mut Tx<'_>, organization: OrganizationId, limit: u32) -> Result<Vec<Delivery>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM webhook_delivery WHERE organization_id = ?1 AND state = 'dead' ORDER BY id DESC LIMIT ?2"
    );
    tx.query_all(&sql, values![organization, limit], read_delivery)
}

/// Delivers what was given up once more, to one endpoint or to all; tells how many.
///
/// # Errors
/// What the database said.
pub fn retry(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    endpoint: Option<&str>,
    now: Timestamp,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE webhook_delivery SET state = 'pending', attempts = 0, deaths = 0, not_before = ?3, changed_at = ?3
         WHERE organization_id = ?1 AND state = 'dead' AND endpoint = COALESCE(?2, endpoint)",
        values![organization, endpoint, now],
    )
}
