//! The channel contract and its adapters: how messages come in and go out.
//!
//! An adapter turns a webhook into [`InboundEvent`]s, and an [`Outbound`] is a message to send; both are plain data that can be stored. A
//! [`Channel`] sends once and reports the known outcome. Not here: the inbox and the outbox (a database keeps them), the HTTP server that
//! receives webhooks, and the decision to try again.

mod capabilities;
pub mod channel;
pub mod channels;
pub mod endpoint;
pub mod error;
pub mod file;
pub mod id;
pub mod inbound;
pub mod outbound;
pub mod split;

pub use capabilities::Capabilities;
pub use capabilities::MediaDelivery;
pub use channel::{Channel, Recipient, SendReceipt};
pub use error::{GiveUpReason, PaceLimit, SendClass, SendError};
pub use file::{DownloadLimits, Downloaded, MediaError};
pub use id::{AccountId, Number, ProviderMediaId, ProviderMessageId, UserId};
pub use inbound::InboundEvent;
pub use outbound::{Outbound, OutboundError};
pub use split::split_text;
