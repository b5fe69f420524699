//! The adapters, one folder each.

pub mod whatsapp;
