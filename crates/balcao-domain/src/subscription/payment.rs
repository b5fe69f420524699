//! What the amount of a payment means for a subscription, and how a payment is taken back.

use std::cmp::Ordering;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::SubscriptionDates;

/// What the person who notes a payment says of its amount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AmountKind {
    /// The price of the plan.
    #[default]
    Price,
    /// Less than the price: the payment is kept, and the due date stays.
    Partial,
    /// More than the price: the due date moves by one period all the same.
    More,
}

/// How an amount differs from what was said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountRefusal {
    /// It is less than the price.
    Less,
    /// It is more than the price.
    More,
    /// It is said to be partial, and reaches the price.
    NotPartial,
    /// It is said to be more, and does not exceed the price.
    NotMore,
}

impl AmountKind {
    /// Decides whether a payment of `paid_cents` for a plan of `price_cents` moves the due date.
    ///
    /// # Errors
    /// [`AmountRefusal`] if the amount is of another kind.
    pub fn moves_due(self, paid_cents: i64, price_cents: i64) -> Result<bool, AmountRefusal> {
        match (self, paid_cents.cmp(&price_cents)) {
            (Self::Price, Ordering::Equal) | (Self::More, Ordering::Greater) => Ok(true),
            (Self::Partial, Ordering::Less) => Ok(false),
            (Self::Price, Ordering::Less) => Err(AmountRefusal::Less),
            (Self::Price, Ordering::Greater) => Err(AmountRefusal::More),
            (Self::Partial, Ordering::Equal | Ordering::Greater) => Err(AmountRefusal::NotPartial),
            (Self::More, Ordering::Less | Ordering::Equal) => Err(AmountRefusal::NotMore),
        }
    }
}

impl SubscriptionDates {
    /// Decides the dates after a payment that moved the due date from `due_from` to `due_to` is taken back.
    ///
    /// # Errors
    /// The due date, if another act has moved it since.
    pub fn take_back(self, due_from: Option<Date>, due_to: Date) -> Result<Self, Option<Date>> {
        if self.due != Some(due_to) {
            return Err(self.due);
        }
        // Where no payment was expected, the payment chose the day of the month.
        Ok(Self { due: due_from, anchor_day: self.anchor_day.filter(|_| due_from.is_some()), ..self })
    }
}
