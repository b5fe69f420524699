//! Tables of operation: keys, rates, budgets, audit, restoring, retention, versions, webhooks.

pub mod api_key;
pub mod audit;
pub mod backlog;
pub mod day_budget;
pub mod entitlement;
pub mod installation;
pub mod pack_delivery;
pub mod pack_delivery_command;
pub mod request_rate;
pub mod restore;
pub mod retention;
pub mod version;
pub mod webhook;
