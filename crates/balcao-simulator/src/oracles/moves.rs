//! O-19: what is offered no longer gets no new booking. A booking of it that is moved keeps its price and its length, and no booking is moved
//! or cancelled twice.
//!
//! At the end of a run a service may be offered again, so a trigger writes down each booking of an archived one.

use balcao_store::{StoreError, Tx};

use super::Finding;

/// Lets the database write down each booking of a service that is archived at that moment.
pub(crate) fn record(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute("CREATE TABLE simulated_kept (appointment_id INTEGER NOT NULL)", &[])?;
    tx.execute(
        "CREATE TRIGGER simulated_kept_service AFTER INSERT ON appointment
         WHEN EXISTS (SELECT 1 FROM service s WHERE s.organization_id = NEW.organization_id AND s.id = NEW.service_id AND s.active = 0)
         BEGIN INSERT INTO simulated_kept VALUES (NEW.id); END",
        &[],
    )?;
    Ok(())
}

/// Compares each booking of an archived service with the one in whose place it stands, of which a plan may pay one, and counts the acts on each booking.
pub(super) fn keep_what_was_booked(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let kept: Vec<(i64, Option<i64>, bool)> = tx.query_all(
        "SELECT a.id, o.id, COALESCE((o.price_cents = a.price_cents OR a.plan_id IS NOT NULL OR o.plan_id IS NOT NULL)
                AND o.ends_at - o.starts_at = a.ends_at - a.starts_at, 0)
         FROM simulated_kept k JOIN appointment a ON a.id = k.appointment_id
         LEFT JOIN appointment o ON o.organization_id = a.organization_id AND o.moved_to = a.id ORDER BY a.id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    for (id, old, is_same) in kept {
        match old {
            None => found.push(format!("O-19: apt_{id} was booked although its service was archived")),
            Some(old) if !is_same => found.push(format!("O-19: apt_{id} has another price or length than apt_{old}")),
            Some(_) => {}
        }
    }
    let twice: Vec<(String, i64)> = tx.query_all(
        "SELECT l.subject, count(*) FROM audit_log l JOIN appointment a ON l.organization_id = a.organization_id
             AND l.subject = 'apt_' || a.id
         WHERE l.action IN ('appointment.cancel', 'appointment.reschedule')
           AND NOT EXISTS (SELECT 1 FROM audit_log u WHERE u.organization_id = l.organization_id AND u.subject = l.subject
                           AND u.action = 'appointment.undo_mark')
         GROUP BY l.organization_id, l.subject HAVING count(*) > 1 ORDER BY 1",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.extend(twice.iter().map(|(id, times)| format!("O-19: {id} was moved or cancelled {times} times")));
    Ok(())
}
