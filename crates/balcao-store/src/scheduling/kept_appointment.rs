//! Appointments outside of working time that staff keep ([`balcao_domain::conflict`]).
//!
//! An appointment that is moved is a new one, so staff decide about it again. So they do when the reason ended and came back.

use std::collections::{BTreeMap, BTreeSet};

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::conflict::ConflictReason;
use balcao_domain::{AppointmentId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{read_word, values};

/// Records that staff keep an open appointment in spite of a conflict; returns whether that is new.
///
/// # Errors
/// What the database said.
pub fn record(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    reason: ConflictReason,
    by: &MarkAuthor,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "INSERT INTO kept_conflict (organization_id, appointment_id, reason, kept_at, kept_by)
         SELECT organization_id, id, CAST(?3 AS TEXT), CAST(?4 AS BIGINT), CAST(?5 AS TEXT) FROM appointment
         WHERE organization_id = ?1 AND id = ?2 AND status IN ('pending', 'confirmed')
         ON CONFLICT (organization_id, appointment_id, reason) DO NOTHING",
        values![organization, id, reason.as_str(), now, by.to_string()],
    )?;
    Ok(changed == 1)
}

/// The reasons in spite of which appointments from an instant on are kept.
///
/// # Errors
/// What the database said.
pub fn list_from(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: Timestamp,
) -> Result<BTreeMap<AppointmentId, BTreeSet<ConflictReason>>, StoreError> {
    let all = tx.query_all(
        "SELECT k.appointment_id, k.reason FROM kept_conflict k JOIN appointment a ON a.id = k.appointment_id
         WHERE k.organization_id = ?1 AND a.starts_at >= ?2",
        values![organization, from],
        |row| Ok((row.get(0)?, read_word(row, 1, |text| text.parse().ok())?)),
    )?;
    let mut kept = BTreeMap::<_, BTreeSet<_>>::new();
    for (id, reason) in all {
        kept.entry(id).or_default().insert(reason);
    }
    Ok(kept)
}

/// Forgets that an appointment is kept in spite of a reason that ended.
///
/// # Errors
/// What the database said.
pub fn forget(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    reason: ConflictReason,
) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM kept_conflict WHERE organization_id = ?1 AND appointment_id = ?2 AND reason = ?3",
        values![organization, id, reason.as_str()],
    )?;
    Ok(())
}
