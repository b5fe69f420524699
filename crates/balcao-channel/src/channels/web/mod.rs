//! The business's own chat on a web page.
//!
//! This channel has no provider. A message counts as sent when it is in the visitor's [`Mailbox`], under an id of ours. Storing it there a
//! second time changes nothing, so no outcome stays unknown for long. Not here: the HTTP server that the visitor's page talks to, and the
//! storage behind a mailbox.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_domain::AttachmentId;

use crate::capabilities::Capabilities;
use crate::capabilities::MediaDelivery;
use crate::{
    channel::{Channel, Recipient, SendReceipt},
    error::{GiveUpReason, SendClass, SendError},
    id::{AccountId, ProviderMessageId, UserId},
    inbound::MediaKind,
    outbound::{MediaSource, Outbound, OutboundContent, limits},
};

/// The channel's name.
pub const KIND: &str = "web";

/// Where visitors read.
#[async_trait]
pub trait Mailbox: Send + Sync + std::fmt::Debug {
    /// Keeps a text, and a file of ours with it, under a name of ours for a visitor. When it returns, they are durable; under a
    /// name that is known it changes nothing.
    ///
    /// # Errors
    /// Why it could not be kept, for staff. It may be tried again.
    async fn put(&self, visitor: &UserId, name: &str, text: &str, file: Option<AttachmentId>) -> Result<(), String>;
}

/// The chat of one business.
#[derive(Debug, Clone)]
pub struct WebChat {
    account: AccountId,
    mailbox: Arc<dyn Mailbox>,
}

impl WebChat {
    /// A chat over a mailbox.
    #[must_use]
    pub fn new(account: AccountId, mailbox: Arc<dyn Mailbox>) -> Self {
        Self { account, mailbox }
    }
}

#[async_trait]
impl Channel for WebChat {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: limits::TEXT,
            max_buttons: 0,
            max_rows: 0,
            media: &[MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document],
            own_files: MediaDelivery::Link,
            templates: false,
            quotes: false,
            read_marks: false,
            typing: None,
            window: None,
            idempotent: true,
        }
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        let refused = |why| SendError::new(SendClass::give_up(GiveUpReason::Rejected), why);
        let (body, file) = match message.content() {
            OutboundContent::Text { body, .. } => (body.as_str(), None),
            OutboundContent::Media { source: MediaSource::Kept(file), caption, .. } => {
                (caption.as_deref().unwrap_or_default(), Some(*file))
            }
            OutboundContent::Media { .. }
            | OutboundContent::Location { .. }
            | OutboundContent::Buttons { .. }
            | OutboundContent::List { .. }
            | OutboundContent::AskNumber { .. }
            | OutboundContent::Template(_)
            | OutboundContent::Mail { .. } => {
                return Err(refused("the web chat shows texts and files of ours only"));
            }
        };
        let Some(name) = message.correlation() else { return Err(refused("the message has no name of ours")) };
        let Recipient::User(visitor) = to else {
            return Err(SendError::new(SendClass::give_up(GiveUpReason::Unreachable), "the web chat knows no numbers"));
        };
        match self.mailbox.put(visitor, name.as_str(), body, file).await {
            Ok(()) => Ok(SendReceipt {
                message: ProviderMessageId::new(name.as_str()),
                number: None,
                user: None,
                held: false,
            }),
            Err(why) => Err(SendError::new(SendClass::retry(), &why)),
        }
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        // A visitor's page asks whether an answer is on its way.
        Ok(())
    }
}

#[cfg(test)]
#[path = "web_tests.rs"]
mod tests;
