//! Who may work on a conversation, and how often it may fail.
//!
//! A process leases a conversation, renews the lease while work goes on, and ends it in the work's last transaction. A lease that runs
//! out belongs to a process that died: the next lease finds the conversation, and its holder recovers the work. Each lease has a higher
//! epoch, and every transaction of the work demands its epoch still to be the current one (I-5), so that a process that slept through
//! the end of its lease changes nothing.
//!
//! A process that dies takes all its turns with it, and only one of them may be the poison. So a conversation that is found
//! so becomes a *suspect*; suspects are worked on one at a time, and only a death there adds *blame*.
//!
//! Invariants: attempts are counted when the lease begins (I-20), so that any kind of end is counted; [`AttemptHistory::verdict`] depends on
//! the history of attempts alone; a conversation is handed over after at most [`MAX_BLAME`] deaths as the suspect, [`MAX_FAILURES`]
//! failures, or [`MAX_ATTEMPTS`] leases without an answer.

use std::time::Duration;

use balcao_seeded_bugs::{Bug, is_on};

/// Deaths as the only suspect before a person gets the conversation.
pub const MAX_BLAME: u32 = 2;
/// Failures that were reported, in a row.
pub const MAX_FAILURES: u32 = 5;
/// Leases without an answer, whatever ended them.
pub const MAX_ATTEMPTS: u32 = 10;

/// What is remembered of the attempts since the last answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttemptHistory {
    /// Leases.
    pub attempts: u32,
    /// Attempts that ended with an error.
    pub failures: u32,
    /// Deaths while it was the only suspect.
    pub crashes: u32,
    /// Whether a process died while working on it.
    pub poison_suspect: bool,
}

/// What a lease is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// To answer.
    Answer,
    /// To give the conversation to a person without another attempt.
    HandOver,
}

impl AttemptHistory {
    /// Counts the attempt that a new lease begins. `died` says that the lease before was not ended but ran out.
    #[must_use]
    pub fn count_attempt(self, died: bool) -> Self {
        if is_on(Bug::AttemptsCountedAtFailure) {
            return self;
        }
        Self {
            attempts: self.attempts.saturating_add(1),
            failures: self.failures,
            crashes: if died && self.poison_suspect { self.crashes.saturating_add(1) } else { self.crashes },
            poison_suspect: self.poison_suspect || died,
        }
    }

    /// The history of attempts after an attempt that ended with an error.
    #[must_use]
    pub const fn failed(self) -> Self {
        Self { failures: self.failures.saturating_add(1), ..self }
    }

    /// What the lease that this history was written with is for.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        if self.crashes >= MAX_BLAME || self.failures >= MAX_FAILURES || self.attempts > MAX_ATTEMPTS {
            Verdict::HandOver
        } else {
            Verdict::Answer
        }
    }

    /// The pause before the next attempt after this many failures: 1 s, doubled each time, at most a minute.
    #[must_use]
    pub fn pause(self) -> Duration {
        Duration::from_secs(1_u64 << self.failures.saturating_sub(1).min(6)).min(Duration::from_mins(1))
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
