//! Tables of operation: keys, rates, budgets, audit, reports, retention, webhooks.

pub mod api_key;
pub mod audit;
pub mod day_budget;
pub mod entitlement;
pub mod figures;
pub mod pace;
pub mod pack_delivery;
pub mod report;
pub mod retention;
pub mod webhook;
