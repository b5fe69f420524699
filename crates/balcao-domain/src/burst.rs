//! When a burst of messages is answered.
//!
//! People write one thought in several messages. They are answered together once the customer has been quiet for a moment,
//! but never later than a bound after the first, nor after more than so many.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// The rules of a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BurstRules {
    /// How long the customer must have been quiet. Zero: each message is answered at once.
    pub quiet: Duration,
    /// How long the first message waits at most.
    pub longest: Duration,
    /// So many messages wait for no other.
    pub most: u32,
}

impl Default for BurstRules {
    fn default() -> Self {
        Self { quiet: Duration::from_secs(3), longest: Duration::from_secs(60), most: 20 }
    }
}

impl BurstRules {
    /// When messages that wait since `first`, the latest of `last`, `count` of them, are answered. Never before `first`, and
    /// never later than `longest` after it, whatever the clock did between them.
    #[must_use]
    pub fn due_at(&self, first: Timestamp, last: Timestamp, count: u32) -> Timestamp {
        if count >= self.most {
            return first;
        }
        let bound = later(first, self.longest);
        later(last, self.quiet).clamp(first, bound)
    }
}

impl BurstRules {
    /// Whether a turn that began with `first` and answers `count` messages may begin again with those that came since.
    #[must_use]
    pub fn may_grow(&self, first: Timestamp, count: u32, now: Timestamp) -> bool {
        count < self.most && now < later(first, self.longest)
    }
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
#[path = "burst_tests.rs"]
mod tests;
