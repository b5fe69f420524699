//! Bookings that wait for the external calendar: an appointment holds the time, and the answer is still open.
//!
//! Invariant: a key has one claim, and the ledger has an answer only when the claim is gone. So a second run of the same effect goes on
//! with the same appointment.

use balcao_domain::{AppointmentId, OrganizationId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{json, to_json, values};
use crate::turns::ledger::EffectKey;

/// A booking that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarClaim<T> {
    /// The appointment that holds the time.
    pub appointment: AppointmentId,
    /// The answer that it gets.
    pub answer: T,
}

/// Stores the claim of a key.
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

/// Ends the claim of a key; returns whether there was one.
///
/// # Errors
/// What the database said.
pub fn remove(tx: &mut Tx<'_>, organization: OrganizationId, key: &EffectKey) -> Result<bool, StoreError> {
    let sql = "DELETE FROM calendar_claim WHERE organization_id = ?1 AND key = ?2";
    Ok(tx.execute(sql, values![organization, &key.key])? == 1)
}

/// Ends the claims of an appointment that gave its time up; returns how many there were.
///
/// # Errors
/// What the database said.
pub fn remove_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<usize, StoreError> {
    let sql = "DELETE FROM calendar_claim WHERE organization_id = ?1 AND appointment_id = ?2";
    tx.execute(sql, values![organization, appointment])
}

/// Forgets claims whose appointment holds no slot any more: the effect that made them did not run again.
///
/// # Errors
/// What the database said.
pub fn sweep(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM calendar_claim WHERE organization_id = ?1 AND NOT EXISTS
           (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = calendar_claim.appointment_id AND a.status = 'pending')",
        values![organization],
    )
}
