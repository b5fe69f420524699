//! The links between external calendars and professionals: link, unlink, and how each calendar is.

use balcao_domain::{AppointmentId, OrganizationId, ProfessionalId};
use balcao_store::Tx;
use balcao_store::scheduling::calendar_comparison::{self, ComparisonResult};
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess, OutsideCalendar, StoredChannel};
use balcao_store::scheduling::{calendar_conflict, calendar_crash, calendar_event, calendar_mirror};
use jiff::Timestamp;
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError, granted, organization};
use crate::context::calendar_service::{CalendarSummary, PushChannel, ServiceError};
use crate::context::names::{NameRefusal, find};
use crate::scheduling::professionals;

/// Rows of a list of the status.
const LISTED: u32 = 1000;

/// A calendar of a professional, and how our copy of it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkStatus {
    /// The professional's name.
    pub professional: String,
    /// The calendar.
    pub calendar: String,
    /// Whether the professional's appointments are written into it.
    pub is_written: bool,
    /// The instant that our copy holds; absent before the first complete reading.
    pub synced_at: Option<Timestamp>,
    /// Whether that is so long ago that nothing of the professional is offered.
    pub is_too_old: bool,
    /// Why the last reading failed, and since when they do.
    pub failure: Option<String>,
    /// Since when readings fail.
    pub failing_since: Option<Timestamp>,
}

/// How the calendars of a business are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CalendarStatus {
    /// The service that the program is connected to.
    pub service: Option<&'static str>,
    /// The links, in order of professional and calendar.
    pub links: Vec<LinkStatus>,
    /// Appointments whose event is not as it should be yet.
    pub waiting: u32,
    /// Appointments among them whose event is not written any more, because the program crashed each time while it wrote the event; at
    /// most 1000.
    pub set_aside: Vec<AppointmentId>,
    /// Whether the nightly comparison runs no more, because the program crashed each time while it compared.
    pub comparison_set_aside: bool,
    /// Open conflicts.
    pub conflicts: u64,
    /// Events that cannot be read, each with its reason.
    pub unreadable: Vec<String>,
    /// The last nightly comparison that ended; absent while the one of the present day runs, and before the first.
    pub last_comparison: Option<LastComparison>,
    /// What the last nightly comparison found to differ, the first 200.
    pub differences: Vec<LastDifference>,
}

/// What the last nightly comparison found to differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastDifference {
    /// What is the matter, by the word of [`DifferenceKind`](crate::scheduling::calendar_comparison::DifferenceKind).
    pub what: String,
    /// The appointment; absent of a calendar that was not read, and of an event that shows no appointment.
    pub appointment: Option<AppointmentId>,
    /// The calendar, where it is about one.
    pub calendar: Option<String>,
    /// The event, where it is about one.
    pub event: Option<String>,
    /// When a comparison first found it; `None` of one that an earlier program found.
    pub found_at: Option<Timestamp>,
}

/// The last nightly comparison of appointments with their events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LastComparison {
    /// When it ended.
    pub ended_at: Timestamp,
    /// Events that were as they should be.
    pub equal: u32,
    /// Events that were not, and that the comparison repaired.
    pub repaired: u32,
    /// Events that a person has to look at.
    pub differing: u32,
}

/// Why nothing was linked or unlinked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkRefusal {
    /// The name of the professional.
    #[error("unknown professional; {}", name_refusal_text(.0))]
    Professional(NameRefusal),
    /// The professional has another calendar to write into.
    #[error(
        "cannot write into `{calendar}`: appointments of {professional} are written into `{other}`; unlink that one first"
    )]
    OtherWritten {
        /// The professional.
        professional: String,
        /// The calendar.
        calendar: String,
        /// The other one.
        other: String,
    },
    /// The calendar is not linked to the professional.
    #[error("`{calendar}` is not linked to {professional}; `balcao calendar status` shows the links")]
    NotLinked {
        /// The professional.
        professional: String,
        /// The calendar.
        calendar: String,
    },
    /// The id is empty or too long.
    #[error("invalid calendar id; expected 1 to 256 characters")]
    InvalidId,
}

fn name_refusal_text(refusal: &NameRefusal) -> String {
    match refusal {
        NameRefusal::NotFound { known, .. } => format!("expected one of: {}", known.join(", ")),
        NameRefusal::Ambiguous { candidates, .. } => format!("several could be meant: {}", candidates.join(", ")),
    }
}

/// Links calendars. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CalendarLinks {
    app: AppContext,
}

impl CalendarLinks {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Links a calendar to a professional. With `write` the professional's appointments to come are written into it. Until the first reading
    /// nothing of the professional is offered.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why nothing was linked.
    pub async fn link(
        &self,
        id: OrganizationId,
        professional: String,
        calendar: String,
        write: bool,
    ) -> Result<Result<(), LinkRefusal>, UseCaseError> {
        if calendar.is_empty() || calendar.len() > 256 {
            return Ok(Err(LinkRefusal::InvalidId));
        }
        let now = self.app.clock.now();
        let link = move |tx: &mut Tx<'_>| {
            let (whose, name) = granted!(named(tx, id, &professional)?);
            let written = calendar_link::find_write_calendar(tx, id, whose)?;
            if let Some(other) = written.clone().filter(|other| write && *other != calendar) {
                return Ok(Err(LinkRefusal::OtherWritten { professional: name, calendar, other }));
            }
            let access = if write { LinkAccess::Write } else { LinkAccess::Read };
            let link = CalendarLink { professional: whose, calendar: calendar.clone(), access };
            calendar_link::link(tx, id, &link, now)?;
            calendar_link::set_due(tx, id, &calendar, now)?;
            if write || written == Some(calendar) {
                calendar_event::raise_all(tx, id, whose, now)?;
            }
            Ok::<_, UseCaseError>(Ok(()))
        };
        self.app.store.write(link).await
    }

    /// Unlinks a calendar from a professional. Events of appointments to come are taken out of one that they were written into. The push
    /// channel of a calendar without links is stopped.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why nothing was unlinked.
    pub async fn unlink(
        &self,
        id: OrganizationId,
        professional: String,
        calendar: String,
    ) -> Result<Result<(), LinkRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let unlink = move |tx: &mut Tx<'_>| {
            let (whose, name) = granted!(named(tx, id, &professional)?);
            let is_of_others =
                calendar_link::list(tx, id)?.iter().any(|one| one.calendar == calendar && one.professional != whose);
            // The row of the calendar goes with its last link.
            let channel = if is_of_others { None } else { calendar_link::replace_channel(tx, id, &calendar, None)? };
            if !calendar_link::unlink(tx, id, whose, &calendar)? {
                return Ok(Err(LinkRefusal::NotLinked { professional: name, calendar }));
            }
            calendar_event::raise_all(tx, id, whose, now)?;
            Ok::<_, UseCaseError>(Ok(channel))
        };
        let channel = granted!(self.app.store.write(unlink).await?);
        if let (Some(service), Some(channel)) = (&self.app.remote_calendar, channel) {
            let StoredChannel { id: name, resource, ends_at, .. } = channel;
            // A channel that is not stopped ends by itself, and its calls are unknown from now on.
            if let Err(error) = service.stop(id, &PushChannel { id: name, resource, ends_at }).await {
                tracing::warn!(organization = %id, %error, "push channel not stopped");
            }
        }
        Ok(Ok(()))
    }

    /// The calendars that the connected account of a business sees, in the order of the service; none without a service.
    ///
    /// # Errors
    /// Why the service did not answer.
    pub async fn list_outside(&self, id: OrganizationId) -> Result<Vec<CalendarSummary>, ServiceError> {
        match &self.app.remote_calendar {
            Some(service) => service.calendars(id).await,
            None => Ok(Vec::new()),
        }
    }

    /// How the calendars of a business are.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn status(&self, id: OrganizationId) -> Result<CalendarStatus, UseCaseError> {
        let service = self.app.remote_calendar.as_ref().map(|service| service.name());
        let look = move |tx: &mut Tx<'_>, now: Timestamp| {
            let rules = organization(tx, id)?.0.scheduling;
            let names = balcao_store::scheduling::catalog::professional_names(tx, id)?;
            let calendars = calendar_link::list_calendars(tx, id)?;
            let shown = |link: CalendarLink| {
                let copy: Option<&OutsideCalendar> = calendars.iter().find(|one| one.calendar == link.calendar);
                let synced_at = copy.and_then(|copy| copy.synced_at);
                let failure = copy.and_then(|copy| copy.failure.as_ref());
                LinkStatus {
                    professional: names.get(&link.professional).cloned().unwrap_or_default(),
                    is_written: link.access == LinkAccess::Write,
                    calendar: link.calendar,
                    synced_at,
                    is_too_old: !rules.is_calendar_copy_current(synced_at, now),
                    failure: failure.map(|failure| failure.reason.clone()),
                    failing_since: failure.map(|failure| failure.since),
                }
            };
            let links = calendar_link::list(tx, id)?.into_iter().map(shown).collect();
            let waiting = calendar_event::count_waiting(tx, id)?.0;
            let conflicts = calendar_conflict::count_open(tx, id, now)?;
            let unreadable = calendar_mirror::list_quarantined(tx, id, LISTED)?.into_iter();
            let unreadable = unreadable.map(|one| format!("{} {}: {}", one.calendar, one.event, one.reason)).collect();
            let set_aside = calendar_crash::list(tx, id, LISTED)?.appointments;
            let comparison_set_aside = calendar_comparison::is_set_aside(tx, id, now)?;
            let last_comparison = calendar_comparison::find_last(tx, id)?.map(|(ended_at, result)| {
                let ComparisonResult { equal, repaired, differing } = result;
                LastComparison { ended_at, equal, repaired, differing }
            });
            let differences = calendar_comparison::list_differences(tx, id)?.into_iter().map(|one| LastDifference {
                what: one.kind,
                appointment: one.appointment,
                calendar: one.calendar,
                event: one.event,
                found_at: one.found_at,
            });
            let differences = differences.collect();
            Ok(CalendarStatus {
                service,
                links,
                waiting,
                set_aside,
                comparison_set_aside,
                conflicts,
                unreadable,
                last_comparison,
                differences,
            })
        };
        self.app.look(look).await
    }
}

/// The active professional of a name.
fn named(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    query: &str,
) -> Result<Result<(ProfessionalId, String), LinkRefusal>, UseCaseError> {
    let all = professionals::active(tx, id)?;
    let found = find(query, all.iter().map(|one| (&one.name, one.aliases.as_slice())));
    Ok(match found {
        Ok(found) => all.into_iter().nth(found.index).map(|one| (one.id, one.name)).ok_or(LinkRefusal::Professional(
            NameRefusal::NotFound { query: query.to_owned(), nearest: None, known: Vec::new() },
        )),
        Err(refusal) => Err(LinkRefusal::Professional(refusal)),
    })
}
