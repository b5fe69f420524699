//! The seam between the front desk and a way messages travel.

use async_trait::async_trait;
use balcao_domain::throttle::SendingRate;
use serde::{Deserialize, Serialize};

use crate::{
    capabilities::Capabilities,
    error::SendError,
    file::{DownloadLimits, Downloaded, MediaError},
    id::{AccountId, Number, ProviderMessageId, UserId},
    inbound::Media,
    outbound::{InlineFile, MediaSource, Outbound},
};

/// One account of the business on one channel.
///
/// No method tries again: a [`SendError`]'s class says whether the caller may.
#[async_trait]
pub trait Channel: Send + Sync + std::fmt::Debug {
    /// The channel's name, as conversations store it: `whatsapp`, …
    fn kind(&self) -> &'static str;

    /// The account that this sends from; the same as in what comes in for it.
    fn account(&self) -> &AccountId;

    /// What the channel can do.
    fn capabilities(&self) -> Capabilities;

    /// How fast the account may send; `None`: without limit. The sender keeps to it, over all programs of the account.
    fn rate(&self) -> Option<SendingRate> {
        None
    }

    /// Sends one message, once. A receipt means that the provider accepted it, not that it was delivered: that, and
    /// later failures, come in as [`crate::inbound::StatusUpdate`]s, perhaps before this returns.
    ///
    /// # Errors
    /// [`SendError`]. Its class [`crate::SendClass::Unknown`] means that the message may have been sent.
    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError>;

    /// Shows the customer that this message, and those before it, were read. May be repeated.
    ///
    /// # Errors
    /// [`SendError`]. No one waits for a read mark: the caller may ignore it.
    async fn mark_read(&self, message: &ProviderMessageId) -> Result<(), SendError>;

    /// Shows that an answer to this message is being written, which marks it as read too. It vanishes by itself (on
    /// WhatsApp with the answer or after 25 seconds). May be repeated.
    ///
    /// # Errors
    /// [`SendError`]; the caller may ignore it.
    async fn typing(&self, message: &ProviderMessageId) -> Result<(), SendError>;

    /// Asks the provider whether the account could send now. Changes nothing, and no customer sees it. A channel with no provider
    /// behind it always could.
    ///
    /// # Errors
    /// [`SendError`]: why not.
    async fn check(&self) -> Result<(), SendError> {
        Ok(())
    }

    /// Gives the provider a file of ours that is about to be sent, and tells where it is from then on. May be repeated; nothing
    /// is shown to the customer. Not called for [`MediaDelivery::Link`](crate::MediaDelivery::Link).
    ///
    /// # Errors
    /// [`MediaError`]; never of unknown outcome. [`MediaError::Unsupported`] if no files leave by this channel.
    async fn upload_media(&self, _file: InlineFile) -> Result<MediaSource, MediaError> {
        Err(MediaError::Unsupported)
    }

    /// Fetches a file that a customer sent. May be repeated.
    ///
    /// The bytes are untrusted, and so is what is said of them: see [`crate::file::inspect`].
    ///
    /// # Errors
    /// [`MediaError`]; nothing beyond the limits is read. [`MediaError::Unsupported`] if no files come by this channel.
    async fn fetch(&self, _media: &Media, _limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        Err(MediaError::Unsupported)
    }
}

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// A number with its country code, as the channel last showed it; a plus sign before it is allowed.
    Number(Number),
    /// A person whose number the channel hides.
    User(UserId),
}

/// The provider accepted a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendReceipt {
    /// The provider's id of the message: later statuses name it.
    pub message: ProviderMessageId,
    /// The number that the provider resolved the recipient to, which may be written otherwise than ours. Send to this
    /// one from now on.
    pub number: Option<Number>,
    /// The provider's id of the person, if it said so.
    pub user: Option<UserId>,
    /// True if the provider holds the message back for a while (a paced template).
    pub held: bool,
}
