//! What a command demands of its arguments beyond its schema, where that can be judged without I/O.
//!
//! Judged with the schema, before anything is written or asked: a call that fails here leaves no trace of an effect, and the
//! arguments that a check mended are the ones that are hashed, confirmed and run.

use std::sync::Arc;

use serde_json::Value;

use crate::{error::FieldProblem, validate::Schema};

/// Arguments that may run.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The arguments: they satisfy the schema and the check.
    pub args: Value,
    /// What had to be mended in them, in words.
    pub mended: Vec<String>,
}

/// Checks of a command that need no I/O. A pack's validators are one.
pub trait ArgumentCheck: Send + Sync {
    /// Judges arguments. `broken` is what breaks `schema`; empty if nothing does. A check that mends arguments judges the result by the
    /// schema once more.
    ///
    /// # Errors
    /// Everything that is wrong, what breaks the schema included.
    fn check(&self, schema: &Schema, args: Value, broken: Vec<FieldProblem>) -> Result<Checked, Vec<FieldProblem>>;

    /// The same check, which mends what it knows how to; `None` if it knows how to mend nothing.
    fn mending(&self) -> Option<Arc<dyn ArgumentCheck>> {
        None
    }
}
