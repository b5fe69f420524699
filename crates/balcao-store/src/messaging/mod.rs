//! Tables of conversations and messages: inbox, outbox, files, the web chat, templates.

pub mod account_pause;
pub mod api_conversation;
pub mod attachment;
pub mod choice;
pub mod conversation;
pub mod delivery;
pub mod handoff;
pub mod inbox;
pub mod message;
pub mod outbox;
pub mod template;
pub mod throttle;
pub mod web_chat;
