//! Figures for the owner and the professional: months, the agenda ahead, who does not come.
//!
//! Months are calendar months of the organization's zone, the current one included. Revenue counts completed appointments
//! at the price they were booked at. Every answer names the local dates that it covers, and figures say how
//! many visits have no mark, because those count neither as completed nor as missed.

use std::ops::ControlFlow;

use balcao_domain::{AppointmentStatus, ContactId, Currency, Money, OrganizationId};
use balcao_store::queries::report::{self, Scope, Total};
use balcao_store::scheduling::catalog;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::admin::staff_access::StaffPermissions;
use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::agenda::local_midnight;

/// Months that figures go back at most.
pub const MAX_MONTHS: u32 = 120;
/// Most future appointments in one answer.
pub const MAX_UPCOMING: usize = 500;

/// Counts of a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Appointments that start in it, cancelled ones included; a moved one counts at its new time alone.
    pub total: u32,
    /// Those that took place.
    pub completed: u32,
    /// Those that were missed.
    pub no_shows: u32,
    /// Those that were called off.
    pub cancelled: u32,
    /// Those that have begun, and that are unmarked.
    #[serde(default)]
    pub unmarked: u32,
    /// No-shows ÷ (completed + no-shows); 0 when none were due.
    pub no_show_rate: f64,
    /// The total price of the completed ones; `None` if the caller may not see money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revenue: Option<Money>,
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
    /// The first local date that counts.
    pub from: Date,
    /// The last local date that counts, that of the current month.
    pub to: Date,
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
    /// The professional.
    pub professional: String,
    /// Where it stands.
    pub status: AppointmentStatus,
}

/// The agenda of some days from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upcoming {
    /// Today: the first local date that counts.
    pub from: Date,
    /// The last local date that counts.
    pub to: Date,
    /// The open appointments, in order of start.
    pub appointments: Vec<UpcomingView>,
}

/// Who missed appointments in a stretch of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoShowRanking {
    /// The first local date that counts.
    pub from: Date,
    /// Today: the last local date that counts.
    pub to: Date,
    /// Most no-shows first, then the higher rate, then the older contact.
    pub clients: Vec<NoShowClient>,
}

/// A contact who did not come.
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
    app: AppContext,
}

/// What is counted before the rate is known.
#[derive(Default)]
struct Tally {
    total: u32,
    completed: u32,
    no_shows: u32,
    cancelled: u32,
    unmarked: u32,
    revenue_cents: i64,
}

impl Tally {
    fn add(&mut self, Total { status, count, begun, cents }: Total) {
        self.total = self.total.saturating_add(count);
        match status {
            AppointmentStatus::Completed => {
                self.completed = self.completed.saturating_add(count);
                self.revenue_cents = self.revenue_cents.saturating_add(cents);
            }
            AppointmentStatus::NoShow => self.no_shows = self.no_shows.saturating_add(count),
            AppointmentStatus::Cancelled => self.cancelled = self.cancelled.saturating_add(count),
            AppointmentStatus::Confirmed => self.unmarked = self.unmarked.saturating_add(begun),
            // A hold whose start is over ran out.
            AppointmentStatus::Pending => {}
        }
    }

    fn figures(&self, currency: Option<Currency>) -> Figures {
        Figures {
            total: self.total,
            completed: self.completed,
            no_shows: self.no_shows,
            cancelled: self.cancelled,
            unmarked: self.unmarked,
            no_show_rate: rate(self.no_shows, self.completed),
            revenue: currency.map(|currency| Money::new(self.revenue_cents, currency)),
        }
    }
}

fn rate(no_shows: u32, completed: u32) -> f64 {
    let due = no_shows.saturating_add(completed);
    if due == 0 { 0.0 } else { f64::from(no_shows) / f64::from(due) }
}

impl Analytics {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Figures of the last `months` calendar months, the current one included; at least one, at most 120.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn stats(&self, id: OrganizationId, sees: StaffPermissions, months: u32) -> Result<Stats, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let currency = Some(organization.currency).filter(|_| sees.money);
                let today = zone.to_datetime(now).date();
                let (from, to) = (first_month(today, months), today.last_of_month());
                let (mut all, mut summary) = (Vec::new(), Tally::default());
                for ahead in 0..i64::from(months.clamp(1, MAX_MONTHS)) {
                    let (begin, end) = (from.saturating_add(ahead.months()), from.saturating_add((ahead + 1).months()));
                    let scope =
                        Scope { from: local_midnight(&zone, begin), to: local_midnight(&zone, end), of: sees.only };
                    let mut tally = Tally::default();
                    for total in report::totals(tx, id, scope, now)? {
                        tally.add(total);
                        summary.add(total);
                    }
                    let month = begin.strftime("%Y-%m").to_string();
                    all.push(Month { month, figures: tally.figures(currency) });
                }
                let summary = summary.figures(currency);
                Ok(Stats { timezone: organization.timezone, from, to, summary, months: all })
            })
            .await
    }

    /// Open appointments from now until the end of the local date `days` ahead, in order of start; at most
    /// [`MAX_UPCOMING`].
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn upcoming(
        &self,
        id: OrganizationId,
        sees: StaffPermissions,
        days: u32,
    ) -> Result<Upcoming, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (_, zone) = organization(tx, id)?;
                let from = zone.to_datetime(now).date();
                let to = from.saturating_add(i64::from(days.min(3660)).days());
                let end = to.saturating_add(1.days());
                let names = catalog::professional_names(tx, id)?;
                let mut views = Vec::new();
                let scope = Scope { from: now, to: local_midnight(&zone, end), of: sees.only };
                report::each_booked(tx, id, scope, |one| {
                    if one.status.is_open() {
                        views.push(UpcomingView {
                            starts_at: zone.to_datetime(one.starts_at).strftime("%Y-%m-%d %H:%M").to_string(),
                            client: one.client,
                            service: one.service,
                            professional: names.get(&one.professional).cloned().unwrap_or_default(),
                            status: one.status,
                        });
                    }
                    if views.len() == MAX_UPCOMING { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })?;
                Ok(Upcoming { from, to, appointments: views })
            })
            .await
    }

    /// Who missed appointments in the last `months` calendar months, until now; at most `limit`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn no_show_clients(
        &self,
        id: OrganizationId,
        sees: StaffPermissions,
        months: u32,
        limit: u32,
    ) -> Result<NoShowRanking, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (_, zone) = organization(tx, id)?;
                let to = zone.to_datetime(now).date();
                let from = first_month(to, months);
                let scope = Scope { from: local_midnight(&zone, from), to: now, of: sees.only };
                let missed = report::missed(tx, id, scope, limit)?;
                let client = |one: report::Missed| NoShowClient {
                    contact: one.contact,
                    name: one.name,
                    no_shows: one.no_shows,
                    total_sessions: one.no_shows.saturating_add(one.completed),
                    no_show_rate: rate(one.no_shows, one.completed),
                };
                Ok(NoShowRanking { from, to, clients: missed.into_iter().map(client).collect() })
            })
            .await
    }
}

/// The first of the oldest month wanted.
fn first_month(today: Date, months: u32) -> Date {
    today.first_of_month().saturating_sub((i64::from(months.clamp(1, MAX_MONTHS)) - 1).months())
}
