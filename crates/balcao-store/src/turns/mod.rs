//! Tables of turns: who runs one, its saved state, its effects and its events.

pub mod dispatch;
pub mod event;
pub mod flow_run;
pub mod ledger;
pub mod turn;
