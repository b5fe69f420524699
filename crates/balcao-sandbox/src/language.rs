//! The languages of helpers.

use serde::{Deserialize, Serialize};

/// What a helper is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// ECMAScript modules in strict mode.
    #[serde(rename = "javascript")]
    JavaScript,
    /// Named by the pack format; no interpreter of it is built in, and a bundle that holds such a helper is refused.
    Python,
}
