//! Whether an event of another program or person has the time that an appointment was given.

use std::sync::Arc;

use balcao_domain::calendar_push::{Arrival, find_earlier, has_foreign};
use balcao_domain::outside_event::{EventOwner, OutsideEvent};
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::Tx;
use balcao_store::scheduling::{appointment, calendar_event, calendar_link};

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::calendar_service::{CalendarService, ServiceError};
use crate::scheduling::remote_calendar::push::Pushed;
use crate::scheduling::remote_calendar::wanted::read_wanted_event;

/// The event of another program or person that was there before ours, in any calendar of the professional. `pushed` is what came of the
/// push of ours. As long as the service neither confirmed ours nor lists it, or another event lies there and ours is not listed, the answer
/// is unsure: the error says why.
pub(super) async fn find(
    app: &AppContext,
    id: OrganizationId,
    service: &Arc<dyn CalendarService>,
    (which, arrival): (AppointmentId, Arrival),
    pushed: &Pushed,
) -> Result<Result<Option<OutsideEvent>, ServiceError>, UseCaseError> {
    match pushed {
        // The push comes later, and a reading with it.
        Pushed::Failed(error) => return Ok(Err(error.clone())),
        Pushed::Absent => return Ok(Ok(None)),
        Pushed::Current(_) | Pushed::Unknown(_) | Pushed::Held | Pushed::Conflict(_) => {}
    }
    let look = move |tx: &mut Tx<'_>, _now| {
        let (organization, zone) = organization(tx, id)?;
        let Some(wanted) = read_wanted_event(tx, id, which)? else { return Ok(None) };
        let whose = appointment::find(tx, id, which, organization.currency)?.map(|one| one.professional);
        let links = calendar_link::list(tx, id)?.into_iter().filter(|link| Some(link.professional) == whose);
        let read: Vec<String> = links.map(|link| link.calendar).filter(|one| *one != wanted.calendar).collect();
        Ok(Some((wanted, read, zone)))
    };
    let Some((wanted, read, zone)) = app.look(look).await? else { return Ok(Ok(None)) };
    let mut others = Vec::new();
    for calendar in std::iter::once(&wanted.calendar).chain(&read) {
        match service.overlapping(id, calendar, wanted.span).await {
            Ok(some) => others.extend(some),
            Err(error) => return Ok(Err(error)),
        }
    }
    if others.iter().any(|event| event.mark.as_ref().is_some_and(|mark| mark.owner.installation.is_empty())) {
        let owner = wanted.mark.owner.clone();
        others = app.look(move |tx, _now| sign_known(tx, id, others, &owner)).await?;
    }
    let unsure = |reason: &str| Ok(Err(ServiceError::Unknown { reason: reason.to_owned() }));
    let is_ours =
        |event: &&OutsideEvent| event.calendar == wanted.calendar && event.mark.as_ref() == Some(&wanted.mark);
    if let Some(ours) = others.iter().find(is_ours) {
        return Ok(Ok(find_earlier((ours, arrival), &others, wanted.span, &zone, &wanted.mark.owner).cloned()));
    }
    if has_foreign(&others, wanted.span, &zone, &wanted.mark.owner) {
        return unsure("another event is there, and ours is not listed yet");
    }
    match pushed {
        // The service said so when it wrote the event, or staff decide about it.
        Pushed::Current(_) | Pushed::Conflict(_) => Ok(Ok(None)),
        Pushed::Unknown(_) | Pushed::Held | Pushed::Failed(_) | Pushed::Absent => {
            unsure("the event was not confirmed, and is not listed")
        }
    }
}

/// Takes the events of earlier builds for ours whose ids we know.
fn sign_known(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    events: Vec<OutsideEvent>,
    owner: &EventOwner,
) -> Result<Vec<OutsideEvent>, UseCaseError> {
    let mut signed = Vec::with_capacity(events.len());
    for event in events {
        let is_known = calendar_event::find_by_event(tx, id, &event.id)?.is_some();
        signed.push(if is_known { event.signed_by(owner) } else { event });
    }
    Ok(signed)
}
