//! Appointments of everybody, page by page.

use std::collections::BTreeMap;

use balcao_domain::{Appointment, AppointmentId, ContactId, OrganizationId, ProfessionalId};
use balcao_store::queries::pages::{self, AppointmentRange};
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::catalog;
use balcao_store::scheduling::reminder::{self, Reminder};
use balcao_store::{StoreError, Tx, crm::contact};
use jiff::civil::Date;
use jiff::tz::TimeZone;
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
    /// Their name, where it is known.
    pub contact_name: Option<String>,
    /// Its reminders in order of time, those that were sent or cancelled included.
    pub reminders: Vec<Reminder>,
}

fn record(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    one: &Appointment,
    (names, zone): (&BTreeMap<ProfessionalId, String>, &TimeZone),
) -> Result<AppointmentRecord, StoreError> {
    let contact_name = contact::find(tx, id, one.contact)?.and_then(|contact| contact.name);
    let reminders = reminder::list_of(tx, id, one.id)?;
    Ok(AppointmentRecord { view: view(one, names, zone), contact: one.contact, contact_name, reminders })
}

/// Which appointments a page holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AppointmentFilter {
    /// The first local date; without it today, and of unmarked visits the date thirty days before `to`.
    pub from: Option<Date>,
    /// The last local date; without it that of `from`, and of unmarked visits today.
    pub to: Option<Date>,
    /// Only unmarked visits that have ended.
    pub unmarked: bool,
}

/// Days that unmarked visits are listed of, unless the caller names others.
const UNMARKED_DAYS: i64 = 30;

impl AppointmentFilter {
    /// The local dates from and to.
    fn dates(self, today: Date) -> (Date, Date) {
        if self.unmarked {
            let to = self.to.unwrap_or_else(|| self.from.map_or(today, |from| from.max(today)));
            return (self.from.unwrap_or_else(|| to.saturating_sub(UNMARKED_DAYS.days())), to);
        }
        let from = self.from.unwrap_or(today);
        (from, self.to.unwrap_or(from))
    }
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
    /// A page of at most `limit` appointments that start on the local dates of the filter, both included, in order of start; cancelled
    /// ones included.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        id: OrganizationId,
        filter: AppointmentFilter,
        after: Option<(Timestamp, AppointmentId)>,
        limit: u32,
    ) -> Result<AppointmentPage, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let (from, to) = filter.dates(zone.to_datetime(now).date());
                let (from, to) = (local_midnight(&zone, from), local_midnight(&zone, to.saturating_add(1.day())));
                let range = AppointmentRange { from, to, after, unmarked_at: filter.unmarked.then_some(now) };
                let mut found = pages::appointments(tx, id, &range, organization.currency, limit.saturating_add(1))?;
                let next = cut(&mut found, limit).map(|last| (last.span.start, last.id));
                let names = catalog::professional_names(tx, id)?;
                let items = found.iter().map(|one| record(tx, id, one, (&names, &zone)));
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
        self.app
            .look(move |tx, _now| {
                let (organization, zone) = organization(tx, id)?;
                let Some(found) = appointment::find(tx, id, wanted, organization.currency)? else { return Ok(None) };
                let names = catalog::professional_names(tx, id)?;
                Ok(Some(record(tx, id, &found, (&names, &zone))?))
            })
            .await
    }
}
