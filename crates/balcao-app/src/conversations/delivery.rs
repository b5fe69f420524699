//! Whether what was written to a customer arrived.

use std::collections::BTreeMap;

use balcao_channel::inbound::DeliveryState;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{ConversationId, Currency, MessageId, OrganizationId};
use balcao_store::messaging::delivery::{self, Part};
use balcao_store::{StoreError, Tx, crm::organization};
use serde::Serialize;

use crate::messaging::outbound::costs::MessagePrice;

/// How far a message came; of one that leaves in parts the part that came least far speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// How far.
    pub state: DeliveryStep,
    /// Why it failed, or why it is tried again; for staff.
    pub failure: Option<String>,
    /// What the provider bills it as, in its word: `service`, `utility`, …
    pub category: Option<String>,
    /// What it costs, all parts together; `None` if messages are not metered, and of what did not arrive.
    pub price: Option<MessagePrice>,
}

/// How far a message came, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStep {
    /// The customer saw it, or heard it.
    Read,
    /// It is on the customer's device.
    Delivered,
    /// The channel's provider has it.
    Sent,
    /// It is on its way to the provider, or waits for its turn or for another attempt.
    Waiting,
    /// It may have left, or not: staff decide whether it is sent again.
    Unknown,
    /// It did not arrive, and is not sent again by itself.
    Failed,
}

impl Delivery {
    fn from_part(part: Part, currency: Currency) -> Self {
        let reached = part.delivery.as_deref().and_then(DeliveryState::from_word);
        let state = match (part.state, reached) {
            (OutboxState::Pending | OutboxState::Sending, _) => DeliveryStep::Waiting,
            (OutboxState::Unknown, _) => DeliveryStep::Unknown,
            (OutboxState::Dead, _) => DeliveryStep::Failed,
            (OutboxState::Sent, Some(DeliveryState::Read | DeliveryState::Played)) => DeliveryStep::Read,
            (OutboxState::Sent, Some(DeliveryState::Delivered)) => DeliveryStep::Delivered,
            (OutboxState::Sent, Some(DeliveryState::Sent | DeliveryState::Failed) | None) => DeliveryStep::Sent,
        };
        let micros = part.price_micros.filter(|_| state != DeliveryStep::Failed);
        Self {
            state,
            failure: part.failure.filter(|_| state >= DeliveryStep::Waiting),
            category: part.category,
            price: micros.map(|micros| MessagePrice { micros, currency }),
        }
    }

    /// Combines two parts of a message: the state of the worse part, and the price of both.
    fn with(self, other: Self) -> Self {
        let (worse, better) = if self.state >= other.state { (self, other) } else { (other, self) };
        let price = match (worse.price, better.price) {
            (Some(one), Some(more)) => Some(MessagePrice { micros: one.micros.saturating_add(more.micros), ..one }),
            (one, more) => one.or(more),
        };
        Self { category: worse.category.or(better.category), price, ..worse }
    }
}

/// How far messages of a conversation came; what came in, and what no channel takes, is not among them.
pub(super) fn of_messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    messages: impl Iterator<Item = MessageId> + Clone,
) -> Result<BTreeMap<MessageId, Delivery>, StoreError> {
    let Some((first, last)) = messages.clone().min().zip(messages.max()) else { return Ok(BTreeMap::new()) };
    let mut all: BTreeMap<MessageId, Delivery> = BTreeMap::new();
    let currency = organization::get(tx, organization)?.currency;
    for part in delivery::of_messages(tx, organization, conversation, first, last)? {
        let (message, part) = (part.message, Delivery::from_part(part, currency));
        let whole = match all.remove(&message) {
            Some(known) => known.with(part),
            None => part,
        };
        all.insert(message, whole);
    }
    Ok(all)
}
