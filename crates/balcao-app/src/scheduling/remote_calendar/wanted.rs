//! What our tables want of the event of an appointment.

use balcao_agent::notice::notices;
use balcao_domain::calendar_push::WantedEvent;
use balcao_domain::outside_event::EventMark;
use balcao_domain::{Appointment, AppointmentId, OrganizationId};
use balcao_store::Tx;
use balcao_store::scheduling::{appointment, calendar_link};
use balcao_tool::Locale;
use jiff::tz::TimeZone;

use crate::context::app_context::{UseCaseError, organization};

/// What is wanted of the event of an appointment.
pub(super) struct Wanted {
    pub(super) event: Option<WantedEvent>,
    pub(super) title: String,
    pub(super) zone: TimeZone,
}

/// What is wanted of the event of an appointment: no event if it is cancelled, or its professional has no calendar to write into.
pub(super) fn read_wanted(tx: &mut Tx<'_>, id: OrganizationId, which: AppointmentId) -> Result<Wanted, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let words = notices(Locale::closest_to_tag(&organization.locale));
    let found = appointment::find(tx, id, which, organization.currency)?;
    let title = |one: &Appointment| {
        if one.service_name.is_empty() { words.change_visit.clone() } else { one.service_name.clone() }
    };
    let Some(one) = found.filter(|one| one.status.holds_slot()) else {
        return Ok(Wanted { event: None, title: String::new(), zone });
    };
    let calendar = calendar_link::find_write_calendar(tx, id, one.professional)?;
    let mark = EventMark { organization: id.into(), appointment: one.id.into() };
    let event = calendar.map(|calendar| WantedEvent { calendar, span: one.span, mark });
    Ok(Wanted { event, title: title(&one), zone })
}

/// The event that an appointment is to have.
pub(crate) fn read_wanted_event(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
) -> Result<Option<WantedEvent>, UseCaseError> {
    Ok(read_wanted(tx, id, which)?.event)
}
