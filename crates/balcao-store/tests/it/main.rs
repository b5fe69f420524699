//! The store against its contract on every back end, and what is particular to each.
#![expect(clippy::unwrap_used, reason = "tests")]

mod contract;
mod files;
mod postgres;
mod proxy;
mod walls;
