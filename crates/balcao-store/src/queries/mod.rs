//! Reads that combine tables of several subjects.

pub mod pages;
pub mod prefetch;
pub mod report;
