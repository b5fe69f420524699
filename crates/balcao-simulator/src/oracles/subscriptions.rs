//! O-17: a payment counts once, and no quota is exceeded.
//!
//! Each payment moves the due date by a month. The rows of payments therefore form a chain from the start to the due date.

use balcao_store::{StoreError, Tx};

use super::Finding;

/// Every subscription that began in the run: its payments lead from its start to its due date, and each is in the audit log once. Every
/// plan: no contact has more appointments on it in a month than its quota.
pub(super) fn are_sound(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let started: Vec<(i64, String, String, i64, i64)> = tx.query_all(
        "SELECT s.id, s.started_on, s.due_on,
             (SELECT count(*) FROM subscription_payment p WHERE p.subscriber_id = s.id),
             (SELECT count(*) FROM audit_log a WHERE a.organization_id = s.organization_id AND a.action = 'subscription.pay'
                AND a.subject = 'sub_' || s.id)
         FROM subscriber s WHERE s.started_on IS NOT NULL ORDER BY s.id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    )?;
    for (id, started, due, payments, acts) in started {
        let mut chain = started;
        let mut steps = 0;
        while let Some(next) = next_due(tx, id, &chain)? {
            chain = next;
            steps += 1;
        }
        if chain != due || steps != payments || acts != payments {
            found.push(format!(
                "O-17: sub_{id} is due on {due}; {payments} payments and {acts} acts lead to {chain} in {steps} steps"
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
        "SELECT due_to FROM subscription_payment WHERE subscriber_id = ?1 AND due_from = ?2 ORDER BY reference LIMIT 1",
        &[id.into(), from.into()],
        |row| row.get(0),
    )
}
