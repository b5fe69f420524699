//! What a message will cost, before it is sent.
//!
//! Meta bills delivered messages by category and by the country of the number. The rates come from the operator, who reads
//! Meta's price card; there are none here. What was billed at last is in the statuses ([`crate::inbound::Pricing`]).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::window::WindowState;
use crate::outbound::OutboundContent;

/// Free-form messages that are free for each number of the business in each month.
pub const FREE_SERVICE_MESSAGES: u64 = 1_000;

/// What Meta bills a message as.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Anything inside the window other than a template.
    Service,
    /// A template about something that the customer has with the business.
    Utility,
    /// Any other template.
    Marketing,
    /// Marketing through Meta's own tool for it.
    MarketingLite,
    /// A code to log in with.
    Authentication,
    /// The same, from abroad.
    AuthenticationInternational,
    /// An answer within the free time after an advertisement.
    ReferralConversion,
    /// A general-purpose assistant: not what a front desk should be billed as.
    GeneralPurposeAi,
    /// Another, in Meta's word.
    Other(String),
}

impl Category {
    /// Reads Meta's word, in any case.
    #[must_use]
    pub fn read(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "service" => Self::Service,
            "utility" => Self::Utility,
            "marketing" => Self::Marketing,
            "marketing_lite" => Self::MarketingLite,
            "authentication" => Self::Authentication,
            "authentication_international" => Self::AuthenticationInternational,
            "referral_conversion" => Self::ReferralConversion,
            "general_purpose_ai" => Self::GeneralPurposeAi,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// What the price of a message depends on.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// The window to this customer.
    pub window: WindowState,
    /// The end of the free time after an advertisement, if there is one.
    pub free_entry_until: Option<Timestamp>,
    /// Free-form messages of this number that were delivered in this month so far.
    pub service_messages_this_month: u64,
    /// The category that Meta gave the template, if it is one.
    pub template: Option<&'a Category>,
    /// The current instant.
    pub now: Timestamp,
}

/// What a message will be billed as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The category.
    pub category: Category,
    /// True if it is on the bill.
    pub billable: bool,
}

/// What a message will be billed as; `None` if it may not be sent now, because the window is closed and it is not a template.
/// A template of unknown category is taken for marketing, the dearest.
#[must_use]
pub fn expected(content: &OutboundContent, facts: &Circumstances<'_>) -> Option<Expected> {
    let free_entry = facts.free_entry_until.is_some_and(|until| facts.now < until);
    let is_template = match content {
        OutboundContent::Template(_) => true,
        OutboundContent::Text { .. }
        | OutboundContent::Media { .. }
        | OutboundContent::Location { .. }
        | OutboundContent::Mail { .. }
        | OutboundContent::Buttons { .. }
        | OutboundContent::List { .. }
        | OutboundContent::AskNumber { .. } => false,
    };
    if is_template {
        let category = facts.template.cloned().unwrap_or(Category::Marketing);
        return Some(Expected { category, billable: !free_entry });
    }
    let free = free_entry || facts.service_messages_this_month < FREE_SERVICE_MESSAGES;
    facts.window.is_open().then_some(Expected { category: Category::Service, billable: !free })
}

/// Prices of one message by category, in millionths of the currency's unit: US$ 0.0068 is 6,800.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// [`Category::Service`].
    pub service: u64,
    /// [`Category::Utility`].
    pub utility: u64,
    /// [`Category::Marketing`] and [`Category::MarketingLite`].
    pub marketing: u64,
    /// Both kinds of authentication.
    pub authentication: u64,
}

impl Rates {
    /// What a message costs, in millionths. Categories without a rate cost the dearest one, so that a limit of cost holds.
    #[must_use]
    pub fn micros(&self, expected: &Expected) -> u64 {
        if !expected.billable {
            return 0;
        }
        match &expected.category {
            Category::Service => self.service,
            Category::Utility => self.utility,
            Category::Marketing | Category::MarketingLite => self.marketing,
            Category::Authentication | Category::AuthenticationInternational => self.authentication,
            Category::ReferralConversion | Category::GeneralPurposeAi | Category::Other(_) => {
                self.service.max(self.utility).max(self.marketing).max(self.authentication)
            }
        }
    }
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
