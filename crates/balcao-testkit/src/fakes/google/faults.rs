//! What goes wrong on demand, call by call.

use std::collections::{BTreeMap, VecDeque};

/// A method of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named as the API names it")]
pub enum Call {
    Token,
    Revoke,
    Calendars,
    FreeBusy,
    Insert,
    Get,
    Patch,
    Delete,
    Move,
    List,
    Watch,
    Stop,
}

/// What happens to a request instead of the usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is refused with a status and a reason, and nothing is done.
    Refuse {
        /// The status.
        status: u16,
        /// `reason` of the error, for example `rateLimitExceeded`; at the token endpoint it is `error`.
        reason: String,
        /// Seconds in the header `Retry-After`.
        retry_after_s: Option<u64>,
    },
    /// It is done, and the connection ends without an answer.
    LoseAnswer,
    /// The connection ends, and nothing is done.
    Break,
    /// It is done, and the answer is a page of HTML with status 200.
    NoJson,
    /// It is done, and half of the answer comes.
    Cut,
    /// It is done, and no answer comes until the client leaves.
    Silence,
    /// It is done, and the answer does not end.
    Endless,
}

impl Fault {
    /// A refusal without `Retry-After`.
    #[must_use]
    pub fn refuse(status: u16, reason: &str) -> Self {
        Self::Refuse { status, reason: reason.to_owned(), retry_after_s: None }
    }
}

/// Faults that wait for their calls.
#[derive(Debug, Default)]
pub(super) struct Faults(BTreeMap<Call, VecDeque<Option<Fault>>>);

impl Faults {
    /// Adds a fault behind those that wait, and behind so many requests that go well.
    pub(super) fn add(&mut self, call: Call, after: usize, fault: Fault) {
        let waiting = self.0.entry(call).or_default();
        waiting.extend(std::iter::repeat_n(None, after));
        waiting.push_back(Some(fault));
    }

    pub(super) fn next(&mut self, call: Call) -> Option<Fault> {
        self.0.get_mut(&call)?.pop_front()?
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
