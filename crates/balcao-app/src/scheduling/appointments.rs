//! Appointments in the form that customers and staff read, and the history of a contact.

mod pages;

use std::collections::BTreeMap;

use balcao_domain::appointment::visit::VisitMark;
use balcao_domain::{
    Appointment, AppointmentId, AppointmentStatus, ContactId, Money, OrganizationId, ProfessionalId, ServiceId,
};
use balcao_store::{crm::contact, scheduling::appointment, scheduling::catalog};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, organization};

/// An appointment in local terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppointmentView {
    /// Its id.
    pub id: AppointmentId,
    /// Who is booked.
    pub professional: String,
    /// What is booked.
    pub service: String,
    /// Its id.
    pub service_id: Option<ServiceId>,
    /// The local date.
    pub date: Date,
    /// The local time it starts, `HH:MM`.
    pub start: String,
    /// The local time it ends, `HH:MM`.
    pub finish: String,
    /// The local date it ends on: the next one for a visit until midnight or over it.
    pub finish_date: Date,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// The price at booking; zero where a plan covers it.
    pub price: Money,
    /// The name of the person who comes, if that is not the contact.
    pub attendee: Option<String>,
    /// Who ended it, and when; `None` of an open one, and of one that ended without a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<VisitMark>,
    /// The appointment that took its place, if it was moved. Its status is then cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<AppointmentId>,
}

impl AppointmentView {
    /// Where it stands, as staff read it: of a moved one, where it was moved to.
    #[must_use]
    pub fn standing(&self) -> String {
        self.moved_to.map_or_else(|| self.status.to_string(), |to| format!("moved to {to}"))
    }
}

/// A contact's visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Their name, where it is known.
    pub client_name: Option<String>,
    /// The local date of the first visit that took place; absent without one.
    pub from: Option<Date>,
    /// Today: the last local date that visits are counted of.
    pub to: Date,
    /// Visits that took place.
    pub total_visits: usize,
    /// Visits that were missed.
    pub no_shows: usize,
    /// Open appointments to come, in order.
    pub upcoming: Vec<AppointmentView>,
    /// The professional of most visits; of two alike, the one visited last.
    pub preferred_professional: Option<String>,
    /// The last five that are over and were not cancelled, newest first.
    pub last: Vec<AppointmentView>,
}

pub use pages::{AppointmentFilter, AppointmentPage, AppointmentRecord};

/// Tells what was booked.
#[derive(Debug, Clone)]
pub struct Appointments {
    app: AppContext,
}

impl Appointments {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// A contact's visits, past and to come.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed or the contact does not exist.
    pub async fn history(&self, organization_id: OrganizationId, who: ContactId) -> Result<History, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, organization_id)?;
                let contact = contact::find(tx, organization_id, who)?;
                let contact = contact.ok_or(UseCaseError::NoContact { organization: organization_id, contact: who })?;
                let all = appointment::of_contact(tx, organization_id, who, organization.currency)?;
                let names = catalog::professional_names(tx, organization_id)?;
                let upcoming = appointment::upcoming_of_contact(tx, organization_id, who, organization.currency, now)?;
                let mut visits: BTreeMap<ProfessionalId, (usize, jiff::Timestamp)> = BTreeMap::new();
                let kept = all.iter().filter(|one| one.status == AppointmentStatus::Completed);
                for one in kept.clone() {
                    let entry = visits.entry(one.professional).or_insert((0, one.span.start));
                    *entry = (entry.0 + 1, entry.1.max(one.span.start));
                }
                let preferred = visits.iter().max_by_key(|(_, rank)| **rank).map(|(professional, _)| *professional);
                let is_over = |one: &&Appointment| one.span.start < now && one.status.holds_slot();
                Ok(History {
                    client_name: contact.name,
                    from: kept.clone().next().map(|one| zone.to_datetime(one.span.start).date()),
                    to: zone.to_datetime(now).date(),
                    total_visits: kept.count(),
                    no_shows: all.iter().filter(|one| one.status == AppointmentStatus::NoShow).count(),
                    upcoming: upcoming.iter().map(|one| view(one, &names, &zone)).collect(),
                    preferred_professional: preferred.and_then(|id| names.get(&id).cloned()),
                    last: all.iter().rev().filter(is_over).take(5).map(|one| view(one, &names, &zone)).collect(),
                })
            })
            .await
    }
}

/// An appointment in local terms.
pub(crate) fn view(one: &Appointment, names: &BTreeMap<ProfessionalId, String>, zone: &TimeZone) -> AppointmentView {
    let (start, end) = (zone.to_datetime(one.span.start), zone.to_datetime(one.span.end));
    AppointmentView {
        id: one.id,
        professional: names.get(&one.professional).cloned().unwrap_or_default(),
        service: one.service_name.clone(),
        service_id: one.service,
        date: start.date(),
        start: start.strftime("%H:%M").to_string(),
        finish: end.strftime("%H:%M").to_string(),
        finish_date: end.date(),
        status: one.status,
        price: one.price,
        attendee: one.attendee.clone(),
        mark: one.mark.clone(),
        moved_to: one.moved_to,
    }
}
