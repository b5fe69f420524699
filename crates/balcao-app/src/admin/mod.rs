//! Administration of the installation and the business: loading, keys, staff, rights, retention, webhooks and the backlog.

pub mod backlog;
pub mod business;
pub mod delivery_commands;
pub mod delivery_rule;
pub mod keys;
pub mod pack_deliveries;
pub mod plans;
pub mod restore_guard;
pub mod retention;
pub mod seed;
pub mod staff_access;
pub mod versions;
pub mod webhooks;
