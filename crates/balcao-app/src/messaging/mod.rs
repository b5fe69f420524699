//! Messages in and out: channels, the web chat, files, and what they cost.

pub mod attachments;
pub mod channel_health;
pub mod chat;
pub mod files;
pub mod inbox;
pub mod outbound;
pub mod presence;
