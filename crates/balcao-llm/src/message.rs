//! What passes between us and a model, free of any vendor's dialect.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::usage::Usage;

/// The name of the call whose result is a message of a service. The program writes the call; no model can make it, and no tool has the name.
pub const SERVICE_MESSAGE: &str = "service_message";

/// One entry of the transcript that a model reads.
///
/// The system prompt is not a message: it is [`crate::ModelRequest::system`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the customer wrote (a burst is joined by line breaks), or a corrective word from the program.
    User {
        /// The text, as it came.
        text: String,
    },
    /// What the model answered in one step.
    Assistant {
        /// Visible text; may be empty beside tool calls.
        text: String,
        /// The calls it asked for, in its order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCallRequest>,
    },
    /// The answer to one tool call. Every call has exactly one.
    ToolResult {
        /// The [`ToolCallRequest::id`] that this answers.
        call_id: String,
        /// The tool's name, which some vendors need beside the id.
        name: String,
        /// The result as JSON text.
        content: String,
        /// True if the tool refused, was called wrongly or broke.
        is_error: bool,
    },
}

/// A model's wish to call a tool, exactly as it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRequest {
    /// Unique within the request that carries it. Providers that send none get one assigned.
    pub id: String,
    /// The name as written: it may name no tool that exists.
    pub name: String,
    /// The arguments as raw text: usually a JSON object, possibly malformed, possibly empty (no arguments).
    pub arguments: String,
    /// What the vendor wants back verbatim with this call (Gemini's thought signature); opaque to us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<Value>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It had finished.
    Stop,
    /// It wants its tool calls answered.
    ToolCalls,
    /// It ran into the output limit: nothing it asked for may run.
    Length,
    /// The vendor's filter cut it, or the model refused.
    Refusal,
    /// Anything else, or a stream that ended without saying why.
    Unknown,
}

/// One finished answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// Text meant to be read. Reasoning parts are never in it.
    pub text: String,
    /// The calls that it asked for, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallRequest>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// Tokens, as far as the vendor told.
    pub usage: Usage,
    /// The model that answered, as the vendor names it.
    pub model: String,
    /// What the service wrote otherwise than its protocol says, and was read all the same; for the trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<String>,
}
