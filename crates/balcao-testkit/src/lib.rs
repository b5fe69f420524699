//! Test world, builders and the contract suites.
