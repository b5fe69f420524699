//! Appointments of everybody, page by page.

use std::collections::BTreeMap;

use balcao_domain::{Appointment, AppointmentId, ContactId, OrganizationId, ProfessionalId};
use balcao_store::pages::{self, AppointmentRange};
use balcao_store::{Tx, appointment, contact};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::{AppointmentView, Appointments, professional_names, view};
use crate::agenda::local_midnight;
use crate::conversations::cut;
use crate::desk::{UseCaseError, organization};

/// An appointment with whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppointmentRecord {
    /// The appointment in local terms.
    pub view: AppointmentView,
    /// Who is booked.
    pub professional: ProfessionalId,
    /// Whose it is.
    pub contact: ContactId,
    /// Their name, where it is known.
    pub contact_name: Option<String>,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// Where it was booked.
    pub source: String,
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
                let names = professional_names(tx, id)?;
                let items = found.iter().map(|one| record(tx, id, one, &names, &zone));
                Ok(AppointmentPage { items: items.collect::<Result<_, _>>()?, next })
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
                let names = professional_names(tx, id)?;
                record(tx, id, &found, &names, &zone).map(Some)
            })
            .await
    }
}

fn record(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    one: &Appointment,
    names: &BTreeMap<ProfessionalId, String>,
    zone: &TimeZone,
) -> Result<AppointmentRecord, UseCaseError> {
    Ok(AppointmentRecord {
        view: view(one, names, zone),
        professional: one.professional,
        contact: one.contact,
        contact_name: contact::find(tx, organization, one.contact)?.and_then(|contact| contact.name),
        starts_at: one.span.start,
        ends_at: one.span.end,
        source: one.source.clone(),
    })
}
