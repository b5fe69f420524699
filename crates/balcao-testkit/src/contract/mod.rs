//! One suite for all adapters of a contract.

pub mod store;
