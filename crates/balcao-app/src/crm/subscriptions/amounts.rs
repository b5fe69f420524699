//! The amount of a payment, beside the price of the plan.

use balcao_domain::Money;
use balcao_domain::subscription::payment::{AmountKind, AmountRefusal};
use serde_json::{Value, json};

use super::SubscriptionRefusal;

/// By how many periods a payment moves the due date, by the price of the plan and by what was said of the amount.
pub(super) fn periods(kind: AmountKind, amount: Money, price: Money) -> Result<u32, SubscriptionRefusal> {
    kind.periods(amount.cents, price.cents).map_err(|refusal| match refusal {
        AmountRefusal::Less => SubscriptionRefusal::LessThanPrice { amount, price },
        AmountRefusal::More => SubscriptionRefusal::MoreThanPrice { amount, price },
        AmountRefusal::NotPartial => SubscriptionRefusal::NotPartial { amount, price },
        AmountRefusal::NotMore => SubscriptionRefusal::NotMore { amount, price },
    })
}

/// A subscription as the log shows it, with the payment of the act.
pub(super) fn with_payment(mut shown: Value, reference: &str, cents: i64) -> Value {
    if let Value::Object(fields) = &mut shown {
        fields.insert("payment".to_owned(), json!({ "reference": reference, "cents": cents }));
    }
    shown
}
