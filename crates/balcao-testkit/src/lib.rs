//! Test world, builders and the contract suites.

pub mod contract;
