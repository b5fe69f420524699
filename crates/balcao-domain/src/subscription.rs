//! Plans and their subscribers (specification part 04 §4).

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
    /// Whether the plan pays for `service` when `used` appointments of the period are already on it.
    #[must_use]
    pub fn covers(&self, service: ServiceId, used: u32) -> bool {
        self.covers.contains(&service) && self.quota.is_none_or(|quota| used < quota)
    }
}

/// Where a subscription stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriberStatus {
    /// Paid.
    Active,
    /// Due and not paid: covers nothing until it is.
    Overdue,
    /// Ended.
    Cancelled,
}

impl SubscriberStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Active, Self::Overdue, Self::Cancelled];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Overdue => "overdue",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// A contact's subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// Who subscribes.
    pub contact: ContactId,
    /// To what.
    pub plan: PlanId,
    /// Where it stands.
    pub status: SubscriberStatus,
    /// When the next payment is due.
    pub due: Option<Date>,
}

#[cfg(test)]
#[path = "subscription_tests.rs"]
mod tests;
