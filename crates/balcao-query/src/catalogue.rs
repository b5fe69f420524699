//! What may be asked about, by whoever asks.

use crate::value::Type;

/// The sources that somebody may see. Whoever builds it decides about permissions: what is not in it does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    /// The sources.
    pub sources: Vec<Source>,
}

/// Rows of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// How questions name it.
    pub name: &'static str,
    /// What a row is.
    pub description: &'static str,
    /// A row's values, in this order.
    pub fields: Vec<Field>,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// How questions name it.
    pub name: &'static str,
    /// Of which type it is.
    pub of: Type,
    /// What it says.
    pub description: &'static str,
}
