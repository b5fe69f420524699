//! Subscribers. Plans are in [`crate::scheduling::catalog`].

use balcao_domain::subscription::{Subscriber, SubscriberStatus};
use balcao_domain::{ContactId, OrganizationId, SubscriberId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{values, word};

/// Adds a subscription; its `id` is not looked at.
///
/// # Errors
/// A unique violation if the contact already has one of that plan.
pub fn insert(tx: &mut Tx<'_>, organization: OrganizationId, new: &Subscriber) -> Result<SubscriberId, StoreError> {
    tx.insert(
        "INSERT INTO subscriber (organization_id, contact_id, plan_id, status, due_on) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![organization, new.contact, new.plan, new.status.as_str(), new.due],
    )
}

/// A contact's subscriptions, in order of id.
///
/// # Errors
/// What the database said.
pub fn of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<Subscriber>, StoreError> {
    tx.query_all(
        "SELECT id, contact_id, plan_id, status, due_on FROM subscriber WHERE organization_id = ?1 AND contact_id = ?2 ORDER BY id",
        values![organization, contact],
        |row| {
            Ok(Subscriber {
                id: row.get(0)?,
                contact: row.get(1)?,
                plan: row.get(2)?,
                status: word(row, 3, SubscriberStatus::from_word)?,
                due: row.get(4)?,
            })
        },
    )
}
