//! Webhooks, one file per channel, and one for the services of packs.

pub(crate) mod evolution;
pub(crate) mod packs;
pub(crate) mod whatsapp;
