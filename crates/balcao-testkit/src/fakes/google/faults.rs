//! What goes wrong on demand: faults, call by call, and the end of the program that sends the requests.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::fakes::http::Request;

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

/// How far a request came when the program that sent it ended. No answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramEnd {
    /// The request never arrives.
    RequestLost,
    /// The request arrives when the test says so, for example after the next start of the program.
    RequestLate,
    /// The request is done.
    AnswerUnread,
}

/// At which request the program ends.
#[derive(Debug, Default)]
pub(super) struct Interruption {
    planned: Option<(usize, ProgramEnd)>,
    late: Vec<Request>,
    pub(super) ended: Arc<Notify>,
}

impl Interruption {
    /// Lets so many requests through before the one at which the program ends.
    pub(super) fn plan(&mut self, after: usize, end: ProgramEnd) {
        self.planned = Some((after, end));
    }

    /// Counts a request; how it ends, if the program ends at it.
    pub(super) fn count(&mut self, request: &Request) -> Option<ProgramEnd> {
        let (left, end) = self.planned.take()?;
        if let Some(left) = left.checked_sub(1) {
            self.planned = Some((left, end));
            return None;
        }
        if end == ProgramEnd::RequestLate {
            self.late.push(request.clone());
        }
        self.ended.notify_one();
        Some(end)
    }

    pub(super) fn take_late(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.late)
    }
}
