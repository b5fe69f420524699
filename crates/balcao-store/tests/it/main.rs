//! The store against its contract on every back end, and what is particular to each.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod contract;
mod files;
mod postgres;
mod proxy;
mod tenancy;
mod tls;
mod walls;
