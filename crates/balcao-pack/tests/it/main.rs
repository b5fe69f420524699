//! Packs through the front door: loaded from text and folders, their helpers in real worker processes.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

mod any_definition;
mod any_delivery;
mod clickup;
mod composite;
mod examples;
mod field_types;
mod helpers;
mod invalid_writes;
mod loading;
mod mistakes;
mod mutated;
mod processors;
mod program;
mod resolve;
mod search;
mod undo;
mod validators;
mod world;
mod writes_corpus;
