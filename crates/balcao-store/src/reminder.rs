//! Planned reminders of appointments.
//!
//! Invariant: an appointment has one reminder per instant, by a unique key, however often it is planned (I-18).

use balcao_domain::{AppointmentId, OrganizationId, ReminderId};
use jiff::Timestamp;

use crate::error::StoreError;
use crate::tx::Tx;
use crate::value::values;

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
