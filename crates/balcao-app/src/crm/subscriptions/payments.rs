//! Payments that are taken back.

use balcao_domain::appointment::visit::UNDO_WITHIN;
use balcao_domain::subscription::Subscriber;
use balcao_domain::{OrganizationId, SubscriberId};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::ops::audit;
use balcao_store::turns::event;
use balcao_store::{Tx, crm::subscription};
use jiff::Timestamp;

use super::acts::{ATTEMPTS, Answer, answer, author, entry, shown};
use super::amounts::with_payment;
use super::view::Plans;
use super::{SubscriptionChange, SubscriptionRefusal, Subscriptions};
use crate::context::app_context::granted;
use crate::context::staff_email::Actor;

impl Subscriptions {
    /// Takes a payment back within a day, as a mark of a visit can be undone: the due date is then as it was before. A second time changes
    /// nothing.
    ///
    /// # Errors
    /// [`crate::UseCaseError`] if the database failed; inside, why the payment stays.
    pub async fn take_back_payment(
        &self,
        organization: OrganizationId,
        id: SubscriberId,
        reference: String,
        by: Actor,
    ) -> Answer<SubscriptionChange> {
        let reference = reference.trim().to_owned();
        let work =
            move |tx: &mut Tx<'_>, now| tx.savepoint(|tx| take_back(tx, (organization, id), &reference, &by, now));
        self.app.act(organization, self.key.clone(), work).await
    }
}

fn take_back(
    tx: &mut Tx<'_>,
    (organization, id): (OrganizationId, SubscriberId),
    reference: &str,
    by: &Actor,
    now: Timestamp,
) -> Answer<SubscriptionChange> {
    let actor = granted!(author(tx, organization, by)?);
    let plans = Plans::load(tx, organization, now)?;
    for _attempt in 0..ATTEMPTS {
        let Some(read) = subscription::find(tx, organization, id)? else {
            return Ok(Err(SubscriptionRefusal::NotFound { id }));
        };
        let Some(payment) = subscription::find_payment(tx, organization, id, reference)? else {
            return Ok(Err(SubscriptionRefusal::NoPayment { reference: reference.to_owned() }));
        };
        if payment.taken_back.is_some() {
            return answer(tx, &plans, &read, false);
        }
        if now >= payment.noted_at.checked_add(UNDO_WITHIN).unwrap_or(Timestamp::MAX) {
            return Ok(Err(SubscriptionRefusal::PaymentTooOld { noted_at: payment.noted_at }));
        }
        let dates = if payment.is_partial {
            read.dates
        } else {
            let dates = read.dates.take_back(payment.due_from, payment.due_to);
            granted!(dates.map_err(|due| SubscriptionRefusal::DueMovedSince { due }))
        };
        if !subscription::change(tx, organization, &read, &dates)? {
            continue;
        }
        // The changed row is locked, so no other transaction takes this payment back now.
        if !is_on(Bug::PaymentStandsWhenTakenBack)
            && !subscription::take_back_payment(tx, organization, id, reference, (&actor, now))?
        {
            return Ok(Err(SubscriptionRefusal::ChangedMeanwhile));
        }
        let before = shown(&plans, &read, &read.dates);
        let after = with_payment(shown(&plans, &read, &dates), reference, payment.amount_cents);
        let acted = (actor.as_str(), "subscription.take_back_payment");
        audit::append(tx, organization, &entry(acted, id, (Some(before), after), now))?;
        event::push(tx, organization, "subscription_payment_taken_back", &id.to_string(), "{}", now)?;
        return answer(tx, &plans, &Subscriber { dates, revision: read.revision.saturating_add(1), ..read }, true);
    }
    Ok(Err(SubscriptionRefusal::ChangedMeanwhile))
}
