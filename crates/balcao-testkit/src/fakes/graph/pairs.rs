//! How many messages one customer gets: one in six seconds, up to 45 of which may be taken in advance. What was taken so has
//! to be waited for afterwards.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

const EVERY: SignedDuration = SignedDuration::from_secs(6);
const AT_ONCE: i32 = 45;

/// Until when the messages that each customer got would have taken, one after the other.
#[derive(Debug, Default)]
pub(super) struct Pairs(HashMap<String, Timestamp>);

impl Pairs {
    /// Counts a message to this customer; `false`: they got too many, and it is not taken.
    pub(super) fn take(&mut self, customer: &str, now: Timestamp) -> bool {
        let from = self.0.get(customer).copied().unwrap_or(now).max(now);
        let until = from + EVERY;
        let fits = until.duration_since(now) <= EVERY * AT_ONCE;
        if fits {
            self.0.insert(customer.to_owned(), until);
        }
        fits
    }
}

#[cfg(test)]
#[path = "pairs_tests.rs"]
mod tests;
