//! Messages planned for later, to take up a conversation again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ContactId, FollowUpId};

/// How many follow-ups one contact may have open or sent per episode.
pub const MAX_PER_EPISODE: u32 = 3;

/// What a follow-up is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpType {
    /// Takes up an open question.
    Curiosity,
    /// Offers something of use.
    Value,
    /// Says goodbye without pressing.
    Farewell,
}

impl FollowUpType {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Curiosity, Self::Value, Self::Farewell];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Curiosity => "curiosity",
            Self::Value => "value",
            Self::Farewell => "farewell",
        }
    }

    /// The type of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A planned follow-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// Its id.
    pub id: FollowUpId,
    /// Who gets it.
    pub contact: ContactId,
    /// What it is for.
    pub kind: FollowUpType,
    /// What it should say, for the model that writes it when it is due.
    pub hint: String,
    /// When it is due.
    pub send_at: Timestamp,
    /// Which episode of the conversation it belongs to.
    pub episode: u32,
}
