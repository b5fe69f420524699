//! What businesses may use ([`balcao_domain::entitlement`]).

use balcao_domain::OrganizationId;
use balcao_domain::entitlement::{Entitlement, Feature, Tier};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{json, read_word, to_json, values};

/// What an organization may use: everything, if nothing was ever set.
///
/// # Errors
/// What the database said.
pub fn get(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Entitlement, StoreError> {
    let found = tx.query_optional(
        "SELECT tier, trial_ends_at, extra FROM entitlement WHERE organization_id = ?1",
        values![organization],
        |row| {
            let extra: Vec<String> = json(row, 2)?;
            Ok(Entitlement {
                tier: read_word(row, 0, Tier::from_word)?,
                trial_ends_at: row.get(1)?,
                // A feature that this version does not know opens nothing.
                extra: extra.iter().filter_map(|name| Feature::from_word(name)).collect(),
            })
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Sets what an organization may use.
///
/// # Errors
/// What the database said.
pub fn set(tx: &mut Tx<'_>, organization: OrganizationId, new: &Entitlement, now: Timestamp) -> Result<(), StoreError> {
    let extra: Vec<&str> = new.extra.iter().map(|one| one.as_str()).collect();
    tx.execute(
        "INSERT INTO entitlement (organization_id, tier, trial_ends_at, extra, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (organization_id) DO UPDATE SET tier = excluded.tier, trial_ends_at = excluded.trial_ends_at,
             extra = excluded.extra, changed_at = excluded.changed_at",
        values![organization, new.tier.as_str(), new.trial_ends_at, to_json(&extra)?, now],
    )?;
    Ok(())
}
