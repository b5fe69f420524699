//! One turn: decide, drive, guard.
//!
//! [`turn`] decides without I/O, and [`driver`] acts without deciding. Guardrails check a message before any model request. The
//! [`reply_checks`] read every text before it may become a [`Reply`].

pub mod breaker;
pub mod driver;
pub mod guardrails;
pub mod handoff;
pub mod history;
pub mod limits;
pub mod memory;
pub mod notice;
pub mod profile;
pub mod prompt;
pub mod record;
pub mod reply_checks;
pub mod spans;
pub mod streaming;
pub mod turn;

pub use profile::{Audience, Profile, ProfileFile, ProgramRules};
pub use reply_checks::sanitise::Reply;
pub use turn::{Ending, NextStep, Turn, TurnInput, TurnSetup, TurnState};
