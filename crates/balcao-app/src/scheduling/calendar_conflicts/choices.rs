//! What staff may choose about a conflict, and the change of the booking that a choice means.

use balcao_domain::OrganizationId;
use balcao_domain::hours::parse_minute;
use balcao_domain::outside_event::ConflictKind;
use balcao_store::Tx;
use balcao_store::scheduling::calendar_conflict::FoundConflict;
use balcao_store::scheduling::calendar_link::{self, LinkAccess};
use balcao_store::scheduling::{appointment, catalog};
use jiff::Timestamp;
use jiff::civil::DateTime;

use super::{CalendarConflict, ConflictChoice, ConflictRefusal};
use crate::context::app_context::{UseCaseError, organization, undo};
use crate::scheduling::availability::Slot;
use crate::scheduling::ways_out::{self, Way};

/// The change of a booking that a choice means; `None` if it stays as it is.
pub(super) fn way_of(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    found: &FoundConflict,
    choice: &ConflictChoice,
) -> Result<Option<Way>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let to = |start: Timestamp| way_to(zone.to_datetime(start));
    Ok(match (choice, found.kind) {
        (ConflictChoice::Move { date, start_min, professional }, _) => {
            Some(Way::Move { date: *date, start_min: *start_min, professional: professional.clone() })
        }
        (ConflictChoice::Cancel, _) | (ConflictChoice::TakeOutside, ConflictKind::Deleted) => Some(Way::Cancel),
        (ConflictChoice::TakeOutside, ConflictKind::RefusedMove | ConflictKind::MovedAndResized) => {
            found.span.map(|span| to(span.start))
        }
        (ConflictChoice::TakeOutside, ConflictKind::OtherCalendar) => follow_event(tx, id, found)?,
        (ConflictChoice::Restore, _) => match found.moved_from {
            Some(known) => appointment::find(tx, id, known, organization.currency)?.map(|known| to(known.span.start)),
            None => None,
        },
        (ConflictChoice::TakeOutside, _) => None,
    })
}

/// The move of a booking to where its event went: the time of the event, and the professional whose visits are written into that calendar.
/// `None` if both are those of the booking.
fn follow_event(tx: &mut Tx<'_>, id: OrganizationId, found: &FoundConflict) -> Result<Option<Way>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let booking = appointment::find(tx, id, found.appointment, organization.currency)?;
    let (Some(booking), Some(span)) = (booking, found.span) else { return Ok(None) };
    let links = calendar_link::list(tx, id)?.into_iter();
    let writer = links.filter(|link| link.access == LinkAccess::Write).find(|link| link.calendar == found.calendar);
    let other = writer.map(|link| link.professional).filter(|professional| *professional != booking.professional);
    if other.is_none() && span.start == booking.span.start {
        return Ok(None);
    }
    let names = catalog::professional_names(tx, id)?;
    let name = other.and_then(|professional| names.get(&professional).cloned());
    let Way::Move { date, start_min, .. } = way_to(zone.to_datetime(span.start)) else { return Ok(None) };
    Ok(Some(Way::Move { date, start_min, professional: name }))
}

/// The move to a local time, with the same professional.
fn way_to(local: DateTime) -> Way {
    let minute = i32::from(local.hour()) * 60 + i32::from(local.minute());
    Way::Move { date: local.date(), start_min: u16::try_from(minute).unwrap_or_default(), professional: None }
}

/// What staff might choose: to take what was done, to put ours back, to move the customer to a near free time, or to cancel.
pub(super) fn list_choices(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    conflict: &CalendarConflict,
    now: Timestamp,
) -> Result<Vec<ConflictChoice>, UseCaseError> {
    let booking = &conflict.appointment;
    let move_to = |slot: Slot| {
        let professional = (slot.professional != booking.professional).then_some(slot.professional);
        let start_min = parse_minute(&slot.start).ok()?;
        Some(ConflictChoice::Move { date: slot.date, start_min, professional })
    };
    let near = undo(tx, |tx| Ok(Ok::<_, ConflictRefusal>(ways_out::list_near_times(tx, id, booking.id, now)?)))?;
    let mut choices = vec![ConflictChoice::TakeOutside];
    choices.extend(conflict.kind.is_about_ours().then_some(ConflictChoice::Restore));
    choices.extend(near.unwrap_or_default().into_iter().filter_map(move_to));
    choices.push(ConflictChoice::Cancel);
    Ok(choices)
}
