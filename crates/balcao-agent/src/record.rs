//! What a turn remembers of itself, for the journal, the note to staff and the trace.

use balcao_llm::Usage;
use balcao_tool::{CallResult, EffectKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reply_checks::sanitise::Removal;

/// One model call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// What it was for: `step`, `final`, `correction`, `judge`.
    pub purpose: String,
    /// The model that answered, or the error of the one that did not.
    pub model: String,
    /// Why it stopped.
    pub finish: String,
    /// Tokens.
    pub usage: Usage,
    /// Calls that it asked for.
    pub calls: u32,
    /// Visible text, as written; for the journal only.
    pub text: String,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub took_ms: u64,
    /// What the service wrote otherwise than its protocol says, and was read all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<String>,
}

/// One tool call and its one result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The step that asked for it; 0 is a held call that the customer agreed to.
    pub step: u32,
    /// Its place within the step.
    pub index: u32,
    /// The id that the transcript knows it by.
    pub call_id: String,
    /// The name as the model wrote it.
    pub tool: String,
    /// The arguments as they were checked; the raw text if they could not be read.
    pub args: Value,
    /// Hash of the canonical arguments; empty if they could not be read.
    pub args_hash: String,
    /// The idempotency key, if it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<EffectKey>,
    /// True if the answer came from an earlier equal call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// What had to be mended in the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    /// How long it took, in milliseconds; 0 if it did not run.
    #[serde(default)]
    pub took_ms: u64,
    /// The result.
    pub result: CallResult,
}

/// What a guardrail decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRecord {
    /// The guardrail.
    pub guardrail: String,
    /// What it did.
    pub action: String,
}

/// What the turn used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Model calls.
    pub model_calls: u32,
    /// Tool calls that ran.
    pub tool_calls: u32,
    /// Tokens and cost.
    pub usage: Usage,
}

/// What the sanitiser took out of one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleaningRecord {
    /// `send`, `retry` or `block`, with the reason.
    pub verdict: String,
    /// What was removed.
    pub removed: Vec<Removal>,
}
