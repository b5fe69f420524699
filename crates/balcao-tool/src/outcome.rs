//! What comes back from a call.

use crate::class::ResultClass;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::{ErrorCode, Internal},
    offer::Offer,
    receipt::Receipt,
};

/// What a handler gives back when nothing broke.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The JSON for the model; satisfies the output schema.
    pub value: Value,
    /// True for a correct "no".
    pub refused: bool,
    /// What a reply may now state.
    pub receipts: Vec<Receipt>,
    /// What the customer may choose.
    pub offers: Vec<Offer>,
    /// What had to be mended in the arguments before it ran; the model reads it under `_mended`.
    pub mended: Vec<String>,
    /// The call that undoes it (`{tool, arguments}`), for a caller that may undo it; the model reads it under `_undo`.
    pub undo: Option<Box<Value>>,
    /// Why the value is as it came, without the shape that its pack gives it, for staff. Then it is not held against the output schema,
    /// and the model reads a warning under `_warning`.
    pub unprocessed: Option<Internal>,
}

impl ToolOutput {
    /// It worked.
    #[must_use]
    pub const fn success(value: Value) -> Self {
        Self {
            value,
            refused: false,
            receipts: Vec::new(),
            offers: Vec::new(),
            mended: Vec::new(),
            undo: None,
            unprocessed: None,
        }
    }

    /// A correct "no": `success: false` with a reason, `found: false`, `available: false`.
    #[must_use]
    pub const fn refusal(value: Value) -> Self {
        Self {
            value,
            refused: true,
            receipts: Vec::new(),
            offers: Vec::new(),
            mended: Vec::new(),
            undo: None,
            unprocessed: None,
        }
    }

    /// Adds a receipt.
    #[must_use]
    pub fn receipt(mut self, receipt: Receipt) -> Self {
        self.receipts.push(receipt);
        self
    }

    /// Adds what the customer may choose.
    #[must_use]
    pub fn offering(mut self, offers: impl IntoIterator<Item = Offer>) -> Self {
        self.offers.extend(offers);
        self
    }
}

/// The one result of one call, as the turn keeps it. `internal` is for staff; everything else may reach a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// How it counts.
    pub class: ResultClass,
    /// The error code, if the result has an `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The JSON for the model.
    pub value: Value,
    /// What a reply may now state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<Receipt>,
    /// What the customer may choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// For staff and the journal only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<String>,
    /// Set when the command wants the customer's word first: the one-sentence question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
    /// It may have happened or not, outside of our own tables, and the machine must not try again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// How long it took.
    pub duration_ms: u64,
}

impl CallResult {
    /// True if the JSON carries an `error`.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.code.is_some()
    }
}
