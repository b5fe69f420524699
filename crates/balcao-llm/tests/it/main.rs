//! The model contract against recorded answers, a local server and the script.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "tests"
)]

mod bounds;
mod contract;
mod corpus;
mod dialects;
mod quirks;
mod requests;
mod resilience;
mod scripted;
mod server;
mod stories;
mod streams;
mod support;
