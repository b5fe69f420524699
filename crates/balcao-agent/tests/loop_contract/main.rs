//! The loop contract: what a turn must do in which situation (specification part 1 §1), one test per row and protocol.
//!
//! The rows are data; `docs/LOOP-CONTRACT.md` is written from them (`cargo run -p xtask -- contract`).

mod breaker;
mod budgets;
mod calls;
mod document;
mod guardrails;
mod rounds;
mod row;
mod tools;
mod world;
