//! Bookings and moves that wait for the external calendar: an appointment holds the time, and the answer is still open.
//!
//! Invariant: a key has one claim, and the ledger has an answer only when the claim is gone. So a second run of the same effect goes on
//! with the same appointment.

use balcao_domain::{AppointmentId, OrganizationId};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{json, to_json, values};
use crate::turns::ledger::EffectKey;

/// A booking or a move that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarClaim<T> {
    /// The appointment that holds the time.
    pub appointment: AppointmentId,
    /// The answer that it gets.
    pub answer: T,
}

/// Stores the claim of a booking.
///
/// # Errors
/// A unique violation if the key has one.
pub fn insert<T: Serialize>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
    claim: &CalendarClaim<T>,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO calendar_claim (organization_id, key, args_hash, appointment_id, answer) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![organization, &key.key, &key.args_hash, claim.appointment, to_json(&claim.answer)?],
    )?;
    Ok(())
}

/// Stores the claim of a move, which stands already.
///
/// # Errors
/// A unique violation if the key has one.
pub fn insert_move<T: Serialize>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
    claim: &CalendarClaim<T>,
    moved_at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO calendar_claim (organization_id, key, args_hash, appointment_id, answer, moved_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![organization, &key.key, &key.args_hash, claim.appointment, to_json(&claim.answer)?, moved_at],
    )?;
    Ok(())
}

/// The moves that have waited since `moved_by` or longer, with their keys and the hashes of their arguments.
///
/// # Errors
/// What the database said.
pub fn list_old_moves<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    moved_by: Timestamp,
) -> Result<Vec<(EffectKey, CalendarClaim<T>)>, StoreError> {
    tx.query_all(
        "SELECT key, args_hash, appointment_id, answer FROM calendar_claim
         WHERE organization_id = ?1 AND moved_at <= ?2 ORDER BY moved_at, key LIMIT 100",
        values![organization, moved_by],
        |row| {
            // The turn of the move may be over, and no tool waits for the answer.
            let key = EffectKey { key: row.get(0)?, args_hash: row.get(1)?, turn: None, tool: String::new() };
            Ok((key, CalendarClaim { appointment: row.get(2)?, answer: json(row, 3)? }))
        },
    )
}

/// The claim of a key.
///
/// # Errors
/// [`StoreError::KeyReused`] if the key was used for other arguments; else what the database said.
pub fn find<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
) -> Result<Option<CalendarClaim<T>>, StoreError> {
    tx.query_optional(
        "SELECT args_hash, appointment_id, answer FROM calendar_claim WHERE organization_id = ?1 AND key = ?2",
        values![organization, &key.key],
        |row| {
            if row.get::<String>(0)? != key.args_hash {
                return Err(StoreError::KeyReused { key: key.key.clone() });
            }
            Ok(CalendarClaim { appointment: row.get(1)?, answer: json(row, 2)? })
        },
    )
}

/// Whether a booking or a move waits that gave this appointment its time.
///
/// # Errors
/// What the database said.
pub fn holds(tx: &mut Tx<'_>, organization: OrganizationId, appointment: AppointmentId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM calendar_claim WHERE organization_id = ?1 AND appointment_id = ?2)";
    tx.query_one(sql, values![organization, appointment], |row| row.get(0))
}

/// Ends the claim of a key; returns whether there was one.
///
/// # Errors
/// What the database said.
pub fn remove(tx: &mut Tx<'_>, organization: OrganizationId, key: &EffectKey) -> Result<bool, StoreError> {
    let sql = "DELETE FROM calendar_claim WHERE organization_id = ?1 AND key = ?2";
    Ok(tx.execute(sql, values![organization, &key.key])? == 1)
}

/// Ends the claims of bookings that an appointment held its time for, which it gave up; returns how many there were.
///
/// # Errors
/// What the database said.
pub fn remove_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<usize, StoreError> {
    let sql = "DELETE FROM calendar_claim WHERE organization_id = ?1 AND appointment_id = ?2 AND moved_at IS NULL";
    tx.execute(sql, values![organization, appointment])
}

/// Forgets claims of bookings whose appointment holds no slot any more: the effect that made them did not run again.
///
/// # Errors
/// What the database said.
pub fn sweep(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM calendar_claim WHERE organization_id = ?1 AND moved_at IS NULL AND NOT EXISTS
           (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = calendar_claim.appointment_id AND a.status = 'pending')",
        values![organization],
    )
}
