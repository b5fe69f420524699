//! Messages in and out: channels, the web chat, files, and what they cost.

pub mod attachments;
pub mod channel_health;
pub mod files;
pub mod inbox;
pub mod outbound;
pub mod typing_indicator;
pub mod web_chat;
