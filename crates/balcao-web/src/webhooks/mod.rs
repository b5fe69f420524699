//! Webhooks, one file per channel.

pub(crate) mod evolution;
pub(crate) mod whatsapp;
