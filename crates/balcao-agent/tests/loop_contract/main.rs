//! The loop contract: what a turn must do in which situation, one test per row and protocol.
//!
//! The rows are data; `docs/LOOP-CONTRACT.md` is written from them (`cargo run -p xtask -- contract`).
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "tests"
)]

mod breaker;
mod budgets;
mod calls;
mod confirm;
mod document;
mod guardrails;
mod handoff;
mod hostile;
mod reply;
mod rounds;
mod row;
mod running;
mod saving;
mod structured;
mod tools;
mod world;
