//! O-17: a payment counts once, and no quota is exceeded.
//!
//! Each payment moves the due date by a month, and so does a renewal; a payment that is taken back moves it no longer. The rows of payments
//! that stand and the acts of renewals therefore form a chain from the start to the due date. Two people who renew or end a subscription or
//! take a payment back at once do so once.

use std::collections::BTreeMap;

use balcao_store::{StoreError, Tx};
use serde_json::Value;

use super::Finding;

/// Every subscription that began in the run: its payments lead from its start to its due date, and each is in the audit log once. Every
/// plan: no contact has more appointments on it in a month than its quota.
pub(super) fn are_sound(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let started: Vec<(i64, String, String, i64, i64)> = tx.query_all(
        "SELECT s.id, s.started_on, s.due_on,
             (SELECT count(*) FROM subscription_payment p WHERE p.subscriber_id = s.id AND p.taken_back_at IS NULL),
             (SELECT COALESCE(sum(CASE a.action WHEN 'subscription.pay' THEN 1 ELSE -1 END), 0) FROM audit_log a
                WHERE a.organization_id = s.organization_id AND a.subject = 'sub_' || s.id
                  AND a.action IN ('subscription.pay', 'subscription.take_back_payment'))
         FROM subscriber s WHERE s.started_on IS NOT NULL ORDER BY s.id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    )?;
    for (id, started, due, payments, acts) in started {
        let mut chain = started;
        let mut steps = 0;
        let mut renewals = renewals(tx, id)?;
        loop {
            if let Some(next) = next_due(tx, id, &chain)? {
                chain = next;
                steps += 1;
            } else if let Some(next) = renewals.remove(&chain) {
                chain = next;
            } else {
                break;
            }
        }
        let left: Vec<String> = renewals.into_values().collect();
        if !left.is_empty() {
            found.push(format!("O-17: sub_{id} was renewed to {left:?}, to which no payment leads"));
        }
        for (action, times) in shared_acts(tx, id)?.into_iter().filter(|(_, times)| *times > 1) {
            found.push(format!("O-17: sub_{id} has {times} acts {action}, and everybody wanted the same one"));
        }
        if chain != due || steps != payments || acts != payments {
            found.push(format!(
                "O-17: sub_{id} is due on {due}; {payments} payments that stand and {acts} acts lead to {chain} in {steps} steps"
            ));
        }
    }
    let exceeded: Vec<(i64, i64, i64)> = tx.query_all(
        "SELECT a.contact_id, a.plan_id, count(*) FROM appointment a JOIN plan p ON p.id = a.plan_id
         WHERE a.status NOT IN ('cancelled', 'pending') AND p.quota IS NOT NULL AND p.period = 'month'
         GROUP BY a.contact_id, a.plan_id, p.quota, substr(strftime('%Y-%m', a.starts_at / 1000 - 10800, 'unixepoch'), 1, 7)
         HAVING count(*) > p.quota",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    for (contact, plan, count) in exceeded {
        found.push(format!("O-17: con_{contact} has {count} appointments on pln_{plan} in one month"));
    }
    Ok(())
}

fn next_due(tx: &mut Tx<'_>, id: i64, from: &str) -> Result<Option<String>, StoreError> {
    tx.query_optional(
        "SELECT due_to FROM subscription_payment WHERE subscriber_id = ?1 AND due_from = ?2 AND taken_back_at IS NULL ORDER BY reference LIMIT 1",
        &[id.into(), from.into()],
        |row| row.get(0),
    )
}

/// The due dates before and after each renewal in the audit log.
fn renewals(tx: &mut Tx<'_>, id: i64) -> Result<BTreeMap<String, String>, StoreError> {
    let rows: Vec<(String, String)> = tx.query_all(
        "SELECT before_value, after_value FROM audit_log WHERE action = 'subscription.renew' AND subject = 'sub_' || ?1",
        &[id.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let due = |text: &str| {
        let values: Option<Value> = serde_json::from_str(text).ok();
        values.and_then(|values| Some(values.get("due")?.as_str()?.to_owned())).unwrap_or_default()
    };
    Ok(rows.iter().map(|(before, after)| (due(before), due(after))).collect())
}

/// How often each act stands in the audit log that two people did at once.
fn shared_acts(tx: &mut Tx<'_>, id: i64) -> Result<Vec<(String, i64)>, StoreError> {
    tx.query_all(
        "SELECT action, count(*) FROM audit_log WHERE subject = 'sub_' || ?1
             AND action IN ('subscription.renew', 'subscription.end', 'subscription.pause', 'subscription.resume')
         GROUP BY action ORDER BY action",
        &[id.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
