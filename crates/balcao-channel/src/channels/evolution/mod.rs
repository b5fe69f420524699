//! Evolution API v2: an unofficial gateway to WhatsApp that many Brazilian businesses run.
//!
//! It is not a product of Meta, and Meta may ban a number that uses it: off unless it is configured. Its webhooks are not signed;
//! a key in the header or the body stands for who sends them. There is no window, no template, no price. The names of its fields
//! are read tolerantly: what is missing or strange is kept and not acted on.

mod content;
mod send;
pub mod webhook;

pub use send::{Config, ConfigError, Evolution};

/// The channel's name.
pub const KIND: &str = "evolution";
