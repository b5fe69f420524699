//! What became of a message that is to be sent.
//!
//! ```text
//!            claim (intent)            accepted
//!  Pending ────────────────▶ Sending ──────────▶ Sent ──▶ (delivery: delivered, read, … beside it)
//!     ▲                       │ │ │                └────▶ Dead   the provider says later that it will not come
//!     └───── may be repeated ─┘ │ └─ never will ───────▶ Dead
//!                               └─ nobody knows ───────▶ Unknown ──▶ Sent | Dead   a status that names it
//!  Dead, Unknown ──▶ Pending: by staff alone
//! ```
//!
//! Invariants: a message leaves *Pending* only in a transaction that was durable before the request was written (I-7); what
//! was sent with unknown outcome is never sent again by the machine (I-10); a message waits for those before it in its
//! conversation (I-14), for an unknown one only a while ([`SETTLE`]); attempts are counted at the claim (I-20) and are bounded, but
//! for those that failed because the whole account could send nothing, or was too fast.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Attempts of one message.
pub const MAX_ATTEMPTS: u32 = 10;

/// Attempts that the program did not live to end, before a file that is uploaded again waits for staff.
pub const MAX_DEATHS: u32 = 3;
/// How long a message of unknown outcome keeps those behind it waiting for a status, as a rule.
pub const SETTLE: Duration = Duration::from_mins(1);
/// The longest pause between two attempts.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// The pause of a whole account when the operator has to act first.
pub const OPERATOR_PAUSE: Duration = Duration::from_mins(1);

/// What became of a message that is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// It waits for its time and for those before it.
    Pending,
    /// It is being sent; the outcome is not known yet.
    Sending,
    /// The provider accepted it.
    Sent,
    /// It may or may not have been sent.
    Unknown,
    /// It was not sent and will not be, unless staff say so.
    Dead,
}

impl OutboxState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Sending, Self::Sent, Self::Unknown, Self::Dead];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Unknown => "unknown",
            Self::Dead => "dead",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// What is known after an attempt to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The provider accepted it.
    Accepted,
    /// It was certainly not sent, and may be tried again, not before `after`.
    Retry {
        /// How long to wait at least.
        after: Option<Duration>,
    },
    /// It was certainly not sent, and nothing of its account can be before the operator mends something: it waits as long.
    Misconfigured,
    /// It was certainly not sent, because its account sends too fast ([`crate::throttle`]): it waits as long as the account.
    TooFast,
    /// It was certainly not sent, because its customer got too many: it alone waits, four times as long each time.
    TooManyToOne,
    /// It was certainly not sent and never will be.
    Refused,
    /// It may or may not have been sent.
    Unknown,
}

/// What an attempt leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// The message's state.
    pub state: OutboxState,
    /// When it may be tried again, or when it stops holding back those behind it.
    pub not_before: Timestamp,
}

/// What the outcome of the `attempt`th attempt (from 1) leads to at `now`. `spread`, any number, moves pauses apart, so that
/// messages that failed together do not come back together. A message of unknown outcome holds those behind it back for
/// `settle`.
#[must_use]
pub fn after_attempt(outcome: AttemptOutcome, attempt: u32, spread: u64, settle: Duration, now: Timestamp) -> Next {
    let at = |state, pause| Next { state, not_before: later(now, pause) };
    let again = |pause| match attempt {
        0..MAX_ATTEMPTS => at(OutboxState::Pending, pause),
        _ => at(OutboxState::Dead, Duration::ZERO),
    };
    match outcome {
        AttemptOutcome::Accepted => at(OutboxState::Sent, Duration::ZERO),
        AttemptOutcome::Refused => at(OutboxState::Dead, Duration::ZERO),
        AttemptOutcome::Unknown => at(OutboxState::Unknown, settle),
        AttemptOutcome::Retry { after } => again(pause(attempt, spread).max(after.unwrap_or_default())),
        AttemptOutcome::TooManyToOne => again(fourfold(attempt)),
        AttemptOutcome::TooFast => at(OutboxState::Pending, Duration::ZERO),
        AttemptOutcome::Misconfigured => at(OutboxState::Pending, OPERATOR_PAUSE),
    }
}

/// The pause after an attempt: 1 s, doubled each time, up to a quarter longer, at most [`LONGEST_PAUSE`].
#[must_use]
pub fn pause(attempt: u32, spread: u64) -> Duration {
    let base = Duration::from_secs(1_u64 << attempt.saturating_sub(1).min(16));
    let quarter = u64::try_from(base.as_millis() / 4).unwrap_or(u64::MAX).max(1);
    base.saturating_add(Duration::from_millis(spread % quarter)).min(LONGEST_PAUSE)
}

/// The pause that the provider asks for where one customer got too many: 1 s, 4 s, 16 s, … at most
/// [`LONGEST_PAUSE`].
fn fourfold(attempt: u32) -> Duration {
    Duration::from_secs(1_u64 << (2 * attempt.saturating_sub(1)).min(16)).min(LONGEST_PAUSE)
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
