//! Claims on a professional's time: the first wall against double booking (I-11).
//!
//! Invariant: every appointment that is not cancelled has one row per quantum of five minutes of its occupied span, on one
//! seat, under the primary key (organization, professional, seat, quantum). Two appointments that overlap would need the
//! same row, on any database and at any isolation level. [`claim_slot`] is the only code that inserts these rows, and every path
//! to an active appointment goes through it; a test searches the sources for another.

use balcao_domain::scheduling::QUANTUM_MIN;
use balcao_domain::{AppointmentId, OrganizationId, ProfessionalId, Span};
use balcao_seeded_bugs::{Bug, is_on};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Time wanted for an appointment.
#[derive(Debug, Clone, Copy)]
pub struct SlotRequest {
    /// For which appointment.
    pub appointment: AppointmentId,
    /// The professional whose time is claimed.
    pub professional: ProfessionalId,
    /// How many seats they have; they are tried in order.
    pub capacity: u32,
    /// When, buffers included.
    pub occupied: Span,
    /// Now: pending appointments that expired before do not block the slot.
    pub now: Timestamp,
}

/// Claims the first seat that is free for all of the span, writes it into the appointment and gives it; `None` if there is
/// none, and then nothing is changed. Holds that expired are still in the way: `appointment` cancels them first.
///
/// # Errors
/// What the database said.
pub fn claim_slot(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    wanted: &SlotRequest,
) -> Result<Option<u32>, StoreError> {
    let (first, end) = quanta(wanted.occupied);
    for seat in 1..=wanted.capacity {
        let claimed = tx.execute(
            "INSERT INTO slot_claim (organization_id, professional_id, seat, quantum, appointment_id)
             WITH RECURSIVE wanted (quantum) AS (
                 SELECT CAST(?4 AS BIGINT) UNION ALL SELECT quantum + 1 FROM wanted WHERE quantum + 1 < ?5
             )
             SELECT ?1, ?2, ?3, quantum, ?6 FROM wanted WHERE true
             ON CONFLICT DO NOTHING",
            values![organization, wanted.professional, seat, first, end, wanted.appointment],
        )?;
        if i64::try_from(claimed) == Ok(end - first) || is_on(Bug::SlotNotGuarded) {
            tx.execute(
                "UPDATE appointment SET seat = ?3 WHERE organization_id = ?1 AND id = ?2",
                values![organization, wanted.appointment, seat],
            )?;
            return Ok(Some(seat));
        }
        release(tx, organization, wanted.appointment)?;
    }
    Ok(None)
}

/// Gives an appointment's time back.
///
/// # Errors
/// What the database said.
pub fn release(tx: &mut Tx<'_>, organization: OrganizationId, appointment: AppointmentId) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM slot_claim WHERE organization_id = ?1 AND appointment_id = ?2",
        values![organization, appointment],
    )
}

/// The first quantum of a span and the first after it. A span that is not on quanta claims those it touches.
fn quanta(span: Span) -> (i64, i64) {
    let quantum_ms = i64::from(QUANTUM_MIN) * 60_000;
    let end = span.end.as_millisecond();
    (span.start.as_millisecond().div_euclid(quantum_ms), (end + quantum_ms - 1).div_euclid(quantum_ms))
}
