//! What panics ends its own message or file, and none beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use balcao_app::messaging::attachments::{AttachmentSettings, Attachments};
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_channel::inbound::Media;
use balcao_channel::{
    AccountId, Capabilities, Channel, DownloadLimits, Downloaded, MediaError, Outbound, ProviderMessageId, Recipient,
    SendError, SendReceipt,
};
use balcao_domain::attachment::AttachmentState;
use balcao_domain::outbox::{MAX_ATTEMPTS, OutboxState};
use balcao_llm::providers::scripted::says;
use balcao_store::turns::event;
use serde_json::json;
use tokio::sync::Notify;

use crate::messaging_harness::{MessagingHarness, account, start_harness};

/// A WhatsApp that panics the first so many times that it is asked for something.
#[derive(Debug)]
struct Breaks {
    whatsapp: Arc<dyn Channel>,
    times: AtomicUsize,
    idempotent: bool,
}

impl Breaks {
    fn of(shop: &MessagingHarness, times: usize, idempotent: bool) -> Arc<dyn Channel> {
        Arc::new(Self { whatsapp: account(&shop.graph), times: AtomicUsize::new(times), idempotent })
    }

    fn perhaps(&self) {
        let left = self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        assert!(left.is_err(), "planted");
    }
}

#[async_trait]
impl Channel for Breaks {
    fn kind(&self) -> &'static str {
        self.whatsapp.kind()
    }

    fn account(&self) -> &AccountId {
        self.whatsapp.account()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { idempotent: self.idempotent, ..self.whatsapp.capabilities() }
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        self.perhaps();
        self.whatsapp.send(message, to).await
    }

    async fn mark_read(&self, message: &ProviderMessageId) -> Result<(), SendError> {
        self.whatsapp.mark_read(message).await
    }

    async fn typing(&self, message: &ProviderMessageId) -> Result<(), SendError> {
        self.whatsapp.typing(message).await
    }

    async fn fetch(&self, media: &Media, limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        self.perhaps();
        self.whatsapp.fetch(media, limits).await
    }
}

fn sender(shop: &MessagingHarness, channel: Arc<dyn Channel>) -> Sender {
    Sender::new(shop.world.app.clone(), [channel], SenderSettings::default(), Arc::new(Notify::new()))
}

#[tokio::test]
async fn a_send_that_panics_is_of_unknown_outcome_and_the_others_leave() {
    let shop = start_harness([says("Olá!"), says("Olá!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.writes_as(Some("5511955554444"), None, "wamid.2", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    let sender = sender(&shop, Breaks::of(&shop, 1, false));
    sender.work_off().await.unwrap();
    let mut states: Vec<_> = shop.outbox_of_all().await.into_iter().map(|one| one.state).collect();
    states.sort_by_key(|state| state.as_str());
    assert_eq!(states, [OutboxState::Sent, OutboxState::Unknown]);
    let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    assert_eq!(events.iter().filter(|event| event.kind == "message_unknown").count(), 1, "staff see it");
    shop.advance_secs(100_000);
    assert_eq!(sender.work_off().await.unwrap(), 0, "nobody knows whether it was sent: it is not sent again");
    assert_eq!(shop.texts().len(), 1);
}

#[tokio::test]
async fn where_twice_is_once_a_send_that_panics_is_tried_again_and_not_for_ever() {
    for (times, ends) in [(1, OutboxState::Sent), (usize::MAX, OutboxState::Dead)] {
        let shop = start_harness([says("Olá!")]).await;
        shop.joao_writes("wamid.1", "oi").await;
        shop.advance_secs(3);
        shop.dispatcher.work_off().await.unwrap();
        let sender = sender(&shop, Breaks::of(&shop, times, true));
        for _ in 0..MAX_ATTEMPTS {
            sender.work_off().await.unwrap();
            shop.advance_secs(400);
        }
        assert_eq!(shop.outbox_states().await, [ends]);
    }
}

#[tokio::test]
async fn a_file_whose_reading_panics_is_unreadable_and_the_next_is_read() {
    let shop = start_harness([]).await;
    for (id, media) in [("wamid.1", "m1"), ("wamid.2", "m2")] {
        shop.graph.keep_file(media, "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
        let image = json!({ "id": media, "mime_type": "image/png" });
        shop.joao_sends(id, json!({ "type": "image", "image": image })).await;
    }
    let (wake, ripe) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let channel = Breaks::of(&shop, 1, false);
    let files = Attachments::new(shop.world.app.clone(), [channel], None, AttachmentSettings::default(), wake, ripe);
    files.work_off().await.unwrap();
    let [first, second] = shop.attachments().await.try_into().unwrap();
    assert_eq!((first.state, second.state), (AttachmentState::Unreadable, AttachmentState::Stored));
    assert!(first.failure.unwrap().contains("broke"));
}
