//! How our copies of external calendars are brought up to date before a look at free times or an act on bookings.
//!
//! The calls to the service happen before a transaction, never in it. What our tables decide afterwards counts on the copies, and a copy
//! that is older than the business allows offers nothing ([`Agenda`](crate::scheduling::agenda::Agenda)).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{AppointmentId, ContactId, ConversationId, OrganizationId, ProfessionalId};
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::calendar_link;
use balcao_store::{Tx, messaging::conversation};
use jiff::{SignedDuration, Timestamp};

use super::outside::take_over;
use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::calendar_service::{CalendarService, RemoteCalendarError, ServiceError};
use crate::scheduling::remote_calendar::reading::{self, ReadRequest, Reading};

/// A copy of a calendar that is not older answers a read.
const NEW_ENOUGH: SignedDuration = SignedDuration::from_secs(60);

/// Whose calendars an act needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of every professional: it is not known yet who is booked.
    Everybody,
    /// Those of one.
    Professional(ProfessionalId),
    /// Those of the professional that a conversation is about.
    OfConversation(ConversationId),
    /// Those of the professional of an appointment; no calendar if the appointment is missing.
    OfAppointment(AppointmentId),
    /// Those of the professionals that a contact has appointments with.
    UpcomingOf(ContactId),
}

/// A business that has external calendars.
pub(super) struct Connected {
    pub(super) service: Arc<dyn CalendarService>,
    pub(super) when_down: CalendarDown,
}

pub(super) async fn connect(
    app: &AppContext,
    id: OrganizationId,
    service: Arc<dyn CalendarService>,
) -> Result<Connected, UseCaseError> {
    let when_down = app.look(move |tx, _now| Ok(organization(tx, id)?.0.scheduling.when_calendar_is_down)).await?;
    Ok(Connected { service, when_down })
}

/// Calendars that were read for an act.
struct ReadCalendars {
    connected: Connected,
    /// How many there are.
    count: usize,
    /// Those that the service did not answer for, with the reason.
    failed: BTreeMap<String, ServiceError>,
}

impl ReadCalendars {
    /// The refusal of an act that needs the answer of the service; `None` if the act may go on.
    fn refusal(&self, whose: Whose) -> Option<RemoteCalendarError> {
        // If anybody may be booked, one calendar that answers is enough: a copy that is too old offers nothing.
        let is_enough = whose == Whose::Everybody && self.failed.len() < self.count;
        if is_enough || self.connected.when_down == CalendarDown::BookAnyway {
            return None;
        }
        let error = self.failed.values().next()?;
        Some(RemoteCalendarError::of_service(self.connected.service.name(), error))
    }
}

/// Reads what changed in the calendars that a booking needs, and refuses it if the service does not answer; `None` if the business has no
/// external calendars.
pub(super) async fn freshen(
    app: &AppContext,
    id: OrganizationId,
    service: Arc<dyn CalendarService>,
    whose: Whose,
) -> Result<Option<Connected>, UseCaseError> {
    let Some(read) = read_for_act(app, id, service, whose).await? else { return Ok(None) };
    match read.refusal(whose) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(Some(read.connected)),
    }
}

/// Reads what changed in the calendars that a preview or an act of staff needs. If the service does not answer, a copy that the business
/// allows is used, because the act itself needs no answer: our tables decide, and the worker pushes.
///
/// # Errors
/// As a booking is refused, if the copy of a calendar that did not answer is older than the business allows.
pub(crate) async fn freshen_before(app: &AppContext, id: OrganizationId, whose: Whose) -> Result<(), UseCaseError> {
    let Some(service) = app.remote_calendar.clone() else { return Ok(()) };
    let Some(read) = read_for_act(app, id, service, whose).await? else { return Ok(()) };
    let Some(refusal) = read.refusal(whose) else { return Ok(()) };
    let failed = read.failed;
    let has_old_copy = move |tx: &mut Tx<'_>, now| {
        let rules = organization(tx, id)?.0.scheduling;
        let calendars = calendar_link::list_calendars(tx, id)?.into_iter();
        let mut old = calendars.filter(|one| !rules.is_calendar_copy_current(one.synced_at, now));
        Ok(old.any(|one| failed.contains_key(&one.calendar)))
    };
    if app.look(has_old_copy).await? { Err(refusal.into()) } else { Ok(()) }
}

/// Reads what changed in the calendars that an act needs; `None` if the business has no external calendars.
async fn read_for_act(
    app: &AppContext,
    id: OrganizationId,
    service: Arc<dyn CalendarService>,
    whose: Whose,
) -> Result<Option<ReadCalendars>, UseCaseError> {
    let links = app.look(move |tx, _now| Ok(calendar_link::list(tx, id)?)).await?;
    if links.is_empty() {
        return Ok(None);
    }
    let wanted = list_needed(app, id, whose).await?;
    let needed = links.into_iter().filter(|link| wanted.as_ref().is_none_or(|set| set.contains(&link.professional)));
    let calendars: BTreeSet<String> = needed.map(|link| link.calendar).collect();
    let connected = connect(app, id, service).await?;
    // A copy of this very instant may be from before the act, too.
    let as_new_as = app.clock.now().checked_add(SignedDuration::from_millis(1)).unwrap_or(Timestamp::MAX);
    let requests: Vec<ReadRequest> = calendars
        .into_iter()
        .map(|calendar| ReadRequest { organization: id, calendar, as_new_as, accepts_drop: false })
        .collect();
    let count = requests.len();
    let read = reading::read_all(app, &connected.service, &requests, take_over).await?;
    let failed = requests.into_iter().zip(read).filter_map(|(request, read)| match read {
        Reading::Failed(error) => Some((request.calendar, error)),
        // A service that lists so many deletions by a fault may lack new events, too.
        Reading::Suspicious { known, gone } => {
            let reason = format!("{gone} of {known} events disappeared at once, and a person has to accept that");
            Some((request.calendar, ServiceError::Unavailable { reason, retry_after_ms: None }))
        }
        Reading::Fresh | Reading::Read { .. } => None,
        // What another process reads at this moment may be missing in our copy; the look after the push sees it.
        Reading::Held => None,
    });
    Ok(Some(ReadCalendars { connected, count, failed: failed.collect() }))
}

/// The professionals whose calendars an act needs; `None` for those of every professional.
async fn list_needed(
    app: &AppContext,
    id: OrganizationId,
    whose: Whose,
) -> Result<Option<BTreeSet<ProfessionalId>>, UseCaseError> {
    let list = move |tx: &mut Tx<'_>, now| {
        Ok(match whose {
            Whose::Everybody => None,
            Whose::Professional(one) => Some([one].into()),
            Whose::OfConversation(conversation) => {
                conversation::get(tx, id, conversation)?.professional.map(|one| [one].into())
            }
            Whose::OfAppointment(appointment) => {
                let currency = organization(tx, id)?.0.currency;
                Some(
                    appointment::find(tx, id, appointment, currency)?.map(|one| one.professional).into_iter().collect(),
                )
            }
            Whose::UpcomingOf(contact) => {
                let currency = organization(tx, id)?.0.currency;
                let open = appointment::upcoming_of_contact(tx, id, contact, currency, now)?;
                Some(open.into_iter().map(|one| one.professional).collect())
            }
        })
    };
    app.look(list).await
}

/// Reads the calendars of a business that our copy is more than a minute behind of. Returns the instant of the copy if the service does
/// not answer, and `None` if the copy is as new as it should be or the business has no external calendars.
pub(crate) async fn freshen_for_read(app: &AppContext, id: OrganizationId) -> Result<Option<Timestamp>, UseCaseError> {
    let now = app.clock.now();
    read_all(app, id, now.checked_sub(NEW_ENOUGH).unwrap_or(now)).await
}

/// Asks the service for the calendars of a business, however new our copy is; as [`freshen_for_read`] else.
pub(crate) async fn check(app: &AppContext, id: OrganizationId) -> Result<Option<Timestamp>, UseCaseError> {
    app.look(move |tx, _now| organization(tx, id).map(drop)).await?;
    read_all(app, id, Timestamp::MAX).await
}

async fn read_all(
    app: &AppContext,
    id: OrganizationId,
    as_new_as: Timestamp,
) -> Result<Option<Timestamp>, UseCaseError> {
    let Some(service) = app.remote_calendar.clone() else { return Ok(None) };
    let list = move |tx: &mut Tx<'_>, _now| Ok(calendar_link::list_calendars(tx, id)?);
    let calendars = app.look(list).await?;
    let requests: Vec<ReadRequest> = calendars
        .into_iter()
        .map(|one| ReadRequest { organization: id, calendar: one.calendar, as_new_as, accepts_drop: false })
        .collect();
    reading::read_all(app, &service, &requests, take_over).await?;
    let failing = app.look(list).await?.into_iter().filter_map(|one| Some((one.synced_at, one.failure?)));
    Ok(failing.map(|(synced_at, failure)| synced_at.unwrap_or(failure.since)).min())
}
