//! The use cases that tools, the HTTP API, commands and workers share.
//!
//! Each use case is a struct over [`AppContext`], and each call is one transaction. A refusal ("slot taken") is an answer in the inner
//! `Result`; only a failure is an error. An effect runs once per [`EffectKey`](balcao_store::turns::ledger::EffectKey). Not here: texts for
//! customers and models.

pub mod admin;
pub mod context;
pub mod conversations;
pub mod crm;
pub mod icalendar;
pub mod knowledge;
pub mod messaging;
mod notifications;
pub mod reports;
pub mod scheduling;
pub mod timers;
pub mod turns;

pub use context::app_context::{AppContext, UseCaseError};
