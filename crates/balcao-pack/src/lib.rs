//! YAML packs become tools.
//!
//! A pack's `tool.yaml` is read, held against its schema, checked for everything a schema cannot say (references, handlers,
//! examples), and compiled. Loading reports every problem at once; a pack with a problem does not load at all.

mod check;
mod folder;
mod helpers;
pub mod load;
pub mod manifest;

pub use helpers::check_helpers;
pub use load::{Handlers, LoadedPack, SCHEMA, load, load_folder};
