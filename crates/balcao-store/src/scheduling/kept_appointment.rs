//! Appointments outside of working time that staff keep ([`balcao_domain::conflict`]).
//!
//! An appointment that is moved is a new one, so staff decide about it again.

use std::collections::BTreeMap;

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
        "UPDATE appointment SET kept_for = ?3, kept_at = ?4, kept_by = ?5
         WHERE organization_id = ?1 AND id = ?2 AND status IN ('pending', 'confirmed') AND COALESCE(kept_for, '') <> ?3",
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
) -> Result<BTreeMap<AppointmentId, ConflictReason>, StoreError> {
    let all = tx.query_all(
        "SELECT id, kept_for FROM appointment WHERE organization_id = ?1 AND starts_at >= ?2 AND kept_for IS NOT NULL",
        values![organization, from],
        |row| Ok((row.get(0)?, read_word(row, 1, |text| text.parse().ok())?)),
    )?;
    Ok(all.into_iter().collect())
}
