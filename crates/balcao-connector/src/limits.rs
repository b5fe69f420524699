//! Limits that several parts share.

/// The detail of an answer that broke off.
pub(crate) const CUT: &str = "the answer broke off";

/// Levels of an answer, or of a delivery.
pub(crate) const MAX_LEVELS: usize = 64;
