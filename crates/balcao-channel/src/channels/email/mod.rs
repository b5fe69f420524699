//! E-mail over SMTP. Balcão sends e-mails and receives none.

mod bounded;
mod config;
mod letter;
mod send;

pub use config::{Config, ConfigError, Security};
pub use send::Email;

/// The channel's name.
pub const KIND: &str = "email";
