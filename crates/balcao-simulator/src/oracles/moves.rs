//! O-19: a booking that is moved with its professional and its service keeps its price and its length, what is offered no longer gets no
//! new booking, and no booking is moved or cancelled twice. It judges the moves of customers, staff and programs.
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

/// Holds each booking against the one in whose place it stands, and the events of each booking against its end.
pub(super) fn keep_what_was_booked(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let unheld: Vec<i64> = tx.query_all(
        "SELECT k.appointment_id FROM simulated_kept k WHERE NOT EXISTS (
             SELECT 1 FROM appointment a JOIN appointment o ON o.organization_id = a.organization_id AND o.moved_to = a.id
             WHERE a.id = k.appointment_id)
         ORDER BY 1",
        &[],
        |row| row.get(0),
    )?;
    found.extend(unheld.iter().map(|id| format!("O-19: apt_{id} was booked although its service was archived")));
    terms_are_kept(tx, found)?;
    each_ends_once(tx, found)
}

/// A plan may pay for either of the two; what it pays for has no price of its own.
fn terms_are_kept(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let others: Vec<(i64, i64, i64, i64)> = tx.query_all(
        "SELECT o.id, a.id, o.price_cents, a.price_cents
         FROM appointment o JOIN appointment a ON a.organization_id = o.organization_id AND a.id = o.moved_to
         WHERE a.professional_id = o.professional_id AND a.service_id IS o.service_id
           AND (o.ends_at - o.starts_at <> a.ends_at - a.starts_at
                OR (o.price_cents <> a.price_cents AND o.plan_id IS NULL AND a.plan_id IS NULL))
         ORDER BY o.id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    for (old, new, before, now) in others {
        found.push(format!(
            "O-19: apt_{new} has another price or length than apt_{old}, whose place it took: {now} and {before} cents"
        ));
    }
    Ok(())
}

/// A booking that was moved has one event that says so, and no booking is moved or cancelled twice. A mark that was undone opens a visit
/// again.
fn each_ends_once(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let odd: Vec<(i64, Option<i64>, i64, i64)> = tx.query_all(
        "WITH ended AS (
             SELECT a.id, a.moved_to,
                 (SELECT count(*) FROM event e WHERE e.organization_id = a.organization_id AND e.subject = 'apt_' || a.id
                      AND e.kind = 'appointment_rescheduled') AS moves,
                 (SELECT count(*) FROM event e WHERE e.organization_id = a.organization_id AND e.subject = 'apt_' || a.id
                      AND e.kind IN ('appointment_cancelled', 'appointment_expired')) AS cancellations
             FROM appointment a
             WHERE NOT EXISTS (SELECT 1 FROM event u WHERE u.organization_id = a.organization_id AND u.subject = 'apt_' || a.id
                      AND u.kind = 'appointment_mark_undone'))
         SELECT id, moved_to, moves, cancellations FROM ended
         WHERE moves + cancellations > 1 OR moves <> (moved_to IS NOT NULL) ORDER BY id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    for (id, to, moves, cancellations) in odd {
        let to = to.map_or_else(|| "no other".to_owned(), |to| format!("apt_{to}"));
        found.push(format!(
            "O-19: apt_{id} was moved {moves} times and cancelled {cancellations} times, and {to} stands in its place"
        ));
    }
    Ok(())
}
