//! One day of the business as a calendar shows it: who works when, and who comes.

use std::collections::BTreeMap;

use balcao_domain::availability::works;
use balcao_domain::hours::Period;
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId, OrganizationId, ProfessionalId};
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::{crm::contact, scheduling::appointment, scheduling::hours};
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::agenda::local_midnight;

/// A day of the business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayView {
    /// The local date.
    pub date: Date,
    /// The local date now.
    pub today: Date,
    /// The local time now, in minutes since midnight.
    pub now_min: i32,
    /// When the business is open.
    pub open: Vec<Period>,
    /// Why the date is not like its weekday.
    pub note: Option<String>,
    /// Everybody active who can be booked, in order of their ids.
    pub professionals: Vec<ProfessionalDay>,
}

/// A professional's day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfessionalDay {
    /// Their id.
    pub id: ProfessionalId,
    /// Their name.
    pub name: String,
    /// When they work.
    pub works: Vec<Period>,
    /// The appointments of the day, in order, without the cancelled ones.
    pub visits: Vec<AppointmentSummary>,
}

/// An appointment in a calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppointmentSummary {
    /// Its id.
    pub id: AppointmentId,
    /// When it begins, in minutes since the day's midnight.
    pub from_min: i32,
    /// When it ends, in the same; beyond 1440 if it goes over midnight.
    pub to_min: i32,
    /// What is booked.
    pub service: String,
    /// Whose it is.
    pub contact: ContactId,
    /// Who comes: the attendee, else the contact, if a name is known.
    pub who: Option<String>,
    /// Where it stands.
    pub status: AppointmentStatus,
}

/// Shows days.
#[derive(Debug, Clone)]
pub struct DayViews {
    app: AppContext,
}

impl DayViews {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// A day; without a date, today.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn show(&self, id: OrganizationId, date: Option<Date>) -> Result<DayView, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let local = zone.to_datetime(now);
                let date = date.unwrap_or(local.date());
                let (from, to) = (local_midnight(&zone, date), local_midnight(&zone, date.saturating_add(1.day())));
                let business = hours::of_business(tx, &organization, date, date)?;
                let around = Around { from: date, to: date, since: from };
                let all = catalog::list_professionals(tx, id, around)?;
                let mut visits: BTreeMap<ProfessionalId, Vec<AppointmentSummary>> = BTreeMap::new();
                for one in appointment::starting_between(tx, id, from, to, organization.currency)? {
                    if !one.status.holds_slot() {
                        continue;
                    }
                    let minute = |at| minutes(date, zone.to_datetime(at));
                    let name = contact::get(tx, id, one.contact)?.name;
                    visits.entry(one.professional).or_default().push(AppointmentSummary {
                        id: one.id,
                        from_min: minute(one.span.start),
                        to_min: minute(one.span.end),
                        service: one.service_name,
                        contact: one.contact,
                        who: one.attendee.or(name),
                        status: one.status,
                    });
                }
                let open = business.on(date).to_vec();
                let column = |one: balcao_domain::professional::Professional| {
                    let works = works(&zone, &business, &one, date);
                    ProfessionalDay {
                        id: one.id,
                        visits: visits.remove(&one.id).unwrap_or_default(),
                        name: one.name,
                        works,
                    }
                };
                let professionals = all.into_iter().filter(|one| one.active).map(column).collect();
                let note = business.note_on(date).map(str::to_owned);
                let now_min = minutes(local.date(), local);
                Ok(DayView { date, today: local.date(), now_min, open, note, professionals })
            })
            .await
    }
}

/// Minutes from a date's midnight to a local time, by the clock on the wall.
fn minutes(date: Date, at: jiff::civil::DateTime) -> i32 {
    let days = date.until(at.date()).map_or(0, |span| span.get_days());
    days * 1440 + i32::from(at.hour()) * 60 + i32::from(at.minute())
}
