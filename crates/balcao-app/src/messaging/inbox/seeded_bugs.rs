//! How a delivery must not be taken in: mistakes that the simulator must find (`balcao_seeded_bugs`).

use balcao_channel::InboundEvent;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{StoreError, Tx, messaging::inbox};
use jiff::Timestamp;

use super::Inbox;

/// What makes two deliveries one event; nothing does, if that is to be found out by reading.
pub(super) fn key_of(event: &InboundEvent, now: Timestamp) -> String {
    let key = event.dedupe_key();
    if is_on(Bug::DedupedByReading) { format!("{key}{}", now.as_nanosecond()) } else { key }
}

/// Leaves out what has come before, as far as another transaction can tell.
pub(super) async fn new_by_reading(
    inbox: &Inbox,
    channel: &'static str,
    events: Vec<InboundEvent>,
) -> Vec<InboundEvent> {
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
    inbox.desk.store.read(read).await.unwrap_or(all)
}
