//! What messages cost, where the operator gave the provider's rates.

use std::fmt;

use balcao_domain::{Currency, OrganizationId};
use balcao_store::messaging::delivery;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError, organization};

/// What messages cost. Prints with four decimals, because one of them costs less than a cent: `R$ 0,0350`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MessagePrice {
    /// Millionths of the currency.
    pub micros: i64,
    /// The business's.
    pub currency: Currency,
}

/// What the messages of a calendar month cost so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MonthCosts {
    /// The month, `2026-11`.
    pub month: String,
    /// How many messages have a price.
    pub messages: u32,
    /// What they cost together.
    pub price: MessagePrice,
    /// The same by what the provider bills them as.
    pub categories: Vec<CategoryCosts>,
}

/// What messages of one category cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CategoryCosts {
    /// The provider's word: `service`, `utility`, …
    pub category: String,
    /// How many.
    pub messages: u32,
    /// What they cost together.
    pub price: MessagePrice,
}

/// Tells what messages cost.
#[derive(Debug, Clone)]
pub struct Costs {
    app: AppContext,
}

impl Costs {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// What the messages of the current month cost so far, of all accounts of the business, as its clock tells months.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn of_this_month(&self, id: OrganizationId) -> Result<MonthCosts, UseCaseError> {
        let work = move |tx: &mut balcao_store::Tx<'_>, now: Timestamp| {
            let (organization, zone) = organization(tx, id)?;
            let priced = |micros| MessagePrice { micros, currency: organization.currency };
            let all = delivery::costs(tx, id, month_of(now, &zone))?;
            Ok(MonthCosts {
                month: now.to_zoned(zone).strftime("%Y-%m").to_string(),
                messages: all.iter().map(|one| one.messages).sum(),
                price: priced(all.iter().map(|one| one.micros).sum()),
                categories: all
                    .into_iter()
                    .map(|one| CategoryCosts {
                        category: one.category,
                        messages: one.messages,
                        price: priced(one.micros),
                    })
                    .collect(),
            })
        };
        self.app.look(work).await
    }
}

/// When the current month began there.
pub(crate) fn month_of(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let first = now.to_zoned(zone.clone()).first_of_month().and_then(|first| first.start_of_day());
    first.map_or(Timestamp::MIN, |first| first.timestamp())
}

impl fmt::Display for MessagePrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.micros.saturating_add(50) / 100;
        write!(f, "{} {},{:04}", self.currency.symbol(), parts / 10_000, parts % 10_000)
    }
}

#[cfg(test)]
#[path = "costs_tests.rs"]
mod tests;
