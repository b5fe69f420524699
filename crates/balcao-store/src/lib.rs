//! The database: SQLite in a file or in memory, or PostgreSQL, behind one enum.
//!
//! [`Store::write`] and [`Store::read`] run a synchronous closure in a transaction; all SQL lives in the repository modules,
//! written once, over the small interface of [`Tx`]. Every table carries the organization and every repository function
//! takes it. Constraints repeat what the use cases check, so that a race loses cleanly.
//!
//! Not here: rules (`balcao-domain`), and what one transaction consists of (`balcao-app`).

mod cause;
mod error;
mod hint;
mod inline;
mod job;
mod migrate;
mod postgres;
mod probe;
mod soundness;
mod sqlite;
mod store;
mod takeover;
mod tx;
mod value;

pub mod agenda_feed;
pub mod ahead;
pub mod api_conversation;
pub mod api_key;
pub mod appointment;
pub mod attachment;
pub mod audit;
pub mod bare;
pub mod catalog;
pub mod chat;
pub mod choice;
pub mod claims;
pub mod contact;
pub mod conversation;
pub mod day_budget;
pub mod delivery;
pub mod dispatch;
pub mod entitlement;
pub mod event;
pub mod figures;
pub mod flow_run;
pub mod follow_up;
pub mod handoff;
pub mod hours;
pub mod inbox;
pub mod knowledge;
pub mod ledger;
pub mod library;
pub mod message;
pub mod note;
pub mod organization;
pub mod outbox;
pub mod pace;
pub mod pack_delivery;
pub mod pages;
pub mod pause;
pub mod pipeline;
pub mod reminder;
pub mod report;
pub mod restore;
pub mod retention;
pub mod staff;
pub mod subscription;
pub mod tag;
pub mod throttle;
pub mod turn;
pub mod waitlist;
pub mod webhook;

pub use cause::{Cause, PostgresCause};
pub use error::{ConstraintKind, StoreError, StoreErrorClass};
pub use hint::Hint;
pub use inline::{Fate, Gate, InlineDatabase};
pub use migrate::{AppliedMigration, SchemaStatus};
pub use postgres::Listener;
pub use probe::{CommitFate, Probe, Statement, Taped};
pub use soundness::{ServesAlone, Unsound};
pub use store::{Backend, OpenOptions, Store};
pub use tx::Tx;
pub use value::{FromValue, Row, Value, ValueRef};
