//! E-mail over SMTP: letters out, nothing in.

mod config;
mod letter;
mod send;

pub use config::{Config, ConfigError, Security};
pub use send::Email;

/// The channel's name.
pub const KIND: &str = "email";
