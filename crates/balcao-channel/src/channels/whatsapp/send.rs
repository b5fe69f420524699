//! The sender: one request for each message, and what is known afterwards.
//!
//! Meta has no idempotency key. So nothing is sent twice here, and where no answer came after the request was written the
//! class is [`SendClass::Unknown`].

use async_trait::async_trait;
use balcao_domain::throttle::SendingRate;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    config::{Config, ConfigError},
    errors,
    http::{Answer, Graph, Silence},
    json as read, payload, window,
};
use crate::capabilities::Capabilities;
use crate::capabilities::MediaDelivery;
use crate::{
    channel::{Channel, Recipient, SendReceipt},
    error::{GiveUpReason, SendClass, SendError},
    file::{DownloadLimits, Downloaded, MediaError},
    id::{AccountId, Number, ProviderMessageId, UserId},
    inbound::{Media, MediaKind},
    outbound::{InlineFile, MediaSource, Outbound, limits},
};

/// One phone number of a business on WhatsApp.
#[derive(Debug, Clone)]
pub struct WhatsApp {
    pub(super) graph: Graph,
    rate: SendingRate,
}

impl WhatsApp {
    /// Checks the configuration. Nothing is sent.
    ///
    /// # Errors
    /// [`ConfigError`] says what to mend.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let rate = config.rate;
        Ok(Self { graph: Graph::new(config)?, rate })
    }

    async fn post(&self, body: &Value) -> Result<Answer, Silence> {
        let url = self.graph.url(&[self.graph.account.as_str(), "messages"]);
        self.graph.call(self.graph.request(Method::POST, url).json(body), self.graph.clocks.whole).await
    }

    /// Sends something that may be repeated.
    async fn mark(&self, body: &Value) -> Result<(), SendError> {
        let answer = self.post(body).await.map_err(|silence| SendError::new(SendClass::retry(), &silence.words))?;
        if (200..300).contains(&answer.status) { Ok(()) } else { Err(errors::from_answer(answer.status, &answer.body)) }
    }
}

#[async_trait]
impl Channel for WhatsApp {
    fn kind(&self) -> &'static str {
        "whatsapp"
    }

    fn account(&self) -> &AccountId {
        &self.graph.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: limits::TEXT,
            max_buttons: limits::BUTTONS,
            max_rows: limits::ROWS,
            media: &[MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document, MediaKind::Sticker],
            own_files: MediaDelivery::Uploaded,
            templates: true,
            quotes: true,
            read_marks: true,
            typing: Some(window::TYPING),
            window: Some(window::SERVICE),
            idempotent: false,
        }
    }

    fn rate(&self) -> Option<SendingRate> {
        Some(self.rate)
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        let body = payload::message(message, to).ok_or_else(|| {
            SendError::new(
                SendClass::give_up(GiveUpReason::Rejected),
                "the recipient has neither a number nor a user id, or the file was not handed in",
            )
        })?;
        let answer = self.post(&body).await.map_err(|Silence { written, words }| {
            SendError::new(if written { SendClass::Unknown } else { SendClass::retry() }, &words)
        })?;
        if (200..300).contains(&answer.status) {
            receipt(&answer)
        } else {
            Err(errors::from_answer(answer.status, &answer.body))
        }
    }

    async fn mark_read(&self, message: &ProviderMessageId) -> Result<(), SendError> {
        self.mark(&json!({ "messaging_product": "whatsapp", "status": "read", "message_id": message })).await
    }

    async fn typing(&self, message: &ProviderMessageId) -> Result<(), SendError> {
        let typing = json!({ "type": "text" });
        let body = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": message,
            "typing_indicator": typing });
        self.mark(&body).await
    }

    async fn check(&self) -> Result<(), SendError> {
        self.is_able().await
    }

    async fn upload_media(&self, file: InlineFile) -> Result<MediaSource, MediaError> {
        let InlineFile { kind, mime, name, bytes } = file;
        Ok(MediaSource::Uploaded(self.upload(kind, &mime, &name, bytes.to_vec()).await?))
    }

    async fn fetch(&self, media: &Media, limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        self.download(&media.id, media.sha256.as_deref(), limits).await
    }
}

fn receipt(answer: &Answer) -> Result<SendReceipt, SendError> {
    let body = balcao_json::read(&answer.body, super::limits::MAX_DEPTH).unwrap_or(Value::Null);
    if let Some(error) = read::value_at(&body, &["error"]) {
        return Err(errors::refusal(error));
    }
    let sent = read::items(&body, &["messages"]).first();
    let Some(id) = sent.and_then(|sent| read::text(sent, &["id"])) else {
        let words = format!("HTTP {}: accepted, but the answer names no message", answer.status);
        return Err(SendError::new(SendClass::Unknown, &words));
    };
    let contact = read::items(&body, &["contacts"]).first().unwrap_or(&Value::Null);
    let status = sent.and_then(|sent| read::text(sent, &["message_status"]));
    Ok(SendReceipt {
        message: ProviderMessageId::new(id),
        number: read::text(contact, &["wa_id"]).map(Number::new),
        user: read::text(contact, &["user_id"]).map(UserId::new),
        held: status.is_some_and(|status| status != "accepted"),
    })
}
