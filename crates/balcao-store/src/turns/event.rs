//! What happened, written in the transaction in which it happened, for jobs and the console to take up.

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, in_batches, values};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its number; later events have higher ones.
    pub id: i64,
    /// Whose it is.
    pub organization: OrganizationId,
    /// What happened, past tense: `appointment_booked`.
    pub kind: String,
    /// To what, as a printed id.
    pub subject: String,
    /// More about it, as JSON.
    pub payload: String,
    /// When.
    pub created_at: Timestamp,
}

/// Adds an event.
///
/// # Errors
/// What the database said.
pub fn push(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: &str,
    subject: &str,
    payload: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO event (organization_id, kind, subject, payload, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![organization, kind, subject, payload, now],
    )
}

/// Adds the same event for each of many subjects.
///
/// # Errors
/// What the database said.
pub(crate) fn push_each(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: &str,
    subjects: &[String],
    now: Timestamp,
) -> Result<(), StoreError> {
    in_batches(subjects, 4, |rows, subjects| {
        let sql = format!("INSERT INTO event (organization_id, kind, payload, created_at, subject) VALUES {rows}");
        let mut bound = values![organization, kind, "{}", now].to_vec();
        bound.extend(subjects);
        tx.defer(&sql, &bound)
    })
}

/// Adds an event, and numbers it and what comes after it past everything that another program may have numbered which went on
/// from a copy of this database: by the instant, in milliseconds. Gives the number.
///
/// # Errors
/// What the database said.
pub fn push_past_all(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: &str,
    subject: &str,
    now: Timestamp,
) -> Result<i64, StoreError> {
    tx.across_organizations();
    let next: i64 = tx.query_one("SELECT COALESCE(max(id), 0) + 1 FROM event", &[], |row| row.get(0))?;
    let id = next.max(now.as_millisecond());
    tx.execute(
        "INSERT INTO event (id, organization_id, kind, subject, payload, created_at) VALUES (?1, ?2, ?3, ?4, '{}', ?5)",
        values![id, organization, kind, subject, now],
    )?;
    // SQLite numbers from the highest there is.
    if tx.is_postgres() {
        let sql = "SELECT setval(pg_get_serial_sequence('event', 'id'), ?1)";
        tx.query_one(sql, values![id], |row| row.get::<i64>(0))?;
    }
    Ok(id)
}

/// Events that no worker has taken, oldest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn waiting(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<Event>, StoreError> {
    tx.across_organizations();
    tx.query_all(
        "SELECT id, organization_id, kind, subject, payload, created_at FROM event WHERE taken_at IS NULL ORDER BY id LIMIT ?1",
        values![limit],
        read,
    )
}

pub(crate) fn read(row: &Row<'_>) -> Result<Event, StoreError> {
    Ok(Event {
        id: row.get(0)?,
        organization: row.get(1)?,
        kind: row.get(2)?,
        subject: row.get(3)?,
        payload: row.get(4)?,
        created_at: row.get(5)?,
    })
}

/// Marks an event as taken; tells whether it was still waiting.
///
/// # Errors
/// What the database said.
pub fn take(tx: &mut Tx<'_>, id: i64, now: Timestamp) -> Result<bool, StoreError> {
    tx.across_organizations();
    Ok(tx.execute("UPDATE event SET taken_at = ?2 WHERE id = ?1 AND taken_at IS NULL", values![id, now])? == 1)
}
