//! Receipts: what a tool did or found, as facts that a reply may state.
//!
//! A reply that says "booked" needs a receipt that says so. Handlers issue them; the turn keeps
//! them; the claim check compares words with them.

use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};

/// What a receipt proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptKind {
    /// An appointment was made.
    Booked,
    /// An appointment was moved; the facts are the new ones.
    Rescheduled,
    /// An appointment was cancelled.
    Cancelled,
    /// An appointment exists (found, not made now).
    Existing,
    /// A note was written for staff.
    Noted,
    /// The contact's record took something that the contact said: a name, an address.
    Updated,
    /// An automation was started.
    Started,
    /// Something was changed in a system that the business connected; its answer says what.
    Changed,
    /// A person was called.
    HandedOff,
    /// A message will follow by itself: follow-up or reminder; the facts say when.
    MessagePlanned,
    /// A place on the waiting list.
    Waitlisted,
    /// A planned message was called off.
    MessageCancelled,
    /// The matter is settled: the conversation is archived when the turn closes.
    Ended,
}

/// One proven fact. A field that is `None` was not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// What it proves.
    pub kind: ReceiptKind,
    /// The civil day in the organization's zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Date>,
    /// The local start time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Time>,
    /// The local end time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Time>,
    /// Who is booked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub professional: Option<String>,
    /// What is booked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Price in cents of the organization's currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_cents: Option<i64>,
}

impl Receipt {
    /// A receipt without further facts.
    #[must_use]
    pub const fn bare(kind: ReceiptKind) -> Self {
        Self { kind, day: None, start: None, end: None, professional: None, service: None, price_cents: None }
    }
}
