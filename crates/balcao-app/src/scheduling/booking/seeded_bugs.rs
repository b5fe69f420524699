//! How holds must not expire: a bug that the simulator must find (`balcao_seeded_bugs`).

use balcao_domain::OrganizationId;
use balcao_domain::appointment::visit::MarkAuthor;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::scheduling::slot_claim::{self, SlotRequest};
use balcao_store::{Tx, scheduling::appointment};

use super::change::free;
use crate::context::app_context::{AppContext, UseCaseError, organization};

/// Whether a hold and its time are given up in two transactions.
pub(super) fn expires_in_parts() -> bool {
    is_on(Bug::HoldExpiredInParts)
}

/// The appointment in one transaction, its time in the next.
pub(super) async fn expire_in_parts(app: &AppContext, id: OrganizationId) -> Result<usize, UseCaseError> {
    let now = app.clock.now();
    let cancel = move |tx: &mut Tx<'_>| {
        let (organization, _) = organization(tx, id)?;
        let mut expired = Vec::new();
        for hold in appointment::expired(tx, id, now)? {
            let Some(one) = appointment::find(tx, id, hold, organization.currency)? else { continue };
            appointment::cancel(tx, id, hold, &MarkAuthor::Job, now)?;
            let (professional, capacity, occupied) = (one.professional, one.seat, one.occupied);
            slot_claim::claim_slot(tx, id, &SlotRequest { appointment: hold, professional, capacity, occupied, now })?;
            expired.push(one);
        }
        Ok::<_, UseCaseError>(expired)
    };
    let expired = app.store.write(cancel).await?;
    let many = expired.len();
    let give_back = move |tx: &mut Tx<'_>| {
        let (organization, zone) = organization(tx, id)?;
        expired.iter().try_for_each(|one| free(tx, &organization, &zone, one, &MarkAuthor::Job, now))
    };
    if many > 0 {
        app.store.write(give_back).await?;
    }
    Ok(many)
}
