//! What is known of contacts: their data, notes, place in pipelines, and plans.

pub mod contacts;
pub mod notes;
pub mod pipelines;
pub mod subscriptions;
