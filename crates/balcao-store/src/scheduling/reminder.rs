//! Planned reminders of appointments.
//!
//! Invariant: an appointment has one reminder per instant, by a unique key, however often it is planned (I-18).

use balcao_domain::{AppointmentId, OrganizationId, ReminderId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Plans a reminder; the same one twice is one.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    remind_at: Timestamp,
    now: Timestamp,
) -> Result<ReminderId, StoreError> {
    tx.insert(
        "INSERT INTO reminder (organization_id, appointment_id, remind_at, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (organization_id, appointment_id, remind_at)
         DO UPDATE SET state = CASE WHEN reminder.state = 'cancelled' THEN 'open' ELSE reminder.state END
         RETURNING id",
        values![organization, appointment, remind_at, now],
    )
}

/// When an appointment's open reminders are due, in order.
///
/// # Errors
/// What the database said.
pub fn open_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Vec<Timestamp>, StoreError> {
    tx.query_all(
        "SELECT remind_at FROM reminder
         WHERE organization_id = ?1 AND appointment_id = ?2 AND state = 'open' ORDER BY remind_at",
        values![organization, appointment],
        |row| row.get(0),
    )
}

/// Cancels an appointment's open reminders.
///
/// # Errors
/// What the database said.
pub fn cancel_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE reminder SET state = 'cancelled' WHERE organization_id = ?1 AND appointment_id = ?2 AND state = 'open'",
        values![organization, appointment],
    )
}

/// A reminder whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueReminder {
    /// Its id.
    pub id: ReminderId,
    /// Whose.
    pub organization: OrganizationId,
    /// Of what.
    pub appointment: AppointmentId,
    /// When it was due.
    pub remind_at: Timestamp,
}

/// Open reminders whose time has come, the oldest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn due(tx: &mut Tx<'_>, now: Timestamp, limit: u32) -> Result<Vec<DueReminder>, StoreError> {
    let served = tx.served();
    tx.query_all(
        "SELECT id, organization_id, appointment_id, remind_at FROM reminder
         WHERE state = 'open' AND remind_at <= ?1 AND (organization_id = ?3 OR ?3 IS NULL) ORDER BY remind_at, id LIMIT ?2",
        values![now, limit, served],
        |row| {
            Ok(DueReminder {
                id: row.get(0)?,
                organization: row.get(1)?,
                appointment: row.get(2)?,
                remind_at: row.get(3)?,
            })
        },
    )
}

/// Ends an open reminder: it was fired, or skipped. Tells whether it was open; only then may it have a consequence (I-18).
///
/// # Errors
/// What the database said.
pub fn end(tx: &mut Tx<'_>, organization: OrganizationId, id: ReminderId, fired: bool) -> Result<bool, StoreError> {
    let state = if fired { "sent" } else { "skipped" };
    let sql = "UPDATE reminder SET state = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    Ok(tx.execute(sql, values![organization, id, state])? == 1)
}

/// Moves an open reminder to another instant; tells whether it did: not if the appointment has one at that instant.
///
/// # Errors
/// What the database said.
pub fn move_to(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ReminderId,
    remind_at: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE reminder SET remind_at = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'
           AND NOT EXISTS (SELECT 1 FROM reminder other WHERE other.organization_id = ?1 AND other.remind_at = ?3
                           AND other.appointment_id = reminder.appointment_id)",
        values![organization, id, remind_at],
    )?;
    Ok(changed == 1)
}
