//! Evolution API v2: an unofficial gateway to WhatsApp that many Brazilian businesses run.
//!
//! It is not a product of Meta, and Meta may ban a number that uses it, so it is off unless it is configured. Its webhooks are not signed;
//! a key in the header or the body identifies the sender. It has no service window, no templates and no prices. The reader of its fields is
//! tolerant: it keeps a missing or strange field and does not act on it.

mod changes;
mod content;
mod people;
mod send;
pub mod webhook;

pub use send::{Config, ConfigError, Evolution};

/// The channel's name.
pub const KIND: &str = "evolution";
