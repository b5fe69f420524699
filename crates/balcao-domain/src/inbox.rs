//! What became of something that came in.
//!
//! ```text
//! New ──▶ Assigned(turn) ──▶ Answered | HandedOff | Ignored(reason)
//!  └────────────────────────────────────▶ Ignored(reason)
//! ```
//!
//! Invariants: a row is assigned to one turn for ever (I-3), in the transaction that opens the turn or takes the row into it;
//! only the turn's closing transaction leaves *Assigned*; the three last states are final (I-16).

use serde::{Deserialize, Serialize};

/// Who says what a turn answers. The two never share a turn: a turn reads an agreement and facts only from the contact's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The contact wrote it.
    Contact,
    /// A service of a pack says it, by a rule of the operator. It is data.
    Service,
}

/// What became of something that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboxState {
    /// No turn has taken it yet.
    New,
    /// A turn answers it.
    Assigned,
    /// It was answered.
    Answered,
    /// A person got it.
    HandedOff,
    /// Nothing is said to it, for a reason that is kept with it.
    Ignored,
}

impl InboxState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::New, Self::Assigned, Self::Answered, Self::HandedOff, Self::Ignored];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Assigned => "assigned",
            Self::Answered => "answered",
            Self::HandedOff => "handed_off",
            Self::Ignored => "ignored",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether nothing changes it any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Answered | Self::HandedOff | Self::Ignored)
    }
}
