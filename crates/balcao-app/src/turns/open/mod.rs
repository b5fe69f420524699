//! The first step of a turn: one transaction stores the messages and loads what the turn needs.
//!
//! `caller` opens it for a caller that waits, `leased` for a conversation that the dispatcher leased; both read through `opened`. Both
//! return a turn that a crash cut short before they open a new one.

pub(super) mod caller;
pub(super) mod leased;
