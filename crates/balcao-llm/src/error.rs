//! Why a model call gave no answer.

use std::time::Duration;

use crate::usage::Usage;

/// What kind of failure it was: it decides what may be tried next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No connection, or it broke before an answer was complete. Worth another attempt.
    Network,
    /// One of the clocks ran out (whole call, first token, stall). Worth another attempt.
    Timeout,
    /// HTTP 429 or the vendor's overload answer. Worth another attempt after `retry_after`.
    RateLimited,
    /// HTTP 5xx, or an error inside the stream. Worth another attempt.
    Upstream,
    /// HTTP 401, 402, 403: key or quota. Only another provider can help.
    Denied,
    /// HTTP 400, 404, 413, 422: our request or its model is wrong for this vendor. Only another provider can help.
    Rejected,
    /// The answer could not be read as the vendor's protocol. Worth another attempt.
    Malformed,
    /// The vendor refused a tool call that its own model wrote (Groq's `tool_use_failed`). Worth another attempt.
    ToolUseFailed,
    /// The answer was larger than we read. Not worth another attempt.
    TooLarge,
}

impl ModelErrorKind {
    /// True if the same provider may be asked again.
    #[must_use]
    pub const fn retryable(self) -> bool {
        match self {
            Self::Network
            | Self::Timeout
            | Self::RateLimited
            | Self::Upstream
            | Self::Malformed
            | Self::ToolUseFailed => true,
            Self::Denied | Self::Rejected | Self::TooLarge => false,
        }
    }
}

/// A failed model call. `Display` is for staff and logs: it never holds the request's text or a key.
#[derive(Debug, thiserror::Error)]
#[error("{provider}: {message}")]
pub struct ModelError {
    /// What may be tried next.
    pub kind: ModelErrorKind,
    /// The provider's configured name.
    pub provider: String,
    /// What happened, for staff: status and the vendor's own words, cut to 500 characters.
    pub message: String,
    /// How long the vendor asked to wait.
    pub retry_after: Option<Duration>,
    /// What the failed attempts took. A service that began to answer charges for it, also if the answer is lost: those tokens are
    /// estimated.
    pub usage: Usage,
}
