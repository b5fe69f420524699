//! Messages that leave: written into the outbox, checked, priced, sent, and what becomes of failures.

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
