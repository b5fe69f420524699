//! Why a message was not sent, and what may be done about it.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// What may be done after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "class", rename_all = "snake_case")]
pub enum SendClass {
    /// It was certainly not sent, and may be tried again: the limit of a rate, a fault of the provider before it
    /// accepted, no connection.
    Retry {
        /// How long to wait at least; `None` leaves it to the caller's back-off.
        after: Option<Duration>,
    },
    /// It was certainly not sent, because messages leave faster than the provider allows.
    TooFast {
        /// Which of its limits was passed.
        limit: PaceLimit,
    },
    /// It was certainly not sent and never will be.
    GiveUp {
        /// Why.
        reason: GiveUpReason,
    },
    /// The time since the customer's last message is over: only an approved template may be sent.
    OutsideWindow,
    /// No readable answer came after the request was written: it may or may not have been sent. Never repeat it
    /// silently; a status that names our [`crate::outbound::CorrelationId`] settles it.
    Unknown,
    /// Nothing can be sent before the operator acts: a token expired, the account is blocked or unpaid.
    Misconfigured,
}

impl SendClass {
    /// Gives up for this reason.
    #[must_use]
    pub const fn give_up(reason: GiveUpReason) -> Self {
        Self::GiveUp { reason }
    }

    /// May be tried again with the caller's own back-off.
    #[must_use]
    pub const fn retry() -> Self {
        Self::Retry { after: None }
    }
}

/// A provider's limit of how fast messages may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaceLimit {
    /// Of the whole account: nothing of it should leave for a moment, and then less at a time.
    Account,
    /// Of one customer: theirs alone waits, longer each time.
    Customer,
}

/// Why a message will never be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GiveUpReason {
    /// The recipient is not reachable there. For a Brazilian number the other spelling is worth one attempt
    /// ([`crate::channels::whatsapp::identity::other_spelling`]).
    Unreachable,
    /// The customer refused this kind of message: record that.
    OptedOut,
    /// The provider limits such messages to this customer: not within a day.
    Capped,
    /// This kind of message needs the customer's number, and only their user id is known.
    NeedsNumber,
    /// The template is missing, paused, or its parameters do not fit: disable what uses it.
    Template,
    /// The file is too large, of a wrong type, or gone.
    Media,
    /// The customer's identity changed since it was last checked.
    IdentityChanged,
    /// The provider refused the message itself: a mistake of ours.
    Rejected,
}

/// A failed attempt to send. `Display` is for staff and logs: it holds neither the message's text, the recipient nor the
/// token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendError {
    /// What may be done.
    pub class: SendClass,
    /// The provider's own number of the error, if it answered with one.
    pub code: Option<i64>,
    /// What happened, for staff, at most 300 characters.
    pub message: String,
    /// The provider's name of the exchange, for its support.
    pub trace: Option<String>,
}

impl SendError {
    /// Longest `message`, in characters.
    pub const MAX_MESSAGE: usize = 300;

    /// An error without an answer of the provider.
    #[must_use]
    pub fn new(class: SendClass, message: &str) -> Self {
        Self { class, code: None, message: message.chars().take(Self::MAX_MESSAGE).collect(), trace: None }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (self.code, &self.trace) {
            (Some(code), Some(trace)) => write!(f, " (error {code}, trace {trace})"),
            (Some(code), None) => write!(f, " (error {code})"),
            (None, Some(trace)) => write!(f, " (trace {trace})"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for SendError {}
