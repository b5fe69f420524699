//! The client of Google Calendar against the strict fake of it, over real HTTP.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod calls;
mod checkup;
mod connecting;
mod contract;
mod crashes;
mod desk;
mod errors;
mod fake;
mod faults;
mod foreign;
mod hands;
mod interrupted;
mod memory;
mod people;
mod programs;
mod proving;
mod push;
mod sequences;
mod world;
