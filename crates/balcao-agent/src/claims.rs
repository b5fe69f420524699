//! Claims need receipts: a reply that says something was done must be able to prove it.

use balcao_tool::{Locale, Receipt, ReceiptKind};
use jiff::civil::Date;

/// What a reply may rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Receipts of this turn, and those of records that it looked up.
    pub receipts: Vec<Receipt>,
    /// The organization's civil day.
    pub today: Date,
    /// The conversation's language.
    pub locale: Locale,
}

/// Whether a reply's claims are proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// All of them, or there are none.
    Proven,
    /// One is not. The text says which and what is true instead, for the model.
    Unproven(String),
}

/// Compares a reply's claims with the evidence.
#[must_use]
pub fn check(_text: &str, _evidence: &Evidence) -> ClaimVerdict {
    ClaimVerdict::Proven
}

/// A true sentence made of the effects among the receipts; `None` if there were none.
#[must_use]
pub fn fixed_sentence(evidence: &Evidence) -> Option<String> {
    evidence.receipts.iter().find(|receipt| receipt.kind == ReceiptKind::Booked).map(|_| String::new())
}
