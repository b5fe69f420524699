//! The use cases, shared by tools, console, MCP and jobs.
//!
//! Each is a struct over [`Desk`]; each call is one transaction. A refusal ("slot taken") is an answer, in the inner
//! `Result`; only what broke is an error. Effects run once per [`EffectKey`](balcao_store::ledger::EffectKey). Wording for
//! customers and models is elsewhere.

mod agenda;
pub mod alerts;
pub mod analytics;
pub mod appointments;
pub mod attachments;
pub mod availability;
pub mod bell;
pub mod booking;
pub mod budgets;
pub mod calendar;
pub mod catalog;
pub mod channel_health;
pub mod chat;
pub mod clock;
pub mod contacts;
pub mod conversations;
pub mod costs;
pub mod day;
pub mod dead_letters;
pub mod desk;
pub mod dispatcher;
mod failures;
pub mod feeds;
pub mod files;
pub mod flows;
pub mod follow_ups;
mod hash;
pub mod hours;
pub mod ics;
pub mod inbox;
pub mod intake;
pub mod keys;
pub mod knowledge;
pub mod metrics;
pub mod names;
pub mod notes;
pub mod notices;
mod outgoing;
pub mod pace;
pub mod pack_deliveries;
pub mod people;
pub mod pipelines;
pub mod plans;
pub mod presence;
pub mod questions;
pub mod reminders;
pub mod restored;
pub mod retention;
pub mod seed;
pub mod sender;
pub mod subscriptions;
pub mod summaries;
pub mod terms;
pub mod timers;
pub mod traces;
pub mod turns;
pub mod waitlist;
pub mod watch;
pub mod watchdog;
pub mod webhooks;

pub use desk::{Desk, UseCaseError};
