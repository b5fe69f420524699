//! Why a call gave no answer, for each of its readers.

use std::{fmt, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// What went wrong, as a word that programs can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The arguments make no request, or the service refused what they say.
    Invalid,
    /// The service does not accept our credentials: the connection has to be renewed.
    Unauthorized,
    /// Not with these rights or this plan.
    Forbidden,
    /// It does not exist, or we may not see it.
    NotFound,
    /// It contradicts what is there.
    Conflict,
    /// Too much at once; when it may go on is told.
    RateLimited,
    /// The service does not answer, cannot be reached, or failed.
    Unavailable,
    /// It took longer than its limit.
    Timeout,
    /// What came is no answer: not JSON, too large, cut off, or leading elsewhere.
    Unreadable,
}

impl FailureKind {
    /// What a status means, unless the service's own code says more.
    #[must_use]
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthorized,
            402 | 403 | 451 => Self::Forbidden,
            404 | 410 => Self::NotFound,
            409 | 412 | 423 => Self::Conflict,
            429 => Self::RateLimited,
            408 | 425 | 500..=599 => Self::Unavailable,
            300..=399 => Self::Unreadable,
            _ => Self::Invalid,
        }
    }

    /// Words for a model: facts that it can act on, the same for every reason that would tell of our network.
    #[must_use]
    pub const fn for_model(self) -> &'static str {
        match self {
            Self::Invalid => "the service refused these arguments",
            Self::Unauthorized => "the service does not accept our credentials; staff have to renew the connection",
            Self::Forbidden => "the service does not allow this",
            Self::NotFound => "the service knows nothing under this id, or does not show it to us",
            Self::Conflict => "this contradicts what the service has stored",
            Self::RateLimited => "the service takes no more requests for now",
            Self::Unavailable | Self::Timeout => "the service does not answer now",
            Self::Unreadable => "the service gave no usable answer",
        }
    }
}

/// Whether the service carried out what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Certainly not: it was never sent, or it was refused.
    NotDone,
    /// Unknown: the request left, and no answer says what became of it. A write is not repeated then.
    Unknown,
}

/// A call that gave no answer.
///
/// `Display` and `Debug` hold nothing that the service said, and no secret. What it said is for staff: [`CallError::for_staff`].
#[derive(Clone, PartialEq, Eq)]
pub struct CallError {
    /// What went wrong.
    pub kind: FailureKind,
    /// The status, if one came.
    pub status: Option<u16>,
    /// The service's own code for it, if it has the form of one.
    pub code: Option<String>,
    /// After how long it may go on.
    pub retry_after: Option<Duration>,
    /// Whether it was carried out.
    pub outcome: Outcome,
    /// Which arguments make no request, with JSON pointers into the arguments.
    pub problems: Vec<Problem>,
    pub(crate) detail: String,
}

impl CallError {
    pub(crate) fn new(kind: FailureKind, outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { kind, status: None, code: None, retry_after: None, outcome, problems: Vec::new(), detail: detail.into() }
    }

    pub(crate) fn arguments(problems: Vec<Problem>) -> Self {
        Self { problems, ..Self::new(FailureKind::Invalid, Outcome::NotDone, "the arguments make no request") }
    }

    /// For staff and logs: what the service said, cut to a readable length, secrets struck out. Never for a model or a customer.
    #[must_use]
    pub fn for_staff(&self) -> String {
        if self.detail.is_empty() { self.to_string() } else { format!("{self}: {}", self.detail) }
    }

    /// For a model: our own words, and the service's code.
    #[must_use]
    pub fn for_model(&self) -> String {
        let mut words = self.kind.for_model().to_owned();
        if let Some(code) = &self.code {
            words.push_str(&format!(" ({code})"));
        }
        if self.outcome == Outcome::Unknown {
            words.push_str("; it is not known whether it was done: do not repeat it");
        }
        words
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.for_model())?;
        if let Some(status) = self.status {
            write!(f, ", HTTP {status}")?;
        }
        if let Some(code) = &self.code {
            write!(f, " {code}")?;
        }
        for problem in &self.problems {
            write!(f, "; {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallError")
            .field("kind", &self.kind)
            .field("status", &self.status)
            .field("code", &self.code)
            .field("retry_after", &self.retry_after)
            .field("outcome", &self.outcome)
            .field("problems", &self.problems)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for CallError {}
