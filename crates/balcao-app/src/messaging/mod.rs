//! Messages in and out: channels, the web chat, files, and what they cost.

pub mod attachments;
pub mod channel_health;
pub mod files;
pub mod inbox;
pub mod outbound;
pub(crate) mod takeover;
pub mod turn_completion;
pub mod typing_indicator;
pub mod web_chat;

/// The channel of conversations that programs have; the caller reads the reply, so nothing leaves.
pub(crate) const API_CHANNEL: &str = "api";
