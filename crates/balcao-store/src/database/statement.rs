//! A statement as it ran.

use crate::database::value::Value;

/// A statement that ran, with what was bound to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its text, with parameters as `?1`.
    pub sql: String,
    /// Its values.
    pub values: Vec<Value<'static>>,
}
