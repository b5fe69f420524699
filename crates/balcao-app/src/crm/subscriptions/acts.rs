//! What staff and programs do: start a subscription, note a payment, renew, pause, resume and end it.

use balcao_domain::money::MAX_PRICE_CENTS;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::payment::AmountKind;
use balcao_domain::subscription::{Subscriber, SubscriptionDates};
use balcao_domain::{ContactId, Money, OrganizationId, SubscriberId};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::crm::subscription::{self, NewSubscription, SubscriptionPayment};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::turns::event;
use balcao_store::{Tx, crm::contact, crm::staff};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::amounts::{periods, with_payment};
use super::pages::{SubscriptionRecord, record};
use super::view::Plans;
use super::{SubscriptionRefusal, Subscriptions};
use crate::context::app_context::{UseCaseError, granted};
use crate::context::names::{NameRefusal, find};
use crate::context::staff_email::{Actor, by_email};

/// The most characters of the reference of a payment.
pub(super) const MAX_REFERENCE: usize = 100;
/// Attempts at a change while others change the same subscription.
pub(super) const ATTEMPTS: u32 = 3;

/// What is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRequest {
    /// Who subscribes.
    pub contact: ContactId,
    /// The plan, by name.
    pub plan: String,
    /// The local date of the start; today, if absent. It may be past.
    pub started: Option<Date>,
    /// When the first payment is due; on the start, if absent.
    pub due: Option<Date>,
}

/// A payment that is to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentRequest {
    /// What names the payment outside, such as the number of a transfer: a second payment with it is the same one.
    pub reference: String,
    /// The amount in cents; the price of the plan, if absent.
    pub amount_cents: Option<i64>,
    /// What is said of an amount other than the price of the plan.
    pub kind: AmountKind,
}

/// A subscription after an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionChange {
    /// The subscription as it is now.
    pub subscription: SubscriptionRecord,
    /// Whether anything changed: the same act a second time changes nothing.
    pub changed: bool,
    /// How many periods a payment moved the due date by; 0 for any other act.
    #[serde(default)]
    pub periods: u32,
}

pub(super) type Answer<T> = Result<Result<T, SubscriptionRefusal>, UseCaseError>;

impl Subscriptions {
    /// Starts a subscription. One that ended starts again under its id.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why it does not start.
    pub async fn start(
        &self,
        organization: OrganizationId,
        request: StartRequest,
        by: Actor,
    ) -> Answer<SubscriptionChange> {
        let work = move |tx: &mut Tx<'_>, now| tx.savepoint(|tx| start(tx, organization, &request, &by, now));
        self.app.act(organization, self.key.clone(), work).await
    }

    /// Renews, pauses, resumes or ends a subscription. [`Self::note_payment`] notes payments.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why it stays as it is.
    pub async fn change(
        &self,
        organization: OrganizationId,
        id: SubscriberId,
        act: SubscriptionAct,
        by: Actor,
    ) -> Answer<SubscriptionChange> {
        let work = move |tx: &mut Tx<'_>, now| {
            tx.savepoint(|tx| change(tx, &Change { organization, id, act, payment: None, by: &by, now }))
        };
        self.app.act(organization, self.key.clone(), work).await
    }

    /// Notes a payment of the plan's price, which moves the due date by one period; of another amount only if the request says so. A payment
    /// with the same reference counts once.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why it is not noted.
    pub async fn note_payment(
        &self,
        organization: OrganizationId,
        id: SubscriberId,
        request: PaymentRequest,
        by: Actor,
    ) -> Answer<SubscriptionChange> {
        let reference = request.reference.trim().to_owned();
        let is_reference = (1..=MAX_REFERENCE).contains(&reference.chars().count());
        if !is_reference || reference.chars().any(char::is_control) {
            return Ok(Err(SubscriptionRefusal::Reference));
        }
        let request = PaymentRequest { reference, ..request };
        let work = move |tx: &mut Tx<'_>, now| {
            // How many periods the amount pays is known once the plan is read.
            let act = SubscriptionAct::Pay { periods: 1 };
            tx.savepoint(|tx| change(tx, &Change { organization, id, act, payment: Some(&request), by: &by, now }))
        };
        self.app.act(organization, self.key.clone(), work).await
    }
}

pub(super) fn author(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    by: &Actor,
) -> Result<Result<String, SubscriptionRefusal>, UseCaseError> {
    let all = staff::list(tx, organization)?;
    if let Actor::Staff(email) = by
        && let Some(me) = by_email(&all, email).ok().filter(|me| !me.role.changes_subscriptions())
    {
        return Ok(Err(SubscriptionRefusal::NotAllowed { email: me.email.clone(), role: me.role }));
    }
    Ok(by.identify(&all).map(|author| author.name().to_owned()).map_err(SubscriptionRefusal::from))
}

fn start(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    request: &StartRequest,
    by: &Actor,
    now: Timestamp,
) -> Answer<SubscriptionChange> {
    let actor = granted!(author(tx, organization, by)?);
    if contact::find(tx, organization, request.contact)?.is_none() {
        return Ok(Err(SubscriptionRefusal::NoContact { id: request.contact }));
    }
    let plans = Plans::load(tx, organization, now)?;
    let on_sale: Vec<_> = plans.plans.iter().filter(|plan| plan.active).collect();
    let found = find(&request.plan, on_sale.iter().map(|plan| (&plan.name, [].as_slice())));
    let found = granted!(found.map_err(SubscriptionRefusal::Plan));
    let Some(plan) = on_sale.get(found.index) else { return Ok(Err(SubscriptionRefusal::ChangedMeanwhile)) };
    if found.near {
        // What costs money every month is not started on a guess.
        let known = on_sale.iter().map(|plan| plan.name.clone()).collect();
        let refusal = NameRefusal::NotFound { query: request.plan.clone(), nearest: Some(plan.name.clone()), known };
        return Ok(Err(SubscriptionRefusal::Plan(refusal)));
    }
    let today = plans.today();
    let dates = SubscriptionDates::start(request.started.unwrap_or(today), request.due, today);
    let new = NewSubscription { contact: request.contact, plan: plan.id, dates: granted!(dates.map_err(Into::into)) };
    let before = of_plan(tx, organization, &new)?;
    let Some(id) = subscription::start(tx, organization, &new, today)? else {
        // Read again: another start may have come first.
        let Some(existing) = of_plan(tx, organization, &new)? else {
            return Ok(Err(SubscriptionRefusal::ChangedMeanwhile));
        };
        let status = plans.status_of(&existing.dates);
        return Ok(Err(SubscriptionRefusal::AlreadySubscribed { id: existing.id, plan: plan.name.clone(), status }));
    };
    let Some(started) = subscription::find(tx, organization, id)? else {
        return Ok(Err(SubscriptionRefusal::ChangedMeanwhile));
    };
    let before = before.map(|one| shown(&plans, &one, &one.dates));
    let after = shown(&plans, &started, &started.dates);
    let entry = entry((&actor, "subscription.start"), id, (before, after), now);
    audit::append(tx, organization, &entry)?;
    event::push(tx, organization, "subscription_started", &id.to_string(), "{}", now)?;
    answer(tx, &plans, &started, true)
}

/// The contact's subscription to a plan, whatever its status.
fn of_plan(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewSubscription,
) -> Result<Option<Subscriber>, UseCaseError> {
    let all = subscription::of_contact(tx, organization, new.contact)?;
    Ok(all.into_iter().find(|one| one.plan == new.plan))
}

/// An act on a subscription, with its payment if it is one.
struct Change<'a> {
    organization: OrganizationId,
    id: SubscriberId,
    act: SubscriptionAct,
    payment: Option<&'a PaymentRequest>,
    by: &'a Actor,
    now: Timestamp,
}

impl Change<'_> {
    /// The act in the audit log, and the kind of its event.
    const fn names(&self) -> (&'static str, &'static str) {
        match self.act {
            SubscriptionAct::Renew { .. } => ("subscription.renew", "subscription_renewed"),
            SubscriptionAct::Pay { .. } => ("subscription.pay", "subscription_paid"),
            SubscriptionAct::Pause => ("subscription.pause", "subscription_paused"),
            SubscriptionAct::Resume => ("subscription.resume", "subscription_resumed"),
            SubscriptionAct::End { .. } => ("subscription.end", "subscription_ended"),
        }
    }
}

fn change(tx: &mut Tx<'_>, asked: &Change<'_>) -> Answer<SubscriptionChange> {
    let Change { organization, id, now, .. } = *asked;
    let actor = granted!(author(tx, organization, asked.by)?);
    let plans = Plans::load(tx, organization, now)?;
    for _attempt in 0..ATTEMPTS {
        let Some(read) = subscription::find(tx, organization, id)? else {
            return Ok(Err(SubscriptionRefusal::NotFound { id }));
        };
        let Some(plan) = plans.plan_of(&read) else { return Ok(Err(SubscriptionRefusal::NotFound { id })) };
        let amount = asked.payment.map(|payment| {
            let cents = payment.amount_cents.unwrap_or(plan.price.cents);
            (payment, Money::new(cents, plan.price.currency))
        });
        if let Some((payment, amount)) = amount
            && granted!(is_noted(tx, asked, payment, amount)?)
        {
            return answer(tx, &plans, &read, false);
        }
        let paid = match amount {
            Some((payment, amount)) => granted!(periods(payment.kind, amount, plan.price)),
            None => 0,
        };
        let is_partial = amount.is_some() && paid == 0;
        let act = match asked.act {
            SubscriptionAct::Pay { .. } => SubscriptionAct::Pay { periods: paid.max(1) },
            SubscriptionAct::Renew { due } if is_on(Bug::RenewalNotCompared) => {
                SubscriptionAct::Renew { due: read.dates.due.unwrap_or(due) }
            }
            other @ (SubscriptionAct::Renew { .. }
            | SubscriptionAct::Pause
            | SubscriptionAct::Resume
            | SubscriptionAct::End { .. }) => other,
        };
        let decided = read.dates.decide(act, plan.period, plans.today());
        let Some(moved) = granted!(decided.map_err(SubscriptionRefusal::from)) else {
            return answer(tx, &plans, &read, false);
        };
        let dates = if is_partial { read.dates } else { moved };
        if !subscription::change(tx, organization, &read, &dates)? {
            continue;
        }
        let mut after = shown(&plans, &read, &dates);
        if let Some((payment, amount)) = amount {
            let new = SubscriptionPayment {
                reference: payment.reference.clone(),
                amount_cents: amount.cents,
                due_from: read.dates.due,
                due_to: dates.due.unwrap_or_else(|| plans.today()),
                noted_at: now,
                noted_by: actor.clone(),
                is_partial,
                taken_back: None,
            };
            // The changed row is locked, so no other transaction notes this reference now.
            if !subscription::insert_payment(tx, organization, id, &new)? {
                return Ok(Err(SubscriptionRefusal::ChangedMeanwhile));
            }
            after = with_payment(after, &new.reference, amount.cents);
        }
        let values = (Some(shown(&plans, &read, &read.dates)), after);
        let (action, kind) = asked.names();
        audit::append(tx, organization, &entry((&actor, action), id, values, now))?;
        event::push(tx, organization, kind, &id.to_string(), "{}", now)?;
        let now_is = Subscriber { dates, revision: read.revision.saturating_add(1), ..read };
        return Ok(answer(tx, &plans, &now_is, true)?.map(|change| SubscriptionChange { periods: paid, ..change }));
    }
    Ok(Err(SubscriptionRefusal::ChangedMeanwhile))
}

/// Whether this very payment was noted before.
fn is_noted(tx: &mut Tx<'_>, asked: &Change<'_>, payment: &PaymentRequest, amount: Money) -> Answer<bool> {
    if amount.cents <= 0 || amount.cents > MAX_PRICE_CENTS {
        return Ok(Err(SubscriptionRefusal::Amount { amount }));
    }
    let noted = subscription::find_payment(tx, asked.organization, asked.id, &payment.reference)?;
    let noted = noted.filter(|noted| noted.taken_back.is_none());
    Ok(match noted {
        Some(noted) if payment.amount_cents.is_some() && noted.amount_cents != amount.cents => {
            let amount = Money::new(noted.amount_cents, amount.currency);
            Err(SubscriptionRefusal::ReferenceUsed { amount })
        }
        noted => Ok(noted.is_some()),
    })
}

pub(super) fn answer(tx: &mut Tx<'_>, plans: &Plans, one: &Subscriber, changed: bool) -> Answer<SubscriptionChange> {
    let found = record(tx, plans, one)?;
    let answer = found.map(|subscription| SubscriptionChange { subscription, changed, periods: 0 });
    Ok(answer.ok_or(SubscriptionRefusal::NotFound { id: one.id }))
}

/// A subscription as the log shows it. Who subscribes is not among it: the log is not deleted by age.
pub(super) fn shown(plans: &Plans, one: &Subscriber, dates: &SubscriptionDates) -> Value {
    json!({ "plan": plans.plan_of(one).map(|plan| plan.name.as_str()), "status": plans.status_of(dates).as_str(),
            "started": dates.started, "due": dates.due, "paused": dates.paused, "ended": dates.ended })
}

pub(super) fn entry(
    (actor, action): (&str, &str),
    subject: SubscriberId,
    (before, after): (Option<Value>, Value),
    at: Timestamp,
) -> AuditEntry {
    AuditEntry {
        at,
        actor: actor.to_owned(),
        action: action.to_owned(),
        subject: subject.to_string(),
        before: before.map(|value| value.to_string()),
        after: Some(after.to_string()),
    }
}
