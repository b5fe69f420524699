//! O-4: the agenda can be kept.

use balcao_domain::scheduling::QUANTUM_MIN;
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;

use super::Finding;
use crate::observations::Outside;

/// Nobody has two customers at once, no customer has two appointments at one time, and what was confirmed stands.
pub(super) fn is_sound(
    tx: &mut Tx<'_>,
    outside: &Outside,
    now: Timestamp,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let pairs: Vec<(i64, i64)> = tx.query_all(
        "SELECT a.id, b.id FROM appointment a JOIN appointment b ON b.id > a.id
             AND b.organization_id = a.organization_id AND b.professional_id = a.professional_id AND b.seat = a.seat
         WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'
           AND a.occupied_from < b.occupied_to AND b.occupied_from < a.occupied_to",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.extend(pairs.iter().map(|(a, b)| format!("O-4: appointments {a} and {b} overlap")));
    let twice: Vec<(i64, i64)> = tx.query_all(
        "SELECT a.id, b.id FROM appointment a JOIN appointment b ON b.id > a.id AND b.contact_id = a.contact_id
             AND b.starts_at = a.starts_at WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.extend(twice.iter().map(|(a, b)| format!("O-4: appointments {a} and {b} are one customer's, at one time")));
    claims_are_its_own(tx, found)?;
    for id in &outside.confirmed {
        // Staff or the customer may think better of it, and staff of a booking in a time off.
        let sql = "SELECT CASE WHEN moved_to IS NOT NULL OR (marked_by IS NOT NULL AND marked_by <> 'job') THEN 'confirmed' ELSE status END
                   FROM appointment WHERE id = ?1";
        let status: Option<String> = tx.query_optional(sql, &[(*id).into()], |row| row.get(0))?;
        if status.as_deref() != Some("confirmed") {
            found.push(format!("O-4: staff confirmed {id}, and it is {status:?}"));
        }
    }
    let offers: Vec<(i64, i64)> = tx.query_all(
        "SELECT a.id, b.id FROM waitlist_offer a JOIN waitlist_offer b ON b.id > a.id
             AND b.organization_id = a.organization_id AND b.professional_id = a.professional_id AND b.seat = a.seat
         WHERE a.state = 'open' AND b.state = 'open' AND a.held_until > ?1 AND b.held_until > ?1
           AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at",
        &[now.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.extend(offers.iter().map(|(a, b)| format!("O-4: offers {a} and {b} hold the same time for two")));
    Ok(())
}

/// An appointment that is not cancelled has a claim for each quantum of its time; one that is has none.
fn claims_are_its_own(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let wrong: Vec<(i64, String, i64, i64)> = tx.query_all(
        "SELECT id, status, claims, quanta FROM (
             SELECT a.id, a.status, (SELECT count(*) FROM slot_claim s WHERE s.appointment_id = a.id) AS claims,
                 CASE a.status WHEN 'cancelled' THEN 0
                      ELSE (a.occupied_to + ?1 - 1) / ?1 - a.occupied_from / ?1 END AS quanta
             FROM appointment a) WHERE claims <> quanta",
        &[(i64::from(QUANTUM_MIN) * 60_000).into()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    let in_words = |(id, status, claims, quanta): (i64, String, i64, i64)| {
        format!("O-4: appointment {id} is {status} and claims {claims} quanta of time, not {quanta}")
    };
    found.extend(wrong.into_iter().map(in_words));
    Ok(())
}
