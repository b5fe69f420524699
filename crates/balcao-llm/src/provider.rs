//! The seam between a turn and a model.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::ModelError,
    message::{Message, ModelResponse},
};

/// A service behind an LLM API, bound to one model of it.
#[async_trait]
pub trait ChatProvider: Send + Sync + std::fmt::Debug {
    /// The configured name, for records and messages to the operator: `openai`, `offline`, …
    fn name(&self) -> &str;

    /// The model that will be asked.
    fn model(&self) -> &str;

    /// Asks once. Implementations do not retry (that is [`crate::ModelErrorKind::retryable`]'s reader) and stop their work
    /// when the future is dropped.
    ///
    /// `on_event` sees text as it arrives; its concatenation (since the last [`StreamEvent::Restarted`]) equals the answer's
    /// `text`.
    ///
    /// # Errors
    /// [`ModelError`], with a kind that says what may be tried next.
    async fn complete(&self, request: &ModelRequest, on_event: &mut EventSink<'_>)
    -> Result<ModelResponse, ModelError>;
}

#[async_trait]
impl<P: ChatProvider + ?Sized> ChatProvider for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        (**self).complete(request, on_event).await
    }
}

#[async_trait]
impl<P: ChatProvider + ?Sized> ChatProvider for Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        (**self).complete(request, on_event).await
    }
}

/// Who sees an answer while it is written. A name of its own, because `async_trait` misreads the elided lifetime of
/// `FnMut(StreamEvent<'_>)` when that is written out in a method.
pub type EventSink<'a> = dyn FnMut(StreamEvent<'_>) + Send + 'a;

/// What happens while an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEvent<'a> {
    /// The first byte of the answer's body arrived.
    Started,
    /// More visible text.
    Text(&'a str),
    /// The model began to ask for a tool.
    ToolCallStarted(&'a str),
    /// An attempt failed after its text was seen: that text is void, and the answer begins anew. The text events after
    /// the last `Restarted` are the answer's `text`.
    Restarted,
    /// Of a list of providers, this one is asked next; the last one named before the answer gave it.
    Asking {
        /// The configured name.
        provider: &'a str,
        /// The model.
        model: &'a str,
    },
}

/// Everything that a model is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The system prompt. What never changes within a conversation comes first, so that prompt caches hold.
    pub system: String,
    /// The transcript, oldest first, ending with what is to be answered.
    pub messages: Vec<Message>,
    /// The tools on offer; empty if none may be called.
    pub tools: Vec<ToolDefinition>,
    /// Whether a tool may or must be called.
    pub tool_choice: ToolChoice,
    /// Set when the answer must be one JSON value.
    pub format: ResponseFormat,
    /// Upper bound of output tokens.
    pub max_output_tokens: u32,
    /// Sampling temperature in thousandths; `None` leaves the vendor's default.
    pub temperature_milli: Option<u32>,
    /// What the answer is for. Network providers ignore it.
    pub purpose: Purpose,
    /// The turn's facts as data, for the offline model. Network providers ignore it: the same facts stand in `system`.
    pub facts: TurnFacts,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// snake_case, at most 64 characters.
    pub name: String,
    /// What it does and when to use it, in the conversation's language.
    pub description: String,
    /// JSON Schema 2020-12 of the arguments; an object schema.
    pub input_schema: Arc<Value>,
}

/// Whether the model may call tools in this step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// It decides.
    Auto,
    /// It must not; `tools` may still be listed so that the transcript stays valid.
    None,
}

/// The form of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// Free text.
    Text,
    /// One JSON value that satisfies the schema, enforced by the vendor where it can.
    Json {
        /// A short name that some vendors demand.
        name: String,
        /// JSON Schema 2020-12.
        schema: Value,
    },
}

/// What the answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The next step of a turn.
    Step,
    /// A rewording of the last reply, which failed a check; no tools.
    Correction,
    /// A summary of the conversation for staff and for later turns.
    Summary,
    /// A message that takes up a conversation which the customer left: plain words.
    FollowUp,
    /// What the customer said of themselves: answers `{"name"?: …, "email"?: …, "tags"?: […]}`.
    ContactFacts,
}

/// What the offline model may know beside the transcript. Never holds anything that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnFacts {
    /// The organization's local time when the turn began.
    pub now: Zoned,
    /// `pt-BR` or `en`.
    pub locale: String,
    /// The organization's name.
    pub organization: String,
    /// Its address, if known.
    #[serde(default)]
    pub address: Option<String>,
    /// The earliest time at which anybody can be booked on any day: a customer's bare hour from then on is as written.
    /// `None` if it plays no part, because nobody works before eight.
    #[serde(default)]
    pub opens: Option<jiff::civil::Time>,
    /// The contact's name, if known.
    pub contact_name: Option<String>,
    /// The appointment that a notification was about which the contact may be answering.
    #[serde(default)]
    pub appointment: Option<i64>,
    /// When the message to answer was written, if it came hours late: days and times in it are meant from then.
    #[serde(default)]
    pub written: Option<Zoned>,
    /// How many messages, from the first on, are older than the last change of the business.
    #[serde(default)]
    pub outdated: usize,
}
