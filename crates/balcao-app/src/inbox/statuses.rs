//! What becomes of messages that we sent.

use balcao_channel::inbound::{DeliveryFailure, DeliveryState, StatusUpdate};
use balcao_domain::outbox::OutboxState;
use balcao_store::{Tx, event, outbox};
use serde_json::json;

use super::Arrival;
use crate::desk::UseCaseError;

impl Arrival<'_> {
    /// Moves the message on that a status is about. Statuses repeat, and come in any order, also before the answer to the
    /// request that sent the message.
    pub(super) fn status(&self, tx: &mut Tx<'_>, status: &StatusUpdate) -> Result<&'static str, UseCaseError> {
        let organization = self.organization();
        let account = (self.account.channel.as_str(), self.account.account.as_str());
        let found =
            outbox::find_for_status(tx, organization, account, status.correlation.as_deref(), status.message.as_str())?;
        let Some(mut message) = found else { return Ok("a status of a message that is not known here") };
        let known = message.delivery.as_deref().and_then(DeliveryState::from_word);
        let delivery = known.map_or(status.state, |known| known.merge(status.state));
        let state = moved(message.state, delivery);
        if state == OutboxState::Dead && message.state != OutboxState::Dead {
            let failure = status.failure.as_ref().map_or_else(|| "it failed".to_owned(), in_words);
            let payload = json!({ "failure": failure }).to_string();
            event::push(tx, organization, "message_dead", &message.id.to_string(), &payload, self.now)?;
            message.failure = Some(failure);
        } else if state == OutboxState::Sent {
            message.failure = None;
        }
        message.state = state;
        message.delivery = Some(delivery.as_str().to_owned());
        message.provider_message = Some(status.message.as_str().to_owned());
        outbox::set_delivery(tx, &message, self.now)?;
        Ok("the message's state was brought up to date")
    }
}

/// The state of a message once the provider spoke of it: it has it, or it will not come.
const fn moved(state: OutboxState, delivery: DeliveryState) -> OutboxState {
    match (state, delivery) {
        (_, DeliveryState::Failed) => OutboxState::Dead,
        // Whatever we thought of it, even that it was never sent: it was.
        (
            OutboxState::Pending | OutboxState::Sending | OutboxState::Sent | OutboxState::Unknown | OutboxState::Dead,
            DeliveryState::Sent | DeliveryState::Delivered | DeliveryState::Read | DeliveryState::Played,
        ) => OutboxState::Sent,
    }
}

fn in_words(failure: &DeliveryFailure) -> String {
    let detail = failure.detail.as_deref().unwrap_or("the provider gave no reason");
    match failure.code {
        Some(code) => format!("{detail} (error {code})"),
        None => detail.to_owned(),
    }
}
