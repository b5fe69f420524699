//! What the amount of a payment means for a subscription, and how a payment is taken back.

use std::cmp::Ordering;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::SubscriptionDates;

/// The most periods that one payment pays.
pub const MAX_PERIODS: u32 = 120;

/// What the person who notes a payment says of its amount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AmountKind {
    /// The price of the plan.
    #[default]
    Price,
    /// Less than the price: the payment is kept, and the due date stays.
    Partial,
    /// Several times the price: the due date moves by as many periods.
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
    /// It is said to be more, and does not pay two or more whole periods, at most [`MAX_PERIODS`].
    NotMore,
}

impl AmountKind {
    /// Decides by how many periods a payment of `paid_cents` for a plan of `price_cents` moves the due date.
    ///
    /// # Errors
    /// [`AmountRefusal`] if the amount is of another kind.
    pub fn periods(self, paid_cents: i64, price_cents: i64) -> Result<u32, AmountRefusal> {
        match (self, paid_cents.cmp(&price_cents)) {
            (Self::Price, Ordering::Equal) => Ok(1),
            (Self::Partial, Ordering::Less) => Ok(0),
            (Self::More, Ordering::Greater) => whole_periods(paid_cents, price_cents).ok_or(AmountRefusal::NotMore),
            (Self::Price, Ordering::Less) => Err(AmountRefusal::Less),
            (Self::Price, Ordering::Greater) => Err(AmountRefusal::More),
            (Self::Partial, Ordering::Equal | Ordering::Greater) => Err(AmountRefusal::NotPartial),
            (Self::More, Ordering::Less | Ordering::Equal) => Err(AmountRefusal::NotMore),
        }
    }
}

/// How many whole periods an amount pays, from two to [`MAX_PERIODS`]; `None` if it pays no such number, or the price is zero.
fn whole_periods(paid_cents: i64, price_cents: i64) -> Option<u32> {
    let is_whole = paid_cents.checked_rem(price_cents)? == 0;
    let periods = u32::try_from(paid_cents.checked_div(price_cents)?).ok()?;
    (is_whole && (2..=MAX_PERIODS).contains(&periods)).then_some(periods)
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
