//! Messages that leave: written into the outbox, checked, priced, sent, and what becomes of failures.

mod capabilities;
pub mod costs;
pub mod dead_letters;
pub(crate) mod failures;
pub(crate) mod outgoing;
pub mod sender;
pub mod terms;
