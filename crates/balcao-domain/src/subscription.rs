//! Plans and their subscribers.
//!
//! A subscription is stored as dates. Its status follows from these dates and from today, so no job has to change a status overnight.

pub mod act;
pub mod payment;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::ids::{ContactId, PlanId, ServiceId, SubscriberId};
use crate::money::Money;

/// How often a plan is paid and its quota renewed. Periods are calendar ones, in the organization's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanPeriod {
    /// Monday to Sunday.
    Week,
    /// The first to the last day of a month.
    Month,
    /// January to December.
    Year,
}

impl PlanPeriod {
    /// Every period.
    pub const ALL: [Self; 3] = [Self::Week, Self::Month, Self::Year];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The period of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == word)
    }

    /// The first date of the period that holds `date`, and the first date after it.
    #[must_use]
    pub fn around(self, date: Date) -> (Date, Date) {
        let (first, length) = match self {
            Self::Week => {
                let back = i64::from(date.weekday().to_monday_zero_offset());
                (date.saturating_sub(jiff::Span::new().days(back)), jiff::Span::new().days(7))
            }
            Self::Month => (date.first_of_month(), jiff::Span::new().months(1)),
            Self::Year => (date.first_of_year(), jiff::Span::new().years(1)),
        };
        (first, first.saturating_add(length))
    }

    /// The due date after `due`. A month or a year later the day is `anchor_day`, or the last day of a shorter month: 31 January leads
    /// to 28 February, and that to 31 March. `None` if the date is beyond the calendar, which ends with the year 9999.
    #[must_use]
    pub fn next_due(self, due: Date, anchor_day: i8) -> Option<Date> {
        let first = due.first_of_month();
        let month = match self {
            Self::Week => return due.checked_add(7.days()).ok(),
            Self::Month => first.checked_add(1.month()).ok()?,
            Self::Year => first.checked_add(1.year()).ok()?,
        };
        month.with().day(anchor_day.clamp(1, month.days_in_month())).build().ok()
    }
}

/// A subscription plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Its id.
    pub id: PlanId,
    /// Its name.
    pub name: String,
    /// What it costs per period.
    pub price: Money,
    /// How often it is paid and its quota renewed.
    pub period: PlanPeriod,
    /// The services it covers.
    pub covers: Vec<ServiceId>,
    /// How many appointments it covers per period; `None` for any number.
    pub quota: Option<u32>,
    /// What it gives, in words for customers.
    pub benefits: Vec<String>,
    /// Whether it can be subscribed to.
    pub active: bool,
}

impl Plan {
    /// Whether the plan names `service` among those that it pays for.
    #[must_use]
    pub fn covers(&self, service: ServiceId) -> bool {
        self.covers.contains(&service)
    }
}

/// Where a subscription stands on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriberStatus {
    /// It runs and is not overdue.
    Active,
    /// The due date and the days of grace are over: it covers nothing until a payment is noted.
    Overdue,
    /// It rests, and covers nothing until it is resumed.
    Paused,
    /// It ended.
    Cancelled,
}

impl SubscriberStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Active, Self::Overdue, Self::Paused, Self::Cancelled];

    /// The word that it is shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Overdue => "overdue",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// The dates that a subscription stands by. All are local dates of the organization.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionDates {
    /// When it began; `None` if it is older than its record.
    pub started: Option<Date>,
    /// When the next payment is due; `None` if no payment is expected.
    pub due: Option<Date>,
    /// The day of the month on which payments are due, from 1 to 31; `None` for the day of `due`.
    pub anchor_day: Option<i8>,
    /// Since when it rests.
    pub paused: Option<Date>,
    /// The first day on which it covers nothing more; it may be still to come.
    pub ended: Option<Date>,
}

impl SubscriptionDates {
    /// The status on the day `today`, if a payment may be `grace_days` late. On the last day of grace the subscription is active.
    #[must_use]
    pub fn status_on(&self, today: Date, grace_days: u32) -> SubscriberStatus {
        if self.ended.is_some_and(|ended| ended <= today) {
            return SubscriberStatus::Cancelled;
        }
        if self.paused.is_some() {
            return SubscriberStatus::Paused;
        }
        match self.last_day(grace_days) {
            Some(last) if last < today => SubscriberStatus::Overdue,
            Some(_) | None => SubscriberStatus::Active,
        }
    }

    /// The last day on which a payment is not late; `None` if no payment is expected.
    fn last_day(&self, grace_days: u32) -> Option<Date> {
        self.due.map(|due| due.saturating_add(i64::from(grace_days.min(MAX_GRACE_DAYS)).days()))
    }
}

/// The most days of grace that a business may give.
pub const MAX_GRACE_DAYS: u32 = 366;

/// A contact's subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// Who subscribes.
    pub contact: ContactId,
    /// To what.
    pub plan: PlanId,
    /// When it began, is due, rests and ends.
    pub dates: SubscriptionDates,
    /// How often it has changed. A write compares it, so that of two changes at once the second is decided again.
    pub revision: i64,
}

/// Why a plan does not pay for a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum NotCovered {
    /// The plan runs, and does not name the service.
    OtherService,
    /// The appointments of the period are used up.
    QuotaUsed {
        /// How many there are in a period.
        quota: u32,
        /// The period.
        period: PlanPeriod,
    },
    /// A payment is late.
    Overdue {
        /// Since when it was due.
        due: Date,
    },
    /// The subscription rests.
    Paused,
    /// The subscription is over by the day of the visit.
    Ended {
        /// The first day that it does not cover.
        on: Date,
    },
}

impl NotCovered {
    /// For how many days after its end an answer still mentions a plan.
    const MENTIONED_DAYS: i64 = 31;

    /// Whether the customer hears of it on the day `today`, because they may expect to pay nothing.
    #[must_use]
    pub fn is_mentioned_on(self, today: Date) -> bool {
        !matches!(self, Self::Ended { on } if on < today.saturating_sub(Self::MENTIONED_DAYS.days()))
    }
}

/// What decides whether a subscription pays for a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverageQuestion {
    /// Whether the plan names the service of the visit.
    pub names_service: bool,
    /// The day of the decision, on which the subscription must be active.
    pub today: Date,
    /// How many days a payment may be late.
    pub grace_days: u32,
    /// The day of the visit.
    pub visit: Date,
    /// The appointments on this plan in the period of the visit.
    pub used: u32,
}

impl Plan {
    /// Decides whether the plan pays for another visit under a subscription with these dates.
    ///
    /// # Errors
    /// [`NotCovered`]: the visit has its full price.
    pub fn decide_coverage(&self, dates: &SubscriptionDates, asked: CoverageQuestion) -> Result<(), NotCovered> {
        if let Some(on) = dates.ended.filter(|ended| *ended <= asked.visit || *ended <= asked.today) {
            return Err(NotCovered::Ended { on });
        }
        match (dates.status_on(asked.today, asked.grace_days), dates.due) {
            (SubscriberStatus::Paused, _) => return Err(NotCovered::Paused),
            (SubscriberStatus::Overdue, Some(due)) => return Err(NotCovered::Overdue { due }),
            (SubscriberStatus::Overdue | SubscriberStatus::Active | SubscriberStatus::Cancelled, _) => {}
        }
        if !asked.names_service {
            return Err(NotCovered::OtherService);
        }
        match self.quota {
            Some(quota) if asked.used >= quota => Err(NotCovered::QuotaUsed { quota, period: self.period }),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "subscription_tests.rs"]
mod tests;
