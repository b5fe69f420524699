//! O-21: a plan that closes the business for hours or a day shows exactly the bookings that this hits, and nothing is booked into those
//! hours afterwards.
//!
//! A plan is made in the transaction that looked at it, so a trigger writes down every open booking at that moment. Which of them lie
//! outside of the new hours is computed from the hours in the plan, by code of the simulator alone.

use std::collections::{BTreeMap, BTreeSet};

use balcao_app::admin::business::{BusinessPlan, Hit, Section};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde_json::Value;

use super::Finding;
use crate::businesses::Tenant;
use crate::observations::Outside;
use crate::opening_hours::{LocalSpan, texts};

/// Lets the database write down the open bookings of a business when one of its plans is made.
pub(crate) fn record(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute(
        "CREATE TABLE simulated_open (organization_id INTEGER NOT NULL, plan TEXT NOT NULL, id INTEGER NOT NULL,
             starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL)",
        &[],
    )?;
    tx.execute(
        "CREATE TRIGGER simulated_plan_made AFTER INSERT ON audit_log WHEN NEW.action = 'business.apply'
         BEGIN INSERT INTO simulated_open SELECT NEW.organization_id, NEW.subject, id, starts_at, ends_at FROM appointment
             WHERE organization_id = NEW.organization_id AND status IN ('pending', 'confirmed') AND starts_at >= NEW.at; END",
        &[],
    )?;
    Ok(())
}

/// The list of bookings outside of working time, and every plan of the business's own hours that was acknowledged.
pub(super) fn show_what_they_hit(
    tx: &mut Tx<'_>,
    tenants: &[Tenant],
    outside: &Outside,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    found.extend(outside.conflicts.iter().map(|what| format!("O-21: {what}")));
    for tenant in tenants {
        for one in outside.plans.iter().filter(|one| one.organization == tenant.organization) {
            let Some(hours) = NewHours::read(&one.plan) else { continue };
            let organization = i64::from(tenant.organization);
            let open = bookings(
                tx,
                "SELECT id, starts_at, ends_at FROM simulated_open WHERE organization_id = ?1 AND plan = ?2",
                &[organization.into(), one.plan.hash.as_str().into()],
            )?;
            let expected: BTreeSet<String> =
                open.into_iter().filter(|(_, span)| hours.hit(*span)).map(|(id, _)| id).collect();
            if expected != hours.hits {
                let shown = &hours.hits;
                found.push(format!("O-21: a plan of org_{organization} hits {expected:?}, and showed {shown:?}"));
            }
            let standing = bookings(
                tx,
                "SELECT id, starts_at, ends_at FROM appointment WHERE organization_id = ?1
                     AND status IN ('pending', 'confirmed') ORDER BY id",
                &[organization.into()],
            )?;
            for (id, _) in standing.into_iter().filter(|(id, span)| hours.hit(*span) && !hours.hits.contains(id)) {
                found.push(format!("O-21: {id} was booked into hours that were closed by then"));
            }
        }
    }
    Ok(())
}

fn bookings(
    tx: &mut Tx<'_>,
    sql: &str,
    values: &[balcao_store::Value<'_>],
) -> Result<Vec<(String, LocalSpan)>, StoreError> {
    let rows: Vec<(i64, Timestamp, Timestamp)> =
        tx.query_all(sql, values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.into_iter().map(|(id, starts, ends)| (format!("apt_{id}"), LocalSpan::local(starts, ends))).collect())
}

/// The hours of single dates before and after a plan, and the bookings that it showed.
struct NewHours {
    before: BTreeMap<String, Value>,
    after: BTreeMap<String, Value>,
    hits: BTreeSet<String>,
}

impl NewHours {
    fn read(plan: &BusinessPlan) -> Option<Self> {
        let change = plan.changes.iter().find(|change| change.section == Section::Organization)?;
        let field = change.fields.iter().find(|field| field.field == "exceptions");
        let of = |value: Option<&Value>| {
            let days = value.and_then(Value::as_array).into_iter().flatten();
            let named = days.filter_map(|day| Some((day["date"].as_str()?.to_owned(), day["periods"].clone())));
            named.collect::<BTreeMap<_, _>>()
        };
        let (before, after) = (of(field.map(|field| &field.before)), of(field.map(|field| &field.after)));
        Some(Self { before, after, hits: change.hits.iter().map(Hit::id).map(str::to_owned).collect() })
    }

    /// Whether the business was open for all of a booking, and is not any more.
    fn hit(&self, span: LocalSpan) -> bool {
        let is_within = |days: &BTreeMap<String, Value>| match days.get(&span.date.to_string()) {
            Some(periods) => span.is_within(texts(periods)),
            None => span.is_within_week(),
        };
        is_within(&self.before) && !is_within(&self.after)
    }
}
