//! Which bookings lie outside of working time.

use std::collections::BTreeSet;

use balcao_domain::conflict::{ConflictReason, find_conflicts};
use balcao_domain::hours::Hours;
use balcao_domain::professional::Professional;
use balcao_domain::{Appointment, OrganizationId};
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::scheduling::{appointment, hours, kept_appointment};
use balcao_store::{StoreError, Tx, crm::contact};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Conflict, Conflicts};
use crate::context::app_context::{UseCaseError, organization};
use crate::scheduling::appointments::view;

/// Working time, as bookings are held against it.
pub(super) struct WorkingTime {
    zone: TimeZone,
    business: Hours,
    professionals: Vec<Professional>,
}

impl WorkingTime {
    /// Loads the working time from an instant on.
    pub(super) fn load(
        tx: &mut Tx<'_>,
        organization: &Organization,
        zone: &TimeZone,
        since: Timestamp,
    ) -> Result<Self, StoreError> {
        let (from, to) = (zone.to_datetime(since).date(), Date::MAX);
        Ok(Self {
            zone: zone.clone(),
            business: hours::of_business(tx, organization, from, to)?,
            professionals: catalog::list_professionals(tx, organization.id, Around { from, to, since })?,
        })
    }

    /// Why a booking lies outside of working time, the most particular reason first.
    pub(super) fn conflicts_of(&self, one: &Appointment) -> Vec<ConflictReason> {
        let professional = self.professionals.iter().find(|known| known.id == one.professional);
        professional.map_or_else(Vec::new, |known| find_conflicts(&self.zone, &self.business, known, one.span))
    }
}

/// The reason about which staff have to decide: the first in spite of which they do not keep the booking.
pub(super) fn find_undecided(
    reasons: &[ConflictReason],
    kept: Option<&BTreeSet<ConflictReason>>,
) -> Option<ConflictReason> {
    reasons.iter().copied().find(|reason| kept.is_none_or(|kept| !kept.contains(reason)))
}

/// Forgets the bookings to come that staff keep in spite of a reason that a change of the business ended: if it comes back, they decide
/// again.
pub(crate) fn forget_ended(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<(), UseCaseError> {
    let kept = kept_appointment::list_from(tx, id, now)?;
    if kept.is_empty() {
        return Ok(());
    }
    let (organization, zone) = organization(tx, id)?;
    let time = WorkingTime::load(tx, &organization, &zone, now)?;
    for (which, decided) in kept {
        let Some(one) = appointment::find(tx, id, which, organization.currency)? else { continue };
        let last = time.conflicts_of(&one);
        for reason in decided.into_iter().filter(|reason| !last.contains(reason)) {
            kept_appointment::forget(tx, id, which, reason)?;
        }
    }
    Ok(())
}

pub(super) fn list(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    limit: usize,
    now: Timestamp,
) -> Result<Conflicts, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let time = WorkingTime::load(tx, &organization, &zone, now)?;
    let kept = kept_appointment::list_from(tx, id, now)?;
    let names = catalog::professional_names(tx, id)?;
    let upcoming = appointment::starting_between(tx, id, now, Timestamp::MAX, organization.currency)?;
    let (mut items, mut more) = (Vec::new(), 0_usize);
    for one in upcoming.iter().filter(|one| one.is_to_come(now)) {
        let Some(reason) = find_undecided(&time.conflicts_of(one), kept.get(&one.id)) else { continue };
        if items.len() >= limit {
            more = more.saturating_add(1);
            continue;
        }
        let contact_name = contact::find(tx, id, one.contact)?.and_then(|contact| contact.name);
        items.push(Conflict { appointment: view(one, &names, &zone), contact: one.contact, contact_name, reason });
    }
    Ok(Conflicts { items, more })
}
