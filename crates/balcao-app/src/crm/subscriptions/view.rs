//! A subscription in the terms of the business.

use balcao_domain::subscription::{Plan, PlanPeriod, Subscriber, SubscriberStatus, SubscriptionDates};
use balcao_domain::{Money, OrganizationId, SubscriberId};
use balcao_store::crm::organization::Organization;
use balcao_store::{Tx, scheduling::catalog};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{UseCaseError, organization};
use crate::scheduling::booking::coverage::{QuotaPeriod, count_used};

/// One subscription, as it stands today.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionView {
    /// Its id.
    pub id: SubscriberId,
    /// The plan.
    pub plan: String,
    /// What the plan costs per period.
    pub price: Money,
    /// How often it is paid and its quota renewed.
    pub period: PlanPeriod,
    /// Where it stands today.
    pub status: SubscriberStatus,
    /// When it began, is due, rests and ends.
    #[serde(flatten)]
    pub dates: SubscriptionDates,
    /// How many appointments the plan covers in a period; `None` for any number.
    pub quota: Option<u32>,
    /// The appointments on the plan in the current period.
    pub used: u32,
    /// What the plan gives, in words.
    pub benefits: Vec<String>,
}

/// What views are made of.
pub(super) struct Plans {
    pub(super) organization: Organization,
    pub(super) zone: TimeZone,
    pub(super) plans: Vec<Plan>,
    pub(super) now: Timestamp,
}

impl Plans {
    pub(super) fn load(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<Self, UseCaseError> {
        let (organization, zone) = organization(tx, id)?;
        let plans = catalog::list_plans(tx, id, organization.currency)?;
        Ok(Self { organization, zone, plans, now })
    }

    /// Today's date where the business is.
    pub(super) fn today(&self) -> Date {
        self.zone.to_datetime(self.now).date()
    }

    pub(super) fn plan_of(&self, one: &Subscriber) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.id == one.plan)
    }

    pub(super) fn status_of(&self, dates: &SubscriptionDates) -> SubscriberStatus {
        dates.status_on(self.today(), self.organization.scheduling.plan_grace_days)
    }

    /// The view of a subscription; `None` only if its plan is gone, which the database prevents.
    pub(super) fn view(&self, tx: &mut Tx<'_>, one: &Subscriber) -> Result<Option<SubscriptionView>, UseCaseError> {
        let Some(plan) = self.plan_of(one) else { return Ok(None) };
        let (organization, zone) = (self.organization.id, &self.zone);
        let (contact, day, now) = (one.contact, self.today(), self.now);
        let used = count_used(tx, QuotaPeriod { organization, zone, contact, plan, day, now })?;
        Ok(Some(SubscriptionView {
            id: one.id,
            plan: plan.name.clone(),
            price: plan.price,
            period: plan.period,
            status: self.status_of(&one.dates),
            dates: one.dates,
            quota: plan.quota,
            used,
            benefits: plan.benefits.clone(),
        }))
    }
}

/// A payment that was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedPayment {
    /// What names it outside.
    pub reference: String,
    /// How much.
    pub amount: Money,
    /// The due date that it moved; `None` if no payment was expected.
    pub due_from: Option<Date>,
    /// The due date after it.
    pub due_to: Date,
    /// When it was noted.
    pub noted_at: Timestamp,
    /// Its author, by the name in the audit log.
    pub noted_by: String,
    /// Whether it was less than the price, and moved no due date.
    pub is_partial: bool,
    /// Who took it back, by the name in the audit log; `None` if it stands.
    pub taken_back_by: Option<String>,
}
