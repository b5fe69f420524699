//! WhatsApp Business Platform (Cloud API).
//!
//! What comes in: [`webhook::handshake`] answers Meta's check of the address, [`signature::AppSecrets::verify`] judges the
//! raw bytes, [`webhook::parse`] turns them into [`crate::InboundEvent`]s. What goes out: [`WhatsApp`]. The rules between them
//! ([`window`], [`price`], [`errors`], [`identity`]) are plain functions. Not here: the HTTP server, storage, keeping the pace
//! ([`Config::rate`] says what it is).

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
