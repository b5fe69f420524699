//! How a turn ends.

use serde::{Deserialize, Serialize};

/// The outcome of a turn. There is no fourth: no turn ends in an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The customer got an answer.
    Reply,
    /// A person has the conversation now.
    Handoff,
    /// Nothing was said, because a person has the conversation or nothing was asked.
    Silence,
}

impl Outcome {
    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Handoff => "handoff",
            Self::Silence => "silence",
        }
    }
}
