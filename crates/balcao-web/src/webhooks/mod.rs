//! Webhooks, one file per channel.

pub(crate) mod whatsapp;
