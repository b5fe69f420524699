//! The use cases, shared by tools, console, MCP and jobs.
//!
//! Each is a struct over [`AppContext`]; each call is one transaction. A refusal ("slot taken") is an answer, in the inner
//! `Result`; only what broke is an error. Effects run once per [`EffectKey`](balcao_store::turns::ledger::EffectKey). Wording for
//! customers and models is elsewhere.

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
