//! Payments of subscriptions: noted, and taken back.

use balcao_app::admin::keys::Scope;
use balcao_app::crm::subscriptions::PaymentRequest;
use balcao_domain::subscription::payment::AmountKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Changed, actor, granted, subscriptions};
use crate::api::endpoint::{Call, Nothing, Route};
use crate::api::method::Method;

/// What is said of an amount other than the price of the plan.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Accepted {
    /// Less than the price: the payment is kept, and the due date stays.
    Partial,
    /// It is several times the price: the due date moves by as many periods.
    More,
}

/// A payment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubscriptionPayment {
    /// What names the payment outside, such as the number of a transfer. The same reference again counts once.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"^[^\u0000]*$"), example = &"PIX-2026-12-0042")]
    reference: String,
    /// The amount in cents, more than zero; the price of the plan, if absent.
    #[schemars(range(min = 1, max = 100_000_000_i64), example = 15900)]
    amount_cents: Option<i64>,
    /// Accepts an amount other than the price of the plan.
    accept: Option<Accepted>,
    /// The e-mail address of the staff member who notes it; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// Which payment is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PaymentTakenBack {
    /// The reference of the payment.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"^[^\u0000]*$"), example = &"PIX-2026-12-0042")]
    reference: String,
    /// The e-mail address of the staff member who takes it back; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// The routes of a payment and of its undo. `show` is the route of the subscription.
pub(super) fn routes(show: &Route, changed: &Value, moved: &Value) -> [Route; 2] {
    let pay = Route {
        method: Method::Post,
        path: "/v1/subscriptions/{id}/payments",
        scope: Scope::Write,
        name: "note_subscription_payment",
        summary: "Note a payment",
        description: "Moves the due date by one period of the plan, on the same day of the month where the month has it. The amount is \
                      the price of the plan, unless `accept` says otherwise. The same reference again changes nothing.",
        refusals: &[(
            409,
            "`ended`, `other_amount` with the price in `facts`, `reference_used` for another amount, `beyond_calendar`, or \
             `changed_meanwhile`: ask again.",
        )],
        body: Some(json!({ "reference": "PIX-2026-12-0042", "amount_cents": 15900 })),
        answer: moved.clone(),
        ..show.clone()
    };
    let take_back = Route {
        path: "/v1/subscriptions/{id}/payments/take-back",
        name: "take_back_subscription_payment",
        summary: "Take a payment back",
        description: "For 24 hours after it was noted. The due date is then as it was before, and the reference may be used again.",
        refusals: &[(
            409,
            "`no_payment`, `too_late`, `due_moved` with the due date in `facts`, or `changed_meanwhile`: ask again.",
        )],
        body: Some(json!({ "reference": "PIX-2026-12-0042" })),
        answer: changed.clone(),
        ..pay.clone()
    };
    [pay, take_back]
}

pub(super) async fn note_payment(call: Call, _query: Nothing, asked: SubscriptionPayment) -> Changed {
    let kind = match asked.accept {
        None => AmountKind::Price,
        Some(Accepted::Partial) => AmountKind::Partial,
        Some(Accepted::More) => AmountKind::More,
    };
    let request = PaymentRequest { reference: asked.reference, amount_cents: asked.amount_cents, kind };
    let by = actor(&call, asked.staff);
    granted(subscriptions(&call).note_payment(call.organization(), call.id()?, request, by).await)
}

pub(super) async fn take_back_payment(call: Call, _query: Nothing, asked: PaymentTakenBack) -> Changed {
    let by = actor(&call, asked.staff);
    granted(subscriptions(&call).take_back_payment(call.organization(), call.id()?, asked.reference, by).await)
}
