//! The subscriptions of a contact: whether one exists, and for which plan.

use balcao_domain::subscription::SubscriberStatus;
use balcao_domain::{ContactId, Money, OrganizationId, Phone};
use balcao_store::{Tx, crm::contact, crm::subscription, scheduling::catalog};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, organization};

/// One subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionView {
    /// The plan.
    pub plan: String,
    /// What it costs per period.
    pub price: Money,
    /// `active`, `overdue` or `cancelled`.
    pub status: SubscriberStatus,
    /// When the next payment is due.
    pub due: Option<Date>,
    /// What the plan gives, in words.
    pub benefits: Vec<String>,
}

/// The answer about the subscriptions of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriberView {
    /// Whether the person is known at all.
    pub found: bool,
    /// Their name.
    pub client_name: Option<String>,
    /// Their number in E.164.
    pub phone: Option<String>,
    /// Whether a subscription is active. An overdue one is not, and covers nothing.
    pub is_subscriber: bool,
    /// Their subscriptions: active ones first, cancelled ones last.
    pub subscriptions: Vec<SubscriptionView>,
    /// The earliest due date of those that are not cancelled.
    pub due_date: Option<Date>,
}

/// Why the query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum SubscriberRefusal {
    /// The phone belongs to another contact, and only staff may ask about others.
    Forbidden,
    /// Not a telephone number.
    Phone {
        /// As given.
        text: String,
    },
}

/// Tells who subscribes.
#[derive(Debug, Clone)]
pub struct Subscriptions {
    desk: AppContext,
}

impl Subscriptions {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: AppContext) -> Self {
        Self { desk }
    }

    /// Returns the subscriptions of `asking`, or of the contact with the phone: another contact's only if `for_staff`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn status(
        &self,
        organization: OrganizationId,
        asking: ContactId,
        phone: Option<String>,
        for_staff: bool,
    ) -> Result<Result<SubscriberView, SubscriberRefusal>, UseCaseError> {
        self.desk
            .look(move |tx, _now| {
                let Some(text) = phone else { return Ok(Ok(view(tx, organization, Some(asking), None)?)) };
                let Ok(phone) = Phone::parse(&text) else { return Ok(Err(SubscriberRefusal::Phone { text })) };
                let owner = contact::find_by_phone(tx, organization, &phone)?.map(|owner| owner.id);
                if !for_staff && owner != Some(asking) {
                    // The answer does not reveal whether the number is known.
                    return Ok(Err(SubscriberRefusal::Forbidden));
                }
                Ok(Ok(view(tx, organization, owner, Some(&phone))?))
            })
            .await
    }
}

fn view(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    who: Option<ContactId>,
    phone: Option<&Phone>,
) -> Result<SubscriberView, UseCaseError> {
    let (organization, _) = organization(tx, id)?;
    let found = match who {
        Some(who) => contact::find(tx, id, who)?,
        None => None,
    };
    let plans = catalog::list_plans(tx, id, organization.currency)?;
    let mut rows = match who {
        Some(who) => subscription::of_contact(tx, id, who)?,
        None => Vec::new(),
    };
    rows.sort_by_key(|row| match row.status {
        SubscriberStatus::Active => 0,
        SubscriberStatus::Overdue => 1,
        SubscriberStatus::Cancelled => 2,
    });
    let due = rows.iter().filter(|row| row.status != SubscriberStatus::Cancelled).filter_map(|row| row.due).min();
    let is_subscriber = rows.iter().any(|row| row.status == SubscriberStatus::Active);
    let named = rows.into_iter().filter_map(|row| {
        let plan = plans.iter().find(|plan| plan.id == row.plan)?;
        Some(SubscriptionView {
            plan: plan.name.clone(),
            price: plan.price,
            status: row.status,
            due: row.due,
            benefits: plan.benefits.clone(),
        })
    });
    let own_phone = found.as_ref().and_then(|contact| contact.phone.as_ref());
    Ok(SubscriberView {
        found: found.is_some(),
        phone: own_phone.or(phone).map(|phone| phone.e164().to_owned()),
        is_subscriber,
        subscriptions: named.collect(),
        due_date: due,
        client_name: found.and_then(|contact| contact.name),
    })
}
