//! Calls of a small server that speaks the Model Context Protocol, and lies in it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

#[path = "../program/protocol.rs"]
mod protocol;

mod clickup;
mod foreign;
mod http;
mod lies;
mod pack;
mod pins;
mod recorded;
mod restarts;
mod world;
