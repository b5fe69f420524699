//! How a planned call runs.

use serde::{Deserialize, Serialize};

/// How a planned call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// For real.
    Execute,
    /// Only far enough to ask the customer: nothing changes.
    Ask,
    /// For real, where an earlier attempt was cut short and may have had its effect.
    Recover,
}
