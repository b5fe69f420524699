//! Appointments of everybody, page by page.

use balcao_domain::{Appointment, AppointmentId, ContactId, OrganizationId};
use balcao_store::queries::pages::{self, AppointmentRange};
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::catalog;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use super::{AppointmentView, Appointments, view};
use crate::context::app_context::{UseCaseError, organization};
use crate::context::page::cut;
use crate::scheduling::agenda::local_midnight;

/// An appointment with whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppointmentRecord {
    /// The appointment in local terms.
    pub view: AppointmentView,
    /// Whose it is.
    pub contact: ContactId,
}

/// Some appointments, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppointmentPage {
    /// In order of start.
    pub items: Vec<AppointmentRecord>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<(Timestamp, AppointmentId)>,
}

impl Appointments {
    /// A page of at most `limit` appointments that start on the local dates `from` to `to`, both included, in order of start;
    /// cancelled ones included.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        id: OrganizationId,
        dates: (Option<Date>, Option<Date>),
        after: Option<(Timestamp, AppointmentId)>,
        limit: u32,
    ) -> Result<AppointmentPage, UseCaseError> {
        self.desk
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let from = dates.0.unwrap_or_else(|| zone.to_datetime(now).date());
                let to = dates.1.unwrap_or(from).saturating_add(1.day());
                let range =
                    AppointmentRange { from: local_midnight(&zone, from), to: local_midnight(&zone, to), after };
                let mut found = pages::appointments(tx, id, &range, organization.currency, limit.saturating_add(1))?;
                let next = cut(&mut found, limit).map(|last| (last.span.start, last.id));
                let names = catalog::professional_names(tx, id)?;
                let shown =
                    |one: &Appointment| AppointmentRecord { view: view(one, &names, &zone), contact: one.contact };
                Ok(AppointmentPage { items: found.iter().map(shown).collect(), next })
            })
            .await
    }

    /// One appointment; `None` if the organization has none of this id.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn find(
        &self,
        id: OrganizationId,
        wanted: AppointmentId,
    ) -> Result<Option<AppointmentRecord>, UseCaseError> {
        self.desk
            .look(move |tx, _now| {
                let (organization, zone) = organization(tx, id)?;
                let Some(found) = appointment::find(tx, id, wanted, organization.currency)? else { return Ok(None) };
                let names = catalog::professional_names(tx, id)?;
                Ok(Some(AppointmentRecord { view: view(&found, &names, &zone), contact: found.contact }))
            })
            .await
    }
}
