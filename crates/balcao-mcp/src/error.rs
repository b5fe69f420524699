//! Why a call gave no answer, for each of its readers.

use std::fmt;

use balcao_connector::Outcome;
use balcao_tool::{ErrorCode, Internal, ToolError};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The tool is not, or no longer, what a person accepted.
    NotAccepted,
    /// The server cannot be reached, does not start, or died.
    Unavailable,
    /// It took longer than its limit.
    Timeout,
    /// The server does not accept our credentials.
    Unauthorized,
    /// The server does not take these arguments.
    Invalid,
    /// What came is no answer: not of its form, or too large.
    Unreadable,
    /// The tool says that it failed, and the pack does not say what that means.
    Failed,
    /// The tool says that it failed, and the pack says what that means.
    Told(ErrorCode),
}

/// A call that gave no answer.
///
/// `Display` and `Debug` hold nothing that the server said. What it said is for staff: [`CallError::for_staff`].
#[derive(Clone, PartialEq, Eq)]
pub struct CallError {
    /// What went wrong.
    pub kind: FailureKind,
    /// Whether it was carried out all the same.
    pub outcome: Outcome,
    detail: String,
}

impl CallError {
    pub(crate) fn new(kind: FailureKind, outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { kind, outcome, detail: detail.into() }
    }

    /// Certainly not carried out.
    pub(crate) fn unsent(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self::new(kind, Outcome::NotDone, detail)
    }

    /// The same failure, with further words for staff.
    pub(crate) fn telling(self, outcome: Outcome, words: impl FnOnce(&str) -> String) -> Self {
        Self { detail: words(&self.detail), outcome, ..self }
    }

    /// For staff and logs. Never for a model or a customer.
    #[must_use]
    pub fn for_staff(&self) -> String {
        if self.detail.is_empty() { self.to_string() } else { format!("{self}: {}", self.detail) }
    }

    /// What the tool layer makes of it: our own words for the model, everything for staff.
    #[must_use]
    pub fn to_tool_error(&self) -> ToolError {
        let code = match self.kind {
            FailureKind::NotAccepted => ErrorCode::Blocked,
            FailureKind::Unavailable | FailureKind::Failed => ErrorCode::Unavailable,
            FailureKind::Timeout => ErrorCode::Timeout,
            FailureKind::Invalid => ErrorCode::InvalidArguments,
            FailureKind::Unauthorized | FailureKind::Unreadable => ErrorCode::Internal,
            FailureKind::Told(code) => code,
        };
        let error = ToolError::new(code, self.words()).internal(Internal::note(self.for_staff()));
        if self.outcome == Outcome::Unknown { error.uncertain() } else { error }
    }

    const fn words(&self) -> &'static str {
        match self.kind {
            FailureKind::NotAccepted => "this tool was changed outside, and is out of use until staff accept it",
            FailureKind::Unavailable | FailureKind::Timeout => "the service does not answer now",
            FailureKind::Unauthorized => {
                "the service does not accept our credentials; staff have to renew the connection"
            }
            FailureKind::Invalid => "the service refused these arguments",
            FailureKind::Unreadable => "the service gave no usable answer",
            FailureKind::Failed => "the service could not do it",
            FailureKind::Told(_) => "the service says no",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, outcome) = (&self.kind, &self.outcome);
        f.debug_struct("CallError").field("kind", kind).field("outcome", outcome).finish_non_exhaustive()
    }
}

impl std::error::Error for CallError {}
