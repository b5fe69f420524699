//! YAML packs become tools.
//!
//! Loading reads a pack's `tool.yaml` and the files of its folder, checks them against their schema, and checks what a schema cannot say
//! (references, handlers, examples). Then it compiles them: commands to tools, validators to checks that every call passes before it runs,
//! and processors to steps around it. Loading reports every problem at once; a pack with a problem does not load at all.
//!
//! [`Loader`] loads packs; [`Kind`] is the interface of the parts that run commands.

mod check;
pub mod expression;
mod folder;
mod guard;
mod helpers;
mod kind;
pub mod load;
pub mod manifest;
mod patterns;
pub mod process;
pub mod program;
mod recovery;
mod regular;
pub mod resolve;
mod schema_check;
pub mod search;
mod source;
mod terms;
pub mod testing;
pub mod validate;

pub use helpers::{Code, check_helpers};
pub use kind::{Described, Finding, Handlers, Kind, Native, PackParts, Script, Undo};
pub use load::{LoadedPack, Loader, Place, Prose, Unloaded, load, load_folder};
pub use regular::{read_named, read_regular};
pub use schema_check::SCHEMA;
pub use terms::{Difference, Terms};
