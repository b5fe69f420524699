//! The adapters, one folder each.

pub mod web;
pub mod whatsapp;
