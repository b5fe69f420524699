//! The adapters, one folder each.

pub mod email;
pub mod evolution;
pub mod web;
pub mod whatsapp;
