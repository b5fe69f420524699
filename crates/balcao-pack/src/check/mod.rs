//! Everything that can be wrong with a pack beyond the shape of its file.

mod commands;
mod examples;
mod references;
mod schemas;
mod undo;

pub(crate) use commands::{Assembly, compile};
pub(crate) use examples::{check as check_examples, differs, words};
pub(crate) use references::check as check_references;
