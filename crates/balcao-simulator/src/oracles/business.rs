//! O-18: a plan is applied as it was shown, once, or refused.
//!
//! The rows of the audit log are in the order of their commits. The prices that they name therefore form a chain that ends at the stored
//! price, and every booking has a price of the chain.

use std::collections::BTreeSet;

use balcao_store::{StoreError, Tx};
use serde_json::Value;

use super::Finding;
use crate::businesses::Tenant;
use crate::observations::{NEW_PROFESSIONAL, Outside, TIME_OFF};

/// The service whose price owners change, and its price before.
const SERVICE: (&str, &str) = ("Corte na máquina", "50.00");

pub(super) fn plans_are_kept(
    tx: &mut Tx<'_>,
    tenants: &[Tenant],
    outside: &Outside,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    for tenant in tenants {
        let organization = i64::from(tenant.organization);
        prices_form_a_chain(tx, organization, found)?;
        service_stands_as_last_edited(tx, organization, found)?;
        who_left_has_no_bookings(tx, organization, found)?;
        outdated_plans_are_refused(tx, tenant, outside, found)?;
        let made: Vec<String> = tx.query_all(
            "SELECT subject FROM audit_log WHERE organization_id = ?1 AND action = 'business.apply' ORDER BY subject",
            &[organization.into()],
            |row| row.get(0),
        )?;
        if made.iter().collect::<BTreeSet<_>>().len() != made.len() {
            found.push(format!("O-18: org_{organization} has a plan that was made twice: {made:?}"));
        }
        for one in outside.plans.iter().filter(|one| one.organization == tenant.organization) {
            if !made.contains(&one.plan.hash) {
                found.push(format!("O-18: the plan {} was acknowledged and not made", one.plan.hash));
            }
            if let Some(hits) = one.hits_of_time_off() {
                bookings_in_time_off_were_shown(tx, organization, &hits, found)?;
            }
        }
    }
    Ok(())
}

/// An owner who applies a plan although the business has changed since changes nothing: no act has the address of that plan.
fn outdated_plans_are_refused(
    tx: &mut Tx<'_>,
    tenant: &Tenant,
    outside: &Outside,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    for (_, address) in outside.outdated.iter().filter(|(of, _)| *of == tenant.organization) {
        let acts: i64 = tx.query_one(
            "SELECT count(*) FROM audit_log WHERE organization_id = ?1 AND action = 'organization.update'
                 AND json_extract(after_value, '$.address') = ?2",
            &[i64::from(tenant.organization).into(), address.as_str().into()],
            |row| row.get(0),
        )?;
        if acts > 0 {
            found.push(format!("O-18: {} applied a plan to `{address}` whose base had moved", tenant.account));
        }
    }
    Ok(())
}

fn prices_form_a_chain(tx: &mut Tx<'_>, organization: i64, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let (service, first) = SERVICE;
    let acts: Vec<(String, String)> = tx.query_all(
        "SELECT before_value, after_value FROM audit_log
         WHERE organization_id = ?1 AND action IN ('services.update', 'services.archive') AND subject = ?2 ORDER BY id",
        &[organization.into(), service.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let price = |text: &str| {
        let fields: Option<Value> = serde_json::from_str(text).ok();
        fields.and_then(|fields| Some(fields.get("price")?.as_str()?.to_owned())).unwrap_or_default()
    };
    let mut chain = vec![first.to_owned()];
    // Other fields change, too.
    for (before, after) in acts.into_iter().filter(|(_, after)| !price(after).is_empty()) {
        if chain.last() != Some(&price(&before)) {
            found.push(format!("O-18: org_{organization}: a price of {} follows {chain:?}", price(&before)));
        }
        chain.push(price(&after));
    }
    let cents: BTreeSet<i64> = chain.iter().filter_map(|price| price.replace('.', "").parse().ok()).collect();
    let stored: i64 = tx.query_one(
        "SELECT price_cents FROM service WHERE organization_id = ?1 AND name = ?2",
        &[organization.into(), service.into()],
        |row| row.get(0),
    )?;
    if chain.last().and_then(|price| price.replace('.', "").parse().ok()) != Some(stored) {
        found.push(format!("O-18: org_{organization}: the prices {chain:?} end at {stored} cents"));
    }
    let booked: Vec<(i64, i64)> = tx.query_all(
        "SELECT id, price_cents FROM appointment WHERE organization_id = ?1 AND service_name = ?2 AND plan_id IS NULL ORDER BY id",
        &[organization.into(), service.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    for (id, price) in booked.into_iter().filter(|(_, price)| !cents.contains(price)) {
        found.push(format!("O-18: apt_{id} costs {price} cents; expected one of {chain:?}"));
    }
    Ok(())
}

/// The service is offered, or is not, as the last act on it says.
fn service_stands_as_last_edited(
    tx: &mut Tx<'_>,
    organization: i64,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let acts: Vec<(String, String)> = tx.query_all(
        "SELECT before_value, after_value FROM audit_log
         WHERE organization_id = ?1 AND action IN ('services.archive', 'services.update') AND subject = ?2 ORDER BY id",
        &[organization.into(), SERVICE.0.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let is_archived = |text: &str| {
        let fields: Value = serde_json::from_str(text).unwrap_or_default();
        fields.get("active") == Some(&Value::Bool(false))
    };
    let mut expected = true;
    for (before, after) in acts {
        let (was, is) = (is_archived(&before), is_archived(&after));
        if (was && expected) || (is && !expected) {
            found.push(format!(
                "O-18: org_{organization}: an act finds the service active: {expected}, from {before} to {after}"
            ));
        }
        expected = if was != is { was } else { expected };
    }
    let stored: bool = tx.query_one(
        "SELECT active FROM service WHERE organization_id = ?1 AND name = ?2",
        &[organization.into(), SERVICE.0.into()],
        |row| row.get(0),
    )?;
    if stored != expected {
        found.push(format!(
            "O-18: org_{organization}: the acts leave the service active: {expected}, and it is {stored}"
        ));
    }
    Ok(())
}

/// A professional leaves only without bookings to come, and gets none afterwards.
fn who_left_has_no_bookings(tx: &mut Tx<'_>, organization: i64, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let standing: Vec<i64> = tx.query_all(
        "SELECT a.id FROM appointment a JOIN professional p ON p.organization_id = a.organization_id AND p.id = a.professional_id
         WHERE a.organization_id = ?1 AND p.name = ?2 AND p.active = 0 AND a.status IN ('pending', 'confirmed') ORDER BY a.id",
        &[organization.into(), NEW_PROFESSIONAL.into()],
        |row| row.get(0),
    )?;
    found.extend(standing.iter().map(|id| format!("O-18: apt_{id} stands with {NEW_PROFESSIONAL}, who left")));
    Ok(())
}

/// After a time off was applied, no customer books into it: the plan showed every booking that stands there.
fn bookings_in_time_off_were_shown(
    tx: &mut Tx<'_>,
    organization: i64,
    hits: &[String],
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let standing: Vec<i64> = tx.query_all(
        "SELECT a.id FROM appointment a
         JOIN time_off t ON t.organization_id = a.organization_id AND t.professional_id = a.professional_id
         WHERE a.organization_id = ?1 AND a.status IN ('pending', 'confirmed') AND a.starts_at < t.ends_at AND t.starts_at < a.ends_at
         ORDER BY a.id",
        &[organization.into()],
        |row| row.get(0),
    )?;
    for id in standing.into_iter().map(|id| format!("apt_{id}")).filter(|id| !hits.contains(id)) {
        found.push(format!("O-18: {id} stands in the time off {TIME_OFF:?}, whose plan showed {hits:?}"));
    }
    Ok(())
}
