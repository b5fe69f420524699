//! Subscriptions, page by page, and one with its payments.

use balcao_domain::subscription::{Subscriber, SubscriberStatus};
use balcao_domain::{ContactId, Money, OrganizationId, SubscriberId};
use balcao_store::{Tx, crm::contact, crm::subscription};
use serde::{Deserialize, Serialize};

use super::Subscriptions;
use super::view::{NotedPayment, Plans, SubscriptionView};
use crate::context::app_context::UseCaseError;

/// Subscriptions that one page looks at, at most; the next page goes on where it ended.
const LOOKED_AT: u32 = 5_000;
/// Subscriptions that are read at a time.
const BATCH: u32 = 500;
/// Payments that are shown of a subscription.
const PAYMENTS: u32 = 24;

/// A subscription and its contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionRecord {
    /// Who subscribes.
    pub contact: ContactId,
    /// Their name.
    pub contact_name: Option<String>,
    /// The subscription.
    #[serde(flatten)]
    pub view: SubscriptionView,
}

/// Which subscriptions are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct SubscriptionFilter {
    /// Those of this contact.
    pub contact: Option<ContactId>,
    /// Those with this status today.
    pub status: Option<SubscriberStatus>,
}

/// Some subscriptions, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionPage {
    /// In order of id.
    pub items: Vec<SubscriptionRecord>,
    /// The subscription that the next page begins behind; `None` on the last one.
    pub next: Option<SubscriberId>,
}

impl Subscriptions {
    /// A page of at most `limit` subscriptions, in order of id. With a status in the filter a page may hold fewer, even none, and yet not
    /// be the last one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        organization: OrganizationId,
        filter: SubscriptionFilter,
        after: Option<SubscriberId>,
        limit: u32,
    ) -> Result<SubscriptionPage, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let plans = Plans::load(tx, organization, now)?;
                let (chosen, next) = choose(tx, &plans, filter, after, limit)?;
                let mut items = Vec::with_capacity(chosen.len());
                for one in &chosen {
                    items.extend(record(tx, &plans, one)?);
                }
                Ok(SubscriptionPage { items, next })
            })
            .await
    }

    /// A subscription with its latest payments; `None` if the organization has none of this id.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriberId,
    ) -> Result<Option<(SubscriptionRecord, Vec<NotedPayment>)>, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let plans = Plans::load(tx, organization, now)?;
                let Some(one) = subscription::find(tx, organization, id)? else { return Ok(None) };
                let Some(record) = record(tx, &plans, &one)? else { return Ok(None) };
                let payments = subscription::list_payments(tx, organization, id, PAYMENTS)?;
                let noted = payments.into_iter().map(|one| NotedPayment {
                    amount: Money::new(one.amount_cents, plans.organization.currency),
                    reference: one.reference,
                    due_from: one.due_from,
                    due_to: one.due_to,
                    noted_at: one.noted_at,
                    noted_by: one.noted_by,
                    is_partial: one.is_partial,
                    taken_back_by: one.taken_back.map(|(_, by)| by),
                });
                Ok(Some((record, noted.collect())))
            })
            .await
    }
}

type Chosen = (Vec<Subscriber>, Option<SubscriberId>);

fn choose(
    tx: &mut Tx<'_>,
    plans: &Plans,
    filter: SubscriptionFilter,
    mut after: Option<SubscriberId>,
    limit: u32,
) -> Result<Chosen, UseCaseError> {
    let organization = plans.organization.id;
    let fits = |one: &Subscriber| filter.status.is_none_or(|wanted| plans.status_of(&one.dates) == wanted);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut chosen = Vec::new();
    for _ in 0..LOOKED_AT / BATCH {
        let (batch, is_last) = match filter.contact {
            Some(contact) => {
                let mut all = subscription::of_contact(tx, organization, contact)?;
                all.retain(|one| after.is_none_or(|after| after < one.id));
                (all, true)
            }
            None => {
                let batch = subscription::list(tx, organization, after, BATCH)?;
                let is_last = batch.len() < usize::try_from(BATCH).unwrap_or(usize::MAX);
                (batch, is_last)
            }
        };
        for one in batch {
            if chosen.len() == wanted {
                return Ok((chosen, after));
            }
            after = Some(one.id);
            if fits(&one) {
                chosen.push(one);
            }
        }
        if is_last {
            return Ok((chosen, None));
        }
    }
    Ok((chosen, after))
}

pub(super) fn record(
    tx: &mut Tx<'_>,
    plans: &Plans,
    one: &Subscriber,
) -> Result<Option<SubscriptionRecord>, UseCaseError> {
    let Some(view) = plans.view(tx, one)? else { return Ok(None) };
    let who = contact::find(tx, plans.organization.id, one.contact)?;
    Ok(Some(SubscriptionRecord { contact: one.contact, contact_name: who.and_then(|who| who.name), view }))
}
