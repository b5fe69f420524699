//! A person moved the event of an appointment in an external calendar: the appointment follows, by the rules of booking.

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::{AppointmentId, OrganizationId, Span};
use balcao_store::Tx;
use balcao_store::scheduling::{appointment, calendar_claim};
use jiff::Timestamp;

use super::RescheduleRequest;
use super::change::{self, Changer};
use crate::context::app_context::{UseCaseError, organization};

/// Who is recorded as having moved it.
const PERSON_OUTSIDE: &str = "calendar";

/// Moves an appointment to where a person put its event; `None` if the rules refuse it, and then nothing is changed.
pub(crate) fn take_over(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    to: Span,
    now: Timestamp,
) -> Result<Option<AppointmentId>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let Some(found) = appointment::find(tx, id, which, organization.currency)? else { return Ok(None) };
    // The customer is about to get another answer: staff decide.
    if calendar_claim::holds(tx, id, which)? {
        return Ok(None);
    }
    let local = zone.to_datetime(to.start);
    if local.second() != 0 || local.subsec_nanosecond() != 0 {
        return Ok(None);
    }
    let minute = i32::from(local.hour()) * 60 + i32::from(local.minute());
    let request = RescheduleRequest {
        appointment: Some(which),
        date: local.date(),
        start_min: u16::try_from(minute).unwrap_or_default(),
        professional: None,
        service: None,
        source: PERSON_OUTSIDE.to_owned(),
        price_agreed: true,
    };
    let by = MarkAuthor::Program(PERSON_OUTSIDE.to_owned());
    let changer = Changer { by: &by, for_customer: false };
    let moved = tx.savepoint(|tx| {
        let moved = change::reschedule(tx, id, found.contact, &request, changer, now)?;
        let Ok(moved) = moved else { return Ok::<_, UseCaseError>(Err(())) };
        Ok(Ok(moved.new.appointment.id))
    })?;
    Ok(moved.ok())
}
