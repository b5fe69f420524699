//! What the server does for calendars outside by itself: pushes that wait, calendars that are due, and the nightly comparison.
//!
//! Every process may do it: a row is claimed before it is worked on, and what the claim does not cover runs again without harm.

use std::sync::Arc;

use balcao_domain::calendar_push::{FoundEvent, read_found};
use balcao_domain::outside_event::OutsideEvent;
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::Tx;
use balcao_store::scheduling::calendar_event::{self, CalendarEvent};
use balcao_store::scheduling::calendar_link;
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::scheduling::booking::outside::take_over;
use crate::scheduling::remote_calendar::push::{self, Pushed};
use crate::scheduling::remote_calendar::reading::{self, ReadRequest, Reading};
use crate::scheduling::remote_calendar::service::{CalendarService, ServiceError};

/// Pushes and readings of one business in one go, so that no business holds up the others.
const BATCH: u32 = 50;
/// Events that one step of a comparison loads.
const PAGE: u32 = 200;

/// An appointment whose event is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The appointment.
    pub appointment: AppointmentId,
    /// What is the matter.
    pub what: DifferenceKind,
}

/// What a comparison found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The event is not there, or is deleted.
    Missing,
    /// The event is not as this program last wrote or read it; the next reading judges it.
    Changed,
    /// A push waits.
    NotPushed,
}

/// A comparison of the appointments to come with their events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Events that are as they should be.
    pub equal: usize,
    /// Those that are not.
    pub differences: Vec<Difference>,
}

/// Works off what calendars outside need.
#[derive(Debug, Clone)]
pub struct CalendarWork {
    app: AppContext,
}

impl CalendarWork {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Makes events as their appointments are, whose push is due; returns how many came to an end.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn push_due(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let Some(service) = &self.app.remote_calendar else { return Ok(0) };
        let due = self.app.look(move |tx, now| Ok(calendar_event::list_due(tx, organization, now, BATCH)?)).await?;
        let mut ended = 0;
        for appointment in due {
            match push::settle(&self.app, service, organization, appointment).await? {
                Pushed::Shown(_) | Pushed::Absent | Pushed::Conflict(_) => ended += 1,
                Pushed::Held => {}
                // Nothing of this business gets through before a person connects it again.
                Pushed::Failed(ServiceError::Disconnected { .. }) => break,
                Pushed::Failed(error) | Pushed::Unknown(error) => {
                    tracing::warn!(%organization, %appointment, %error, "event of an appointment not pushed");
                }
            }
        }
        Ok(ended)
    }

    /// Reads the calendars that are due; returns how many were read.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn read_due(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let Some(service) = &self.app.remote_calendar else { return Ok(0) };
        let due = self.app.look(move |tx, now| Ok(calendar_link::list_due(tx, organization, now, BATCH)?)).await?;
        let mut read = 0;
        for calendar in due {
            if let Reading::Read { .. } = self.read_one(service, organization, calendar, false).await? {
                read += 1;
            }
        }
        Ok(read)
    }

    /// Reads one calendar, however new our copy is. `accepts_drop` says that many deletions are true.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn read(
        &self,
        organization: OrganizationId,
        calendar: String,
        accepts_drop: bool,
    ) -> Result<Reading, UseCaseError> {
        match &self.app.remote_calendar {
            Some(service) => self.read_one(service, organization, calendar, accepts_drop).await,
            None => Ok(Reading::Fresh),
        }
    }

    async fn read_one(
        &self,
        service: &Arc<dyn CalendarService>,
        organization: OrganizationId,
        calendar: String,
        accepts_drop: bool,
    ) -> Result<Reading, UseCaseError> {
        let as_new_as = jiff::Timestamp::MAX;
        let request = ReadRequest { organization, calendar, as_new_as, accepts_drop };
        reading::read(&self.app, service, &request, take_over).await
    }

    /// Asks the service for the event of every appointment to come, and lists what is not as it should be.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the service did not answer.
    pub async fn compare(
        &self,
        organization: OrganizationId,
    ) -> Result<Result<Comparison, ServiceError>, UseCaseError> {
        let mut comparison = Comparison::default();
        let Some(service) = &self.app.remote_calendar else { return Ok(Ok(comparison)) };
        let mut after = 0;
        loop {
            let list = move |tx: &mut Tx<'_>, now| Ok(calendar_event::list_from(tx, organization, now, after, PAGE)?);
            let rows = self.app.look(list).await?;
            let Some(last) = rows.last() else { return Ok(Ok(comparison)) };
            after = last.appointment.into();
            for row in rows {
                let appointment = row.appointment;
                match compare_one(service, organization, &row).await {
                    Ok(None) => comparison.equal += 1,
                    Ok(Some(what)) => comparison.differences.push(Difference { appointment, what }),
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
    }
}

/// How the event of an appointment differs from what we know of it.
async fn compare_one(
    service: &Arc<dyn CalendarService>,
    organization: OrganizationId,
    row: &CalendarEvent,
) -> Result<Option<DifferenceKind>, ServiceError> {
    if row.wanted > row.pushed {
        return Ok(Some(DifferenceKind::NotPushed));
    }
    let Some(known) = &row.known else { return Ok(None) };
    let found: Option<OutsideEvent> = match service.find(organization, &known.calendar, &known.event).await {
        Ok(found) => found,
        Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => None,
        Err(error) => return Err(error),
    };
    Ok(match read_found(found.as_ref(), organization.into()) {
        FoundEvent::Absent | FoundEvent::Used => Some(DifferenceKind::Missing),
        FoundEvent::Ours(event) if event.version == known.version => None,
        FoundEvent::Ours(_) | FoundEvent::Foreign => Some(DifferenceKind::Changed),
    })
}
