//! Tables of turns: who runs one, its saved state, its effects and its events.

pub mod event;
pub mod lease;
pub mod ledger;
pub mod turn;
