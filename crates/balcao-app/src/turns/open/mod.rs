//! The first step of a turn: one transaction stores the messages and loads what the turn needs.
//!
//! `caller` opens a turn for a caller that waits, and `leased` opens one for a conversation that the dispatcher leased; both read through
//! `opened_turn`. If a crash cut a turn short, both return this turn before they open a new one.

pub(super) mod caller;
pub(super) mod leased;
