//! Figures for the owner and the professional: months, the agenda ahead, who does not come.
//!
//! Months are calendar months of the organization's zone, the current one included. Revenue counts completed appointments
//! at the price they were booked at (specification part 02 §6).

use std::collections::BTreeMap;

use balcao_domain::{AppointmentStatus, ContactId, Money, OrganizationId};
use balcao_store::{Tx, appointment, contact};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::agenda::local_midnight;
use crate::appointments::professional_names;
use crate::desk::{Desk, UseCaseError, organization};

/// Counts of a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Appointments that start in it, cancelled ones included.
    pub total: u32,
    /// Those that took place.
    pub completed: u32,
    /// Those that were missed.
    pub no_shows: u32,
    /// Those that were called off.
    pub cancelled: u32,
    /// No-shows ÷ (completed + no-shows); 0 when none were due.
    pub no_show_rate: f64,
    /// What the completed ones cost.
    pub revenue: Money,
}

/// A month's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Month {
    /// `YYYY-MM`.
    pub month: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Figures of some months.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// The IANA zone that the months are of.
    pub timezone: String,
    /// All months together.
    pub summary: Figures,
    /// Each month, oldest first.
    pub months: Vec<Month>,
}

/// An appointment to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpcomingView {
    /// The local start, `YYYY-MM-DD HH:MM`.
    pub starts_at: String,
    /// Who comes.
    pub client: Option<String>,
    /// For what.
    pub service: String,
    /// To whom.
    pub professional: String,
    /// Where it stands.
    pub status: AppointmentStatus,
}

/// Somebody who did not come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoShowClient {
    /// Who.
    pub contact: ContactId,
    /// Their name.
    pub name: Option<String>,
    /// How often they did not come.
    pub no_shows: u32,
    /// How many appointments were due: kept and missed.
    pub total_sessions: u32,
    /// No-shows ÷ due.
    pub no_show_rate: f64,
}

/// Tells figures.
#[derive(Debug, Clone)]
pub struct Analytics {
    desk: Desk,
}

/// What is counted before the rate is known.
#[derive(Default)]
struct Tally {
    total: u32,
    completed: u32,
    no_shows: u32,
    cancelled: u32,
    revenue_cents: i64,
}

impl Tally {
    fn add(&mut self, status: AppointmentStatus, price_cents: i64) {
        self.total += 1;
        match status {
            AppointmentStatus::Completed => {
                self.completed += 1;
                self.revenue_cents += price_cents;
            }
            AppointmentStatus::NoShow => self.no_shows += 1,
            AppointmentStatus::Cancelled => self.cancelled += 1,
            AppointmentStatus::Pending | AppointmentStatus::Confirmed => {}
        }
    }

    fn figures(&self, currency: balcao_domain::Currency) -> Figures {
        Figures {
            total: self.total,
            completed: self.completed,
            no_shows: self.no_shows,
            cancelled: self.cancelled,
            no_show_rate: rate(self.no_shows, self.completed),
            revenue: Money::new(self.revenue_cents, currency),
        }
    }
}

fn rate(no_shows: u32, completed: u32) -> f64 {
    let due = no_shows.saturating_add(completed);
    if due == 0 { 0.0 } else { f64::from(no_shows) / f64::from(due) }
}

impl Analytics {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: Desk) -> Self {
        Self { desk }
    }

    /// Figures of the last `months` calendar months, the current one included; at least one, at most 120.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn stats(&self, id: OrganizationId, months: u32) -> Result<Stats, UseCaseError> {
        self.desk
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let currency = organization.currency;
                let first = first_month(zone.to_datetime(now).date(), months);
                let end = first.saturating_add(i64::from(months.clamp(1, 120)).months());
                let span = (local_midnight(&zone, first), local_midnight(&zone, end));
                let mut by_month: BTreeMap<Date, Tally> = BTreeMap::new();
                for ahead in 0..i64::from(months.clamp(1, 120)) {
                    by_month.insert(first.saturating_add(ahead.months()), Tally::default());
                }
                let mut summary = Tally::default();
                for one in appointment::starting_between(tx, id, span.0, span.1, currency)? {
                    let month = zone.to_datetime(one.span.start).date().first_of_month();
                    by_month.entry(month).or_default().add(one.status, one.price.cents);
                    summary.add(one.status, one.price.cents);
                }
                let month = |(date, tally): (&Date, &Tally)| Month {
                    month: date.strftime("%Y-%m").to_string(),
                    figures: tally.figures(currency),
                };
                Ok(Stats {
                    timezone: organization.timezone,
                    summary: summary.figures(currency),
                    months: by_month.iter().map(month).collect(),
                })
            })
            .await
    }

    /// Open appointments from now until the end of the local date `days` ahead, in order of start.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn upcoming(&self, id: OrganizationId, days: u32) -> Result<Vec<UpcomingView>, UseCaseError> {
        self.desk
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let end = zone.to_datetime(now).date().saturating_add((i64::from(days.min(3660)) + 1).days());
                let names = professional_names(tx, id)?;
                let all =
                    appointment::starting_between(tx, id, now, local_midnight(&zone, end), organization.currency)?;
                let mut views = Vec::new();
                for one in all.into_iter().filter(|one| one.status.is_open()) {
                    let client = contact::find(tx, id, one.contact)?.and_then(|contact| contact.name);
                    views.push(UpcomingView {
                        starts_at: zone.to_datetime(one.span.start).strftime("%Y-%m-%d %H:%M").to_string(),
                        client: one.attendee.or(client),
                        service: one.service_name,
                        professional: names.get(&one.professional).cloned().unwrap_or_default(),
                        status: one.status,
                    });
                }
                Ok(views)
            })
            .await
    }

    /// Who missed appointments in the last `months` calendar months: most no-shows first, then the higher rate, then the
    /// older contact; at most `limit`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn no_show_clients(
        &self,
        id: OrganizationId,
        months: u32,
        limit: usize,
    ) -> Result<Vec<NoShowClient>, UseCaseError> {
        self.desk.look(move |tx, now| no_show_clients(tx, id, months, limit, now)).await
    }
}

/// The first of the oldest month wanted.
fn first_month(today: Date, months: u32) -> Date {
    today.first_of_month().saturating_sub((i64::from(months.clamp(1, 120)) - 1).months())
}

fn no_show_clients(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    months: u32,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<NoShowClient>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let from = local_midnight(&zone, first_month(zone.to_datetime(now).date(), months));
    let mut by_contact: BTreeMap<ContactId, Tally> = BTreeMap::new();
    for one in appointment::starting_between(tx, id, from, now, organization.currency)? {
        by_contact.entry(one.contact).or_default().add(one.status, one.price.cents);
    }
    let mut missed: Vec<(ContactId, Tally)> = by_contact.into_iter().filter(|(_, tally)| tally.no_shows > 0).collect();
    missed.sort_by(|(first, a), (second, b)| {
        let rates = rate(b.no_shows, b.completed).total_cmp(&rate(a.no_shows, a.completed));
        b.no_shows.cmp(&a.no_shows).then(rates).then(first.cmp(second))
    });
    missed.truncate(limit);
    let mut clients = Vec::with_capacity(missed.len());
    for (who, tally) in missed {
        clients.push(NoShowClient {
            contact: who,
            name: contact::find(tx, id, who)?.and_then(|contact| contact.name),
            no_shows: tally.no_shows,
            total_sessions: tally.no_shows + tally.completed,
            no_show_rate: rate(tally.no_shows, tally.completed),
        });
    }
    Ok(clients)
}
