//! How a delivery must not be taken in: bugs that the simulator must find (`balcao_seeded_bugs`).

use std::sync::Arc;

use balcao_channel::InboundEvent;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{StoreError, Tx, messaging::inbox};
use jiff::Timestamp;

use super::{Accepted, Inbox, UploadedFile};
use crate::context::app_context::UseCaseError;

pub(super) use balcao_seeded_bugs::AVAILABLE;

/// Stores a delivery after a look at what is known, or acknowledges one that could not be stored.
pub(super) async fn store_delivery(
    inbox: &Inbox,
    channel: &'static str,
    events: Vec<InboundEvent>,
    brought: Option<Arc<UploadedFile>>,
) -> Result<Accepted, UseCaseError> {
    let events = if is_on(Bug::DedupedByReading) { new_by_reading(inbox, channel, events).await } else { events };
    match inbox.store_delivery(channel, events, brought).await {
        Err(_) if is_on(Bug::AcknowledgedBeforeCommit) => Ok(Accepted::default()),
        stored => stored,
    }
}

/// Whether each delivery of an event gets another key, so that only [`new_by_reading`] finds a repeated event.
pub(super) fn makes_keys_unique() -> bool {
    is_on(Bug::DedupedByReading)
}

/// A key that no other delivery of the event has.
pub(super) fn unique_key(event: &InboundEvent, now: Timestamp) -> String {
    format!("{}{}", event.dedupe_key(), now.as_nanosecond())
}

/// Leaves out what has come before, as far as another transaction can tell.
async fn new_by_reading(inbox: &Inbox, channel: &'static str, events: Vec<InboundEvent>) -> Vec<InboundEvent> {
    let (looked, all) = (inbox.clone(), events.clone());
    let read = move |tx: &mut Tx<'_>| {
        let mut new = Vec::new();
        for event in events {
            let id = if let InboundEvent::Message(message) = &event { message.id.as_str() } else { "" };
            let known = match looked.account(channel, &event) {
                Some(account) => {
                    inbox::find_message(tx, account.organization, channel, &account.account, id)?.is_some()
                }
                None => false,
            };
            if !known {
                new.push(event);
            }
        }
        Ok::<_, StoreError>(new)
    };
    inbox.app.store.read(read).await.unwrap_or(all)
}
