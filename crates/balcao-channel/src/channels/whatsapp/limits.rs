//! Limits of what Meta sends.

/// Deepest nesting of arrays and objects.
pub(crate) const MAX_DEPTH: usize = 64;
