//! Why a subscription was not changed, in the terms of the business.

use balcao_domain::money::MAX_PRICE_CENTS;
use balcao_domain::staff::Role;
use balcao_domain::subscription::SubscriberStatus;
use balcao_domain::subscription::act::ActRefusal;
use balcao_domain::subscription::payment::MAX_PERIODS;
use balcao_domain::{ContactId, Money, SubscriberId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::names::NameRefusal;
use crate::context::staff_email::UnknownStaff;

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum SubscriptionRefusal {
    /// The organization has no subscription of this id.
    #[error("unknown subscription {id}; `balcao subscriptions list` shows them")]
    NotFound {
        /// The id as given.
        id: SubscriberId,
    },
    /// The organization has no contact of this id.
    #[error("unknown contact {id}; `balcao contacts find` finds contacts by name, number or address")]
    NoContact {
        /// The id as given.
        id: ContactId,
    },
    /// The name leads to no plan on sale, or to several.
    #[error("{}", name_told(.0))]
    Plan(NameRefusal),
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The role of the staff member does not let them change subscriptions.
    #[error(
        "`{email}` has the role `{role}`, which may not change subscriptions; expected an attendant, a manager or the owner"
    )]
    NotAllowed {
        /// The staff member.
        email: String,
        /// Their role.
        role: Role,
    },
    /// The contact subscribes to the plan already.
    #[error("{id} subscribes to {plan} already, and is {}; end that subscription first", status.as_str())]
    AlreadySubscribed {
        /// The subscription.
        id: SubscriberId,
        /// The plan.
        plan: String,
        /// Where it stands.
        status: SubscriberStatus,
    },
    /// It ended before.
    #[error("the subscription ended on {on}; start it again first")]
    Ended {
        /// When.
        on: Date,
    },
    /// It would end before its start.
    #[error("invalid end; expected {started}, when the subscription started, or later")]
    EndsBeforeStart {
        /// When it started.
        started: Date,
    },
    /// It would start in the future.
    #[error("invalid start; expected {today}, which is today, or earlier")]
    StartsLater {
        /// Today.
        today: Date,
    },
    /// The first payment would be due before the start.
    #[error("invalid due date; expected {started}, the start, or later")]
    DueBeforeStart {
        /// The start.
        started: Date,
    },
    /// Another payment is due than the one that is to be renewed.
    #[error("invalid due date to renew; expected {}", due.map_or_else(|| "none, because no payment is expected".to_owned(), |due| due.to_string()))]
    OtherDue {
        /// The due date; `None` if no payment is expected.
        due: Option<Date>,
    },
    /// The next due date would be after the year 9999.
    #[error("the next due date would be beyond the calendar, which ends with the year 9999")]
    BeyondCalendar,
    /// The amount is not more than zero, or more than any payment.
    #[error(
        "invalid amount {amount}; expected more than zero and at most {}; `renew` moves the due date without a payment",
        Money::new(MAX_PRICE_CENTS, amount.currency)
    )]
    Amount {
        /// As given.
        amount: Money,
    },
    /// The amount is less than the price, without the word that it is partial.
    #[error(
        "invalid amount {amount}; expected {price}, the price of the plan; `--partial` notes less, and moves no due date"
    )]
    LessThanPrice {
        /// As given.
        amount: Money,
        /// The price of the plan.
        price: Money,
    },
    /// The amount is more than the price, without the word that it is more.
    #[error(
        "invalid amount {amount}; expected {price}, the price of the plan; `--more` notes several times the price, and moves the due date by as many periods"
    )]
    MoreThanPrice {
        /// As given.
        amount: Money,
        /// The price of the plan.
        price: Money,
    },
    /// The amount is said to be partial, and reaches the price.
    #[error("invalid partial amount {amount}; expected less than {price}, the price of the plan")]
    NotPartial {
        /// As given.
        amount: Money,
        /// The price of the plan.
        price: Money,
    },
    /// The amount is said to be more than the price, and does not pay whole periods.
    #[error(
        "invalid amount {amount}; expected a multiple of {price}, the price of the plan, for 2 to {MAX_PERIODS} periods, such as {}",
        Money::new(price.cents.saturating_mul(2), price.currency)
    )]
    NotMore {
        /// As given.
        amount: Money,
        /// The price of the plan.
        price: Money,
    },
    /// No payment of this subscription has the reference.
    #[error("unknown payment `{reference}`; `balcao subscriptions show` shows the payments of a subscription")]
    NoPayment {
        /// As given.
        reference: String,
    },
    /// The payment was noted more than a day ago.
    #[error("the payment was noted at {noted_at}, and a payment can be taken back for 24 hours only")]
    PaymentTooOld {
        /// When.
        noted_at: Timestamp,
    },
    /// Something moved the due date after the payment.
    #[error(
        "the due date was moved after the payment, to {}; take back what moved it first",
        due.map_or_else(|| "none".to_owned(), |due| due.to_string())
    )]
    DueMovedSince {
        /// The due date.
        due: Option<Date>,
    },
    /// It is paid beyond the wanted end, and the request does not give the paid days up.
    #[error(
        "the subscription is paid until {until}: an end on {on} loses {days} paid days; expected {until}, or the word that they may be lost"
    )]
    PaidUntil {
        /// The wanted end.
        on: Date,
        /// The due date, until which it is paid.
        until: Date,
        /// How many paid days would be lost.
        days: i32,
    },
    /// The reference is empty, too long or has control characters.
    #[error(
        "invalid reference; expected 1 to {} characters of one line that name the payment",
        super::acts::MAX_REFERENCE
    )]
    Reference,
    /// Another payment of this subscription has the reference.
    #[error("a payment of {amount} has that reference; expected the same amount, or another reference")]
    ReferenceUsed {
        /// The amount of that payment.
        amount: Money,
    },
    /// Others changed the subscription at the same time.
    #[error("others changed the subscription at the same time; try again")]
    ChangedMeanwhile,
}

impl From<ActRefusal> for SubscriptionRefusal {
    fn from(refusal: ActRefusal) -> Self {
        match refusal {
            ActRefusal::Ended { on } => Self::Ended { on },
            ActRefusal::EndsBeforeStart { started } => Self::EndsBeforeStart { started },
            ActRefusal::StartsLater { today } => Self::StartsLater { today },
            ActRefusal::DueBeforeStart { started } => Self::DueBeforeStart { started },
            ActRefusal::OtherDue { due } => Self::OtherDue { due },
            ActRefusal::PaidUntil { on, until, days } => Self::PaidUntil { on, until, days },
            ActRefusal::BeyondCalendar => Self::BeyondCalendar,
        }
    }
}

fn name_told(refusal: &NameRefusal) -> String {
    match refusal {
        NameRefusal::NotFound { query, nearest: Some(nearest), .. } => {
            format!("unknown plan `{query}`; did you mean `{nearest}`?")
        }
        NameRefusal::NotFound { query, nearest: None, known } if known.is_empty() => {
            format!("unknown plan `{query}`; the business has no plans on sale")
        }
        NameRefusal::NotFound { query, nearest: None, known } => {
            format!("unknown plan `{query}`; expected one of {}", known.join(", "))
        }
        NameRefusal::Ambiguous { query, candidates } => {
            format!("ambiguous plan `{query}`; expected one of {}", candidates.join(", "))
        }
    }
}
