//! Contacts: their data, notes, places in pipelines, and subscriptions to plans.

pub mod contacts;
pub mod notes;
pub mod pipelines;
pub mod subscriptions;
