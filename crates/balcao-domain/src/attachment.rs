//! What becomes of a file that a customer sent. One of staff is `Stored` from the beginning.
//!
//! ```text
//!            fetched, and transcribed if it is sound              its time is over
//!  Waiting ─────────────────────────────────────────▶ Stored ─────────┐
//!   │   ▲                                                             ▼
//!   │   └─ may be repeated, after a pause                          Expired
//!   └───── never will be, or tried too often ───────▶ Unreadable ─────┘
//! ```
//!
//! Invariants: fetching is harmless, so it is repeated after a death (attempts are counted at the claim, I-20); what was read, or
//! could not be, stays so until its bytes are deleted by age; a turn waits for a file only until an instant that was set when it
//! came.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::outbox;

/// Attempts to read one file.
pub const MAX_ATTEMPTS: u32 = 5;
/// How long a turn waits for a file, as a rule.
pub const WAIT: Duration = Duration::from_secs(20);

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentState {
    /// It is to be fetched, or its sound to be written down.
    Waiting,
    /// It is here.
    Stored,
    /// It could not be read and will not be.
    Unreadable,
    /// It was here as long as files are kept.
    Expired,
}

impl AttachmentState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Stored, Self::Unreadable, Self::Expired];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Stored => "stored",
            Self::Unreadable => "unreadable",
            Self::Expired => "expired",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// When to try again after the `attempt`th attempt (from 1) failed at `now`; `None`: never. `after` is how long the other
/// side wants us to wait.
#[must_use]
pub fn try_again(attempt: u32, after: Option<Duration>, now: Timestamp) -> Option<Timestamp> {
    if attempt >= MAX_ATTEMPTS {
        return None;
    }
    let pause = outbox::pause(attempt, 0).max(after.unwrap_or_default());
    SignedDuration::try_from(pause).ok().and_then(|pause| now.checked_add(pause).ok())
}

#[cfg(test)]
#[path = "attachment_tests.rs"]
mod tests;
