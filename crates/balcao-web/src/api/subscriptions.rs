//! Subscriptions: who subscribes to what, and what a program does to a subscription.

mod payments;

use balcao_app::UseCaseError;
use balcao_app::admin::keys::Scope;
use balcao_app::context::staff_email::Actor;
use balcao_app::crm::subscriptions::{
    NotedPayment, StartRequest, SubscriptionChange, SubscriptionFilter, SubscriptionRecord, SubscriptionRefusal,
    Subscriptions,
};
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::{PlanPeriod, SubscriberStatus};
use balcao_domain::{ContactId, SubscriberId};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::catalog::Price;
use super::cursor::{self, Page};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field, parameter};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// Where a subscription stands today.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "overdue"))]
enum Standing {
    /// It runs and is not overdue.
    Active,
    /// The due date and the days of grace are over: it covers nothing until a payment is noted.
    Overdue,
    /// It rests.
    Paused,
    /// It ended.
    Cancelled,
}

impl From<SubscriberStatus> for Standing {
    fn from(status: SubscriberStatus) -> Self {
        match status {
            SubscriberStatus::Active => Self::Active,
            SubscriberStatus::Overdue => Self::Overdue,
            SubscriberStatus::Paused => Self::Paused,
            SubscriberStatus::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Standing> for SubscriberStatus {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Active => Self::Active,
            Standing::Overdue => Self::Overdue,
            Standing::Paused => Self::Paused,
            Standing::Cancelled => Self::Cancelled,
        }
    }
}

/// How often a plan is paid.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Period {
    /// Each week.
    Week,
    /// Each month.
    Month,
    /// Each year.
    Year,
}

/// Which subscriptions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscriptionQuery {
    /// Those of this contact.
    #[schemars(regex(pattern = r"^con_[1-9][0-9]{0,9}$"), example = &"con_12")]
    contact_id: Option<String>,
    /// Those with this status today.
    status: Option<Standing>,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// A subscription as it stands today. Dates are local ones of the business.
#[derive(Debug, Serialize, JsonSchema)]
struct Subscription {
    /// Its id.
    id: String,
    /// Who subscribes.
    contact_id: String,
    /// To which plan.
    plan: String,
    /// What the plan costs per period.
    price: Price,
    /// How often it is paid and its quota renewed.
    period: Period,
    /// Where it stands today.
    status: Standing,
    /// When it began; `null` if it is older than its record.
    started: Option<String>,
    /// When the next payment is due; `null` if no payment is expected.
    due: Option<String>,
    /// Since when it rests.
    paused: Option<String>,
    /// The first day on which it covers nothing; it may be still to come.
    ended: Option<String>,
    /// How many appointments it covers in a period; `null` for any number.
    quota: Option<u32>,
    /// The appointments on it in the current period.
    used: u32,
}

/// A payment that was noted.
#[derive(Debug, Serialize, JsonSchema)]
struct Payment {
    /// What names it outside.
    reference: String,
    /// How much.
    amount: Price,
    /// The due date that it moved; `null` if no payment was expected.
    due_from: Option<String>,
    /// The due date after it.
    due_to: String,
    /// When it was noted.
    #[schemars(extend("format" = "date-time"))]
    noted_at: String,
    /// Who noted it, as in the audit log.
    noted_by: String,
    /// Whether it was less than the price, and moved no due date.
    partial: bool,
    /// Who took it back, as in the audit log; `null` if it stands.
    taken_back_by: Option<String>,
}

/// A subscription with its latest payments.
#[derive(Debug, Serialize, JsonSchema)]
struct SubscriptionWithPayments {
    /// The subscription.
    subscription: Subscription,
    /// Its payments, the latest first, at most 24.
    payments: Vec<Payment>,
}

/// A subscription after an act.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangedSubscription {
    /// The subscription as it is now.
    subscription: Subscription,
    /// Whether anything changed: the same act a second time changes nothing.
    changed: bool,
}

/// Who subscribes to what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscriptionStart {
    /// The contact.
    #[schemars(regex(pattern = r"^con_[1-9][0-9]{0,9}$"), example = &"con_12")]
    contact_id: String,
    /// The plan, by name.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Copa")]
    plan: String,
    /// The local date of the start, today or earlier; today, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-12-10")]
    started: Option<String>,
    /// When the first payment is due; on the start, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-12-10")]
    due: Option<String>,
    /// The e-mail address of the staff member who starts it; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// Which due date is renewed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscriptionRenewal {
    /// The due date that moves by one period. Another one is refused, so that a renewal happens once.
    #[schemars(extend("format" = "date"), example = &"2026-12-10")]
    due: String,
    /// The e-mail address of the staff member who renews it; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// When it ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscriptionEnd {
    /// The first local date on which it covers nothing; today, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-12-10")]
    ends: Option<String>,
    /// Whether paid days may be lost: without it an end before the due date is refused.
    #[serde(default)]
    lose_paid_days: bool,
    /// The e-mail address of the staff member who ends it; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// Who pauses or resumes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscriptionActor {
    /// The e-mail address of the staff member who acts; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

fn shown(one: SubscriptionRecord) -> Subscription {
    let SubscriptionRecord { contact, view, .. } = one;
    let text = |date: Option<Date>| date.map(|date| date.to_string());
    Subscription {
        id: view.id.to_string(),
        contact_id: contact.to_string(),
        plan: view.plan,
        price: view.price.into(),
        period: match view.period {
            PlanPeriod::Week => Period::Week,
            PlanPeriod::Month => Period::Month,
            PlanPeriod::Year => Period::Year,
        },
        status: view.status.into(),
        started: text(view.dates.started),
        due: text(view.dates.due),
        paused: text(view.dates.paused),
        ended: text(view.dates.ended),
        quota: view.quota,
        used: view.used,
    }
}

fn payment(one: NotedPayment) -> Payment {
    Payment {
        reference: one.reference,
        amount: one.amount.into(),
        due_from: one.due_from.map(|due| due.to_string()),
        due_to: one.due_to.to_string(),
        noted_at: one.noted_at.to_string(),
        noted_by: one.noted_by,
        partial: one.is_partial,
        taken_back_by: one.taken_back_by,
    }
}

fn example(status: &str, due: &str) -> Value {
    json!({ "id": "sub_3", "contact_id": "con_12", "plan": "Copa", "price": { "cents": 15900, "currency": "BRL" },
        "period": "month", "status": status, "started": "2026-08-10", "due": due, "paused": null, "ended": null,
        "quota": 4, "used": 1 })
}

const NOT_CHANGED: (u16, &str) = (409, "`ended` with the date in `facts`, or `changed_meanwhile`: ask again.");

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let changed: Value = json!({ "subscription": example("active", "2026-12-10"), "changed": true });
    let moved: Value = json!({ "subscription": example("active", "2027-01-10"), "changed": true });
    let list = Route {
        method: Method::Get,
        path: "/v1/subscriptions",
        scope: Scope::Read,
        name: "list_subscriptions",
        group: "Subscriptions",
        summary: "Subscriptions to plans",
        description: "In order of id, as they stand today. With `status` a page may hold fewer rows than `limit`, even none, and yet \
                      not be the last one.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [example("overdue", "2026-11-08")], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/subscriptions/{id}",
        name: "get_subscription",
        summary: "One subscription with its payments",
        description: "",
        id: Some(PathId { kind: "subscription", prefix: SubscriberId::PREFIX }),
        answer: json!({ "subscription": example("active", "2026-12-10"), "payments": [{ "reference": "PIX-2026-11-0031",
            "amount": { "cents": 15900, "currency": "BRL" }, "due_from": "2026-11-10", "due_to": "2026-12-10",
            "noted_at": "2026-11-09T13:00:00Z", "noted_by": "davi@figueira.example", "partial": false,
            "taken_back_by": null }] }),
        ..list.clone()
    };
    let start = Route {
        method: Method::Post,
        scope: Scope::Write,
        name: "start_subscription",
        summary: "Start a subscription",
        description: "The first payment is due on the start, unless `due` says otherwise. A subscription that ended starts again under \
                      its id.",
        success: 201,
        refusals: &[(409, "`already_subscribed` with the subscription in `facts`, or `changed_meanwhile`: ask again.")],
        body: Some(json!({ "contact_id": "con_12", "plan": "Copa" })),
        answer: changed.clone(),
        ..list.clone()
    };
    let [pay, take_back] = payments::routes(&show, &changed, &moved);
    let renew = Route {
        path: "/v1/subscriptions/{id}/renew",
        name: "renew_subscription",
        summary: "Renew without a payment",
        description: "Moves the due date by one period. `due` is the date that moves: the same renewal again changes nothing.",
        refusals: &[(
            409,
            "`ended`, `other_due` with the due date in `facts`, `beyond_calendar`, or `changed_meanwhile`: ask again.",
        )],
        body: Some(json!({ "due": "2026-12-10" })),
        answer: moved,
        ..pay.clone()
    };
    let pause = Route {
        path: "/v1/subscriptions/{id}/pause",
        name: "pause_subscription",
        summary: "Pause a subscription",
        description: "It covers nothing from today on, until it is resumed.",
        refusals: &[NOT_CHANGED],
        body: Some(json!({})),
        answer: changed,
        ..pay.clone()
    };
    let resume = Route {
        path: "/v1/subscriptions/{id}/resume",
        name: "resume_subscription",
        summary: "Resume a subscription",
        description: "The due date moves by the days of the pause. Of a subscription that is not paused, an end that is still to come is \
                      taken back.",
        ..pause.clone()
    };
    let end = Route {
        path: "/v1/subscriptions/{id}/end",
        name: "end_subscription",
        summary: "End a subscription",
        description: "Today, or on the date of `ends`, the first day on which it covers nothing. Appointments on the plan stay. An end \
                      before the due date loses paid days, so it needs `lose_paid_days`.",
        refusals: &[(
            409,
            "`ended` with the date in `facts`, `paid_until` with the date and the days, or `changed_meanwhile`: ask again.",
        )],
        body: Some(json!({ "ends": "2026-12-10" })),
        ..pause.clone()
    };
    Ok(vec![
        Endpoint::new(list, page)?,
        Endpoint::new(start, start_subscription)?,
        Endpoint::new(show, get)?,
        Endpoint::new(pay, payments::note_payment)?,
        Endpoint::new(take_back, payments::take_back_payment)?,
        Endpoint::new(renew, renew_subscription)?,
        Endpoint::new(pause, pause_subscription)?,
        Endpoint::new(resume, resume_subscription)?,
        Endpoint::new(end, end_subscription)?,
    ])
}

fn subscriptions(call: &Call) -> Subscriptions {
    Subscriptions::new(call.api.app()).once(call.key.clone())
}

fn actor(call: &Call, staff: Option<String>) -> Actor {
    staff.map_or_else(|| Actor::Program(call.caller.actor()), Actor::Staff)
}

fn date(pointer: &str, text: Option<String>) -> Result<Option<Date>, Problem> {
    text.map(|text| field(pointer, &text)).transpose()
}

type Changed = Result<Done<ChangedSubscription>, Problem>;

fn granted(answer: Result<Result<SubscriptionChange, SubscriptionRefusal>, UseCaseError>) -> Changed {
    let done = answer?.map_err(refusals::of_subscription)?;
    Ok(ChangedSubscription { subscription: shown(done.subscription), changed: done.changed }.into())
}

async fn act(call: Call, act: SubscriptionAct, staff: Option<String>) -> Changed {
    let by = actor(&call, staff);
    granted(subscriptions(&call).change(call.organization(), call.id()?, act, by).await)
}

async fn page(call: Call, query: SubscriptionQuery, _body: Nothing) -> Result<Done<Page<Subscription>>, Problem> {
    let contact = query.contact_id.map(|text| parameter::<ContactId>("contact_id", &text)).transpose()?;
    let filter = SubscriptionFilter { contact, status: query.status.map(Into::into) };
    let after = query.cursor.as_deref().map(cursor::read_id).transpose()?;
    let limit = cursor::limit(query.limit);
    let found = Subscriptions::new(call.api.app()).page(call.organization(), filter, after, limit).await?;
    let next_cursor = found.next.map(|id| cursor::of_id(id.into()));
    Ok(Page { items: found.items.into_iter().map(shown).collect(), next_cursor }.into())
}

async fn get(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<SubscriptionWithPayments>, Problem> {
    let id: SubscriberId = call.id()?;
    let found = Subscriptions::new(call.api.app()).find(call.organization(), id).await?;
    let (one, payments) = found.ok_or_else(|| refusals::missing("subscription", id))?;
    let payments = payments.into_iter().map(payment).collect();
    Ok(SubscriptionWithPayments { subscription: shown(one), payments }.into())
}

async fn start_subscription(call: Call, _query: Nothing, asked: SubscriptionStart) -> Changed {
    let request = StartRequest {
        contact: field("/contact_id", &asked.contact_id)?,
        plan: asked.plan,
        started: date("/started", asked.started)?,
        due: date("/due", asked.due)?,
    };
    let by = actor(&call, asked.staff);
    granted(subscriptions(&call).start(call.organization(), request, by).await)
}

async fn renew_subscription(call: Call, _query: Nothing, asked: SubscriptionRenewal) -> Changed {
    let due = field("/due", &asked.due)?;
    act(call, SubscriptionAct::Renew { due }, asked.staff).await
}

async fn pause_subscription(call: Call, _query: Nothing, asked: SubscriptionActor) -> Changed {
    act(call, SubscriptionAct::Pause, asked.staff).await
}

async fn resume_subscription(call: Call, _query: Nothing, asked: SubscriptionActor) -> Changed {
    act(call, SubscriptionAct::Resume, asked.staff).await
}

async fn end_subscription(call: Call, _query: Nothing, asked: SubscriptionEnd) -> Changed {
    let on = date("/ends", asked.ends)?;
    act(call, SubscriptionAct::End { on, gives_up_paid: asked.lose_paid_days }, asked.staff).await
}
