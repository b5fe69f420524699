//! Tables of conversations and messages: inbox, outbox, files, the web chat, templates.

pub mod api_conversation;
pub mod attachment;
pub mod chat;
pub mod choice;
pub mod conversation;
pub mod delivery;
pub mod handoff;
pub mod inbox;
pub mod library;
pub mod message;
pub mod outbox;
pub mod pause;
pub mod throttle;
