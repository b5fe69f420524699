//! Tokens of one model call.

use serde::{Deserialize, Serialize};

/// Token counts of one call. Where a service reports none, they are estimated from the bytes that were sent and received: a service that
/// says nothing is not free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input_tokens: u64,
    /// Those of the input that a prompt cache served.
    pub cached_input_tokens: u64,
    /// All output tokens, reasoning included.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar, if the price of the model is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
}

/// Bytes of a text that count as one token where a service reports none. Portuguese and English take about four.
const BYTES_A_TOKEN: usize = 4;

impl Usage {
    /// Fills in the counts that are zero by an estimate of what was sent and received, in bytes. A call without a single token of
    /// input or output does not happen.
    #[must_use]
    pub(crate) fn or_estimated(self, sent: usize, received: usize) -> Self {
        let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_A_TOKEN)).unwrap_or(u64::MAX);
        let or = |reported: u64, bytes: usize| if reported == 0 { tokens(bytes) } else { reported };
        Self { input_tokens: or(self.input_tokens, sent), output_tokens: or(self.output_tokens, received), ..self }
    }

    /// Adds another call's tokens; a cost that is unknown on one side counts as zero, unknown on both stays unknown.
    pub fn add(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_micro_usd = match (self.cost_micro_usd, other.cost_micro_usd) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
    }
}
