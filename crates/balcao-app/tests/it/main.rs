//! The use cases, through their front door, on a real database.
#![expect(clippy::unwrap_used, reason = "tests")]

mod booking;
mod crm;
mod eli_breaker;
mod figures;
mod looking;
mod seed;
mod world;
