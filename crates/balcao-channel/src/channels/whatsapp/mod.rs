//! WhatsApp Business Platform (Cloud API).
//!
//! Inbound: [`webhook::handshake`] answers Meta's check of the address, [`signature::AppSecrets::verify`] checks the signature of the raw
//! bytes, and [`webhook::parse`] turns them into [`crate::InboundEvent`]s. Outbound: [`WhatsApp`]. The rules between them ([`window`],
//! [`price`], [`errors`], [`identity`]) are pure functions. Not here: the HTTP server, storage, and the rate limit of sending
//! ([`Config::rate`] holds the rate).

pub mod checkup;
pub mod config;
mod content;
pub mod errors;
mod http;
pub mod identity;
pub(super) mod json;
mod limits;
pub mod media;
mod payload;
pub mod price;
mod send;
pub mod signature;
pub mod webhook;
pub mod window;

pub use config::{Clocks, Config, ConfigError, USUAL_RATE};
pub use send::WhatsApp;
