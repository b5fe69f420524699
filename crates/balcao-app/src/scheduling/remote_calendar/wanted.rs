//! What our tables want of the event of an appointment.

use balcao_agent::notice::notices;
use balcao_domain::calendar_push::WantedEvent;
use balcao_domain::outside_event::{EventMark, EventOwner};
use balcao_domain::scheduling::EventTitle;
use balcao_domain::{Appointment, AppointmentId, OrganizationId};
use balcao_store::ops::installation;
use balcao_store::scheduling::{appointment, calendar_link};
use balcao_store::{Tx, crm::contact};
use balcao_tool::Locale;
use jiff::tz::TimeZone;

use crate::context::app_context::{UseCaseError, organization};

/// Characters of a name in a title.
const MAX_NAME: usize = 100;

/// What is wanted of the event of an appointment.
pub(super) struct Wanted {
    pub(super) event: Option<WantedEvent>,
    pub(super) title: String,
    pub(super) zone: TimeZone,
    /// Whose events this program writes for the business.
    pub(super) owner: EventOwner,
}

/// Whose events this program writes for a business.
pub(crate) fn find_owner(tx: &mut Tx<'_>, id: OrganizationId) -> Result<EventOwner, UseCaseError> {
    Ok(EventOwner { installation: installation::find_id(tx)?, organization: id.into() })
}

/// What is wanted of the event of an appointment: no event if it is cancelled, or its professional has no calendar to write into.
pub(super) fn read_wanted(tx: &mut Tx<'_>, id: OrganizationId, which: AppointmentId) -> Result<Wanted, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let owner = find_owner(tx, id)?;
    let words = notices(Locale::closest_to_tag(&organization.locale));
    let found = appointment::find(tx, id, which, organization.currency)?;
    let Some(one) = found.filter(|one| one.status.holds_slot()) else {
        return Ok(Wanted { event: None, title: String::new(), zone, owner });
    };
    let calendar = calendar_link::find_write_calendar(tx, id, one.professional)?;
    let mark = EventMark { owner: owner.clone(), appointment: one.id.into() };
    let event = calendar.map(|calendar| WantedEvent { calendar, span: one.span, mark });
    let service = if one.service_name.is_empty() { words.change_visit.clone() } else { one.service_name.clone() };
    let name = match organization.scheduling.calendar_event_title {
        EventTitle::Service => None,
        EventTitle::ServiceAndName => name_of(tx, id, &one)?,
    };
    let title = name.map_or_else(|| service.clone(), |name| format!("{service}: {name}"));
    Ok(Wanted { event, title, zone, owner })
}

/// The name of the person who comes, in one line, if it is known.
fn name_of(tx: &mut Tx<'_>, id: OrganizationId, one: &Appointment) -> Result<Option<String>, UseCaseError> {
    let name = match &one.attendee {
        Some(attendee) => Some(attendee.clone()),
        None => contact::find(tx, id, one.contact)?.and_then(|contact| contact.name),
    };
    let line = |name: String| name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME).collect();
    Ok(name.map(line).filter(|line: &String| !line.is_empty()))
}

/// The event that an appointment is to have.
pub(crate) fn read_wanted_event(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
) -> Result<Option<WantedEvent>, UseCaseError> {
    Ok(read_wanted(tx, id, which)?.event)
}
