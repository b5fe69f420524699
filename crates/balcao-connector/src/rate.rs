//! How much may still be asked of a service: one budget for all calls of an account.
//!
//! Decided without I/O from what the author states, what was sent, and what the service tells in its headers; the strictest of the
//! three holds. A span is looked at as it slides, so that no fixed span of the service's ever sees more than the limit.

use std::{collections::VecDeque, time::Duration};

/// What is left. Times are those of [`Clock::elapsed`](crate::Clock::elapsed).
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<Limit>,
    /// When the requests of the last span were admitted.
    sent: VecDeque<Duration>,
    /// Requests that left and were not answered yet.
    in_flight: u64,
    /// What the service said is left, and until when that holds.
    told: Option<(u64, Duration)>,
    /// Nothing may be sent before.
    closed_until: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    requests: usize,
    span: Duration,
}

/// What an answer says of the budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RateLimitReport {
    /// Requests that are left.
    pub(crate) remaining: Option<u64>,
    /// Until the span ends.
    pub(crate) reset: Option<Duration>,
    /// The service refused for now, and named this wait, if any.
    pub(crate) refused: Option<Option<Duration>>,
}

/// Where a service refuses and does not say for how long.
const UNTOLD: Duration = Duration::from_secs(1);

impl Budget {
    pub(crate) fn new(limit: Option<(usize, Duration)>) -> Self {
        let limit = limit.map(|(requests, span)| Limit { requests: requests.max(1), span });
        Self { limit, sent: VecDeque::new(), in_flight: 0, told: None, closed_until: Duration::ZERO }
    }

    /// Takes one request out of the budget.
    ///
    /// # Errors
    /// How long to wait before asking again.
    pub(crate) fn admit(&mut self, now: Duration) -> Result<(), Duration> {
        let mut open_at = self.closed_until;
        if let Some((left, until)) = self.told {
            if until <= now {
                self.told = None;
            } else if left == 0 {
                open_at = open_at.max(until);
            }
        }
        if let Some(limit) = self.limit {
            while self.sent.front().is_some_and(|sent| *sent + limit.span <= now) {
                self.sent.pop_front();
            }
            if self.sent.len() >= limit.requests {
                let first = self.sent.front().copied().unwrap_or(now);
                open_at = open_at.max(first + limit.span);
            }
        }
        if open_at > now {
            return Err(open_at - now);
        }
        if self.limit.is_some() {
            self.sent.push_back(now);
        }
        if let Some((left, _)) = &mut self.told {
            *left = left.saturating_sub(1);
        }
        self.in_flight = self.in_flight.saturating_add(1);
        Ok(())
    }

    /// A request is over, with or without an answer.
    pub(crate) fn settle(&mut self, told: RateLimitReport, now: Duration) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let (Some(remaining), Some(reset)) = (told.remaining, told.reset) {
            // Others may be under way that the service had not counted when it answered.
            let left = remaining.saturating_sub(self.in_flight);
            let until = now.saturating_add(reset);
            self.told = Some(match self.told {
                // Within one span what is left only shrinks, whatever order answers come in.
                Some((known, same)) if same.abs_diff(until) < Duration::from_secs(2) => {
                    (known.min(left), same.max(until))
                }
                _ => (left, until),
            });
        }
        if let Some(wait) = told.refused {
            let wait = wait.or(told.reset).unwrap_or(UNTOLD);
            self.closed_until = self.closed_until.max(now.saturating_add(wait));
        }
    }
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
