//! Whether a plan of the contact pays for a visit, and what is used of its quota. The rule is pure
//! ([`balcao_domain::subscription::Plan::decide_coverage`]).

use balcao_domain::service::Service;
use balcao_domain::subscription::{CoverageQuestion, NotCovered, Plan};
use balcao_domain::{Appointment, ContactId, Money, OrganizationId, PlanId, Span};
use balcao_store::{StoreError, Tx, crm::subscription, scheduling::appointment, scheduling::catalog};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{UseCaseError, organization};
use crate::scheduling::agenda::{Agenda, local_midnight};

/// A plan of the contact that does not pay for a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanNotice {
    /// The plan.
    pub plan: String,
    /// Why the visit has its full price.
    #[serde(flatten)]
    pub reason: NotCovered,
}

/// What the plans of a contact do for a visit.
#[derive(Debug, Clone, Default)]
pub(super) struct Coverage {
    /// The plan that pays for it.
    pub(super) plan: Option<(PlanId, String)>,
    /// If no plan pays, the plan of which the customer may expect it: the first that names the service, else the first that runs.
    pub(super) notice: Option<PlanNotice>,
}

impl Coverage {
    /// What the visit costs the contact, of its full price.
    pub(super) const fn cents_of(&self, full: i64) -> i64 {
        if self.plan.is_some() { 0 } else { full }
    }

    /// Keeps why a plan does not pay. A plan that names the service comes before one that does not.
    fn note(&mut self, plan: &Plan, reason: NotCovered) {
        let names_service = reason != NotCovered::OtherService;
        let is_first = self.notice.as_ref().is_none_or(|kept| kept.reason == NotCovered::OtherService && names_service);
        if is_first {
            self.notice = Some(PlanNotice { plan: plan.name.clone(), reason });
        }
    }
}

/// The quota of a plan in one period, for one contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaPeriod<'a> {
    pub(crate) organization: OrganizationId,
    pub(crate) zone: &'a TimeZone,
    pub(crate) contact: ContactId,
    pub(crate) plan: &'a Plan,
    /// A day of the period.
    pub(crate) day: Date,
    pub(crate) now: Timestamp,
}

/// Counts the appointments that the contact has on the plan in this period.
pub(crate) fn count_used(tx: &mut Tx<'_>, asked: QuotaPeriod<'_>) -> Result<u32, StoreError> {
    let (first, after) = asked.plan.period.around(asked.day);
    let span = Span::new(local_midnight(asked.zone, first), local_midnight(asked.zone, after));
    appointment::count_on_plan(tx, asked.organization, asked.contact, asked.plan.id, span, asked.now)
}

/// Finds the contact's plan that pays for the service on the day of `start`. It locks the contact's subscriptions, so the count stays true
/// until the transaction ends.
pub(super) fn cover(
    tx: &mut Tx<'_>,
    agenda: &Agenda,
    contact: ContactId,
    service: Option<&Service>,
    start: Timestamp,
) -> Result<Coverage, UseCaseError> {
    let mut coverage = Coverage::default();
    let Some(service) = service else { return Ok(coverage) };
    let organization = agenda.organization.id;
    let subscriptions = subscription::lock_of_contact(tx, organization, contact)?;
    if subscriptions.is_empty() {
        return Ok(coverage);
    }
    let plans = catalog::list_plans(tx, organization, agenda.organization.currency)?;
    let (today, visit) = (agenda.today(), agenda.zone.to_datetime(start).date());
    let grace_days = agenda.organization.scheduling.plan_grace_days;
    for subscriber in subscriptions {
        let Some(plan) = plans.iter().find(|plan| plan.id == subscriber.plan) else { continue };
        let names_service = plan.covers(service.id);
        let period = QuotaPeriod { organization, zone: &agenda.zone, contact, plan, day: visit, now: agenda.now };
        let used = if names_service { count_used(tx, period)? } else { 0 };
        let asked = CoverageQuestion { names_service, today, grace_days, visit, used };
        match plan.decide_coverage(&subscriber.dates, asked) {
            Ok(()) => return Ok(Coverage { plan: Some((plan.id, plan.name.clone())), notice: None }),
            // A plan that does not run raises no hope for a service that it does not name.
            Err(reason) if names_service || reason == NotCovered::OtherService => {
                if reason.is_mentioned_on(today) {
                    coverage.note(plan, reason);
                }
            }
            Err(_does_not_run) => {}
        }
    }
    Ok(coverage)
}

/// Takes a visit that came back off its plan if the quota was used up meanwhile; returns its full price then.
pub(crate) fn recheck_quota(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    visit: &Appointment,
    now: Timestamp,
) -> Result<Option<Money>, UseCaseError> {
    let Some(plan) = visit.plan else { return Ok(None) };
    subscription::lock_of_contact(tx, organization, visit.contact)?;
    let dates = dates_of(tx, organization, visit)?;
    let agenda = Agenda::load(tx, organization, Some(visit.contact), dates, now)?;
    let plans = catalog::list_plans(tx, organization, agenda.organization.currency)?;
    let Some(plan) = plans.iter().find(|one| one.id == plan) else { return Ok(None) };
    let (zone, contact, day) = (&agenda.zone, visit.contact, agenda.zone.to_datetime(visit.span.start).date());
    let used = count_used(tx, QuotaPeriod { organization, zone, contact, plan, day, now })?;
    if plan.quota.is_none_or(|quota| used <= quota) {
        return Ok(None);
    }
    let service = agenda.services.iter().find(|service| Some(service.id) == visit.service);
    let professional = agenda.professionals.iter().find(|one| one.id == visit.professional);
    let need = professional.and_then(|one| agenda.need(one, service, None));
    let cents = need.map(|need| need.price_cents).or(service.map(|service| service.price.cents)).unwrap_or_default();
    appointment::take_off_plan(tx, organization, visit.id, cents)?;
    Ok(Some(Money::new(cents, agenda.organization.currency)))
}

fn dates_of(tx: &mut Tx<'_>, id: OrganizationId, visit: &Appointment) -> Result<(Date, Date), UseCaseError> {
    let (_, zone) = organization(tx, id)?;
    let day = zone.to_datetime(visit.span.start).date();
    Ok((day, day))
}
