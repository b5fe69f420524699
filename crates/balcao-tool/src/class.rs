//! How a call ended.

use serde::{Deserialize, Serialize};

/// How a result counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultClass {
    /// It worked.
    Success,
    /// A correct "no". Never counted.
    Refusal,
    /// The caller's own mistake. Has a budget of its own.
    Correction,
    /// Something broke. Feeds the breaker.
    Fault,
}
