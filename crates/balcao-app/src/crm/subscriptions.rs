//! Subscriptions: who subscribes to what, and what staff and programs do to a subscription.
//!
//! The rules are pure ([`balcao_domain::subscription`]). A subscription is stored as dates, and its status follows from them on each read.
//! A change, its row of the audit log and, of a payment, the payment commit together.

mod acts;
mod amounts;
mod pages;
mod payments;
mod refusal;
mod view;

use balcao_domain::subscription::SubscriberStatus;
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, crm::contact, crm::subscription};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

pub use acts::{PaymentRequest, StartRequest, SubscriptionChange};
pub use pages::{SubscriptionFilter, SubscriptionPage, SubscriptionRecord};
pub use refusal::SubscriptionRefusal;
pub use view::{NotedPayment, SubscriptionView};

use crate::context::app_context::{AppContext, UseCaseError};
use view::Plans;

/// The answer about the subscriptions of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriberView {
    /// Whether the person is known at all.
    pub found: bool,
    /// Their name.
    pub client_name: Option<String>,
    /// Their number in E.164.
    pub phone: Option<String>,
    /// Whether a subscription is active. One that is overdue or paused is not, and covers nothing.
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

/// Tells who subscribes, and changes subscriptions.
#[derive(Debug, Clone)]
pub struct Subscriptions {
    app: AppContext,
    key: Option<EffectKey>,
}

impl Subscriptions {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, key: None }
    }

    /// Returns the use case with an effect key, so that an act happens once under this key.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
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
        self.app
            .look(move |tx, now| {
                let Some(text) = phone else {
                    return Ok(Ok(status_of(tx, organization, (Some(asking), None), now)?));
                };
                let Ok(phone) = Phone::parse(&text) else { return Ok(Err(SubscriberRefusal::Phone { text })) };
                let owner = contact::find_by_phone(tx, organization, &phone)?.map(|owner| owner.id);
                if !for_staff && owner != Some(asking) {
                    // The answer does not reveal whether the number is known.
                    return Ok(Err(SubscriberRefusal::Forbidden));
                }
                Ok(Ok(status_of(tx, organization, (owner, Some(&phone)), now)?))
            })
            .await
    }
}

fn status_of(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    (who, phone): (Option<ContactId>, Option<&Phone>),
    now: Timestamp,
) -> Result<SubscriberView, UseCaseError> {
    let found = match who {
        Some(who) => contact::find(tx, id, who)?,
        None => None,
    };
    let plans = Plans::load(tx, id, now)?;
    let rows = match who {
        Some(who) => subscription::of_contact(tx, id, who)?,
        None => Vec::new(),
    };
    let mut subscriptions = Vec::with_capacity(rows.len());
    for row in &rows {
        subscriptions.extend(plans.view(tx, row)?);
    }
    subscriptions.sort_by_key(|one| match one.status {
        SubscriberStatus::Active => 0,
        SubscriberStatus::Overdue => 1,
        SubscriberStatus::Paused => 2,
        SubscriberStatus::Cancelled => 3,
    });
    let open = subscriptions.iter().filter(|one| one.status != SubscriberStatus::Cancelled);
    let due_date = open.filter_map(|one| one.dates.due).min();
    let own_phone = found.as_ref().and_then(|contact| contact.phone.as_ref());
    Ok(SubscriberView {
        found: found.is_some(),
        phone: own_phone.or(phone).map(|phone| phone.e164().to_owned()),
        is_subscriber: subscriptions.iter().any(|one| one.status == SubscriberStatus::Active),
        subscriptions,
        due_date,
        client_name: found.and_then(|contact| contact.name),
    })
}
