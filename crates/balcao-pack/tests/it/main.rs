//! Packs through the front door: loaded from text and folders, their helpers in real worker processes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod examples;
mod helpers;
mod loading;
mod processors;
mod validators;
mod world;
