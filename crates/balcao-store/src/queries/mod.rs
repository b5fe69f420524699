//! Reads over the tables of several contexts.

pub mod pages;
pub mod prefetch;
