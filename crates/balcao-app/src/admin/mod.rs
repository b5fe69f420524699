//! The installation and the business: loading it, keys, staff, rights, retention, webhooks, and the state of the backlog.

pub mod keys;
pub mod pack_deliveries;
pub mod people;
pub mod plans;
pub mod restored;
pub mod retention;
pub mod seed;
pub mod watch;
pub mod webhooks;
