//! O-21: a plan that closes the business for hours or a day shows exactly the bookings that this hits, and nothing is booked into those
//! hours afterwards.
//!
//! A plan is made in the transaction that looked at it, so a trigger writes down every open booking at that moment. Which of them lie
//! outside of the new hours is computed from the hours in the plan, by code of the simulator alone. A second trigger writes down which act
//! on the business was the last one before a booking, because a later plan may open the hours again.

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
    tx.execute(
        "CREATE TABLE simulated_booked (organization_id INTEGER NOT NULL, id INTEGER NOT NULL, starts_at INTEGER NOT NULL,
             ends_at INTEGER NOT NULL, last_act INTEGER NOT NULL)",
        &[],
    )?;
    tx.execute(
        "CREATE TRIGGER simulated_appointment_made AFTER INSERT ON appointment
         BEGIN INSERT INTO simulated_booked SELECT NEW.organization_id, NEW.id, NEW.starts_at, NEW.ends_at,
             (SELECT COALESCE(max(id), 0) FROM audit_log WHERE organization_id = NEW.organization_id); END",
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
        }
        book_into_open_hours(tx, i64::from(tenant.organization), found)?;
    }
    Ok(())
}

/// No booking was made for hours that were closed when it was made.
fn book_into_open_hours(tx: &mut Tx<'_>, organization: i64, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let acts: Vec<(i64, String)> = tx.query_all(
        "SELECT id, after_value FROM audit_log WHERE organization_id = ?1 AND action = 'organization.update'
             AND 'exceptions' IN (SELECT key FROM json_each(before_value) UNION ALL SELECT key FROM json_each(after_value))
         ORDER BY id",
        &[organization.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let hours: Vec<(i64, BTreeMap<String, Value>)> = acts
        .into_iter()
        .map(|(act, after)| {
            let after: Value = serde_json::from_str(&after).unwrap_or_default();
            (act, after.get("exceptions").map(dates).unwrap_or_default())
        })
        .collect();
    let booked: Vec<(i64, Timestamp, Timestamp, i64)> = tx.query_all(
        "SELECT id, starts_at, ends_at, last_act FROM simulated_booked WHERE organization_id = ?1 ORDER BY id",
        &[organization.into()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    for (id, starts, ends, last_act) in booked {
        let span = LocalSpan::local(starts, ends);
        let in_force = hours.iter().rev().find(|(act, _)| *act <= last_act);
        let periods = in_force.and_then(|(_, days)| days.get(&span.date.to_string()));
        if periods.is_some_and(|periods| !span.is_within(texts(periods))) {
            found.push(format!("O-21: apt_{id} was booked into hours that were closed by then"));
        }
    }
    Ok(())
}

/// The hours of single dates in a list of exceptions.
fn dates(exceptions: &Value) -> BTreeMap<String, Value> {
    let days = exceptions.as_array().into_iter().flatten();
    days.filter_map(|day| Some((day["date"].as_str()?.to_owned(), day["periods"].clone()))).collect()
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
        let of = |value: Option<&Value>| value.map(dates).unwrap_or_default();
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
