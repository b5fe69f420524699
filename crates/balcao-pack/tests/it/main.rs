//! Packs through the front door: loaded from text and folders, their helpers in real worker processes.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod clickup;
mod examples;
mod helpers;
mod loading;
mod processors;
mod resolve;
mod validators;
mod world;
