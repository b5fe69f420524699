//! Outgoing messages: writes them into the outbox, checks, prices and sends them, and handles failures.

pub(crate) mod choices;
pub mod costs;
pub mod dead_letters;
pub(crate) mod delivery_failure;
pub(crate) mod enqueue;
pub mod message_templates;
pub(crate) mod pricing;
pub mod reach;
pub mod send_policy;
pub mod sender;
