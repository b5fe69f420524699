//! OpenAI's chat completions, and the many services that speak them.
//!
//! What differs between those services is [`Dialect`]; the parser takes them all alike. Not here: OpenAI's Responses API.

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    error::ModelError,
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest},
    providers::{IdRule, Service, wire},
};

mod answer;
mod request;

pub(crate) use answer::OpenAiParser;

/// How a service's chat completions differ from OpenAI's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// What the limit of output tokens is called.
    pub output_limit: OutputLimit,
    /// What it offers for answers that must be JSON.
    pub json: JsonMode,
    /// Whether `stream_options.include_usage` may be sent. Services that refuse it tell the usage anyway.
    pub stream_usage: bool,
    /// Which call ids it takes.
    pub ids: IdRule,
    /// Whether a user's message may follow a tool's result.
    pub user_after_tool: bool,
}

/// The name of the limit of output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimit {
    /// `max_tokens`: what most services know.
    MaxTokens,
    /// `max_completion_tokens`: OpenAI's reasoning models refuse the other.
    MaxCompletionTokens,
}

/// What a service offers for answers that must be JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonMode {
    /// `response_format: json_schema`.
    Schema,
    /// `response_format: json_object`; the schema goes into the system prompt.
    Object,
    /// Nothing; the schema goes into the system prompt.
    Prompt,
}

impl Dialect {
    /// OpenAI itself.
    pub const OPENAI: Self = Self {
        output_limit: OutputLimit::MaxCompletionTokens,
        json: JsonMode::Schema,
        stream_usage: true,
        ids: IdRule::Plain,
        user_after_tool: true,
    };
    /// Any other service that says it speaks OpenAI's API; fits Ollama, `OpenRouter` and xAI.
    pub const COMPATIBLE: Self = Self { output_limit: OutputLimit::MaxTokens, ..Self::OPENAI };
    /// Groq: its JSON schemas do not go with streaming.
    pub const GROQ: Self =
        Self { output_limit: OutputLimit::MaxCompletionTokens, json: JsonMode::Object, ..Self::COMPATIBLE };
    /// Mistral: refuses unknown fields, other ids than its own kind, and a user who speaks right after a tool.
    pub const MISTRAL: Self =
        Self { stream_usage: false, ids: IdRule::NineAlphanumeric, user_after_tool: false, ..Self::COMPATIBLE };
    /// `DeepSeek`: JSON without a schema.
    pub const DEEPSEEK: Self = Self { json: JsonMode::Object, ..Self::COMPATIBLE };
}

/// A model behind OpenAI's chat completions or a service that speaks them.
#[derive(Debug)]
pub struct OpenAi {
    service: Service,
    dialect: Dialect,
    client: reqwest::Client,
}

impl OpenAi {
    /// The model of `service`, asked in `dialect`.
    ///
    /// # Errors
    /// No HTTP client could be built.
    pub fn new(service: Service, dialect: Dialect) -> Result<Self, reqwest::Error> {
        let client = service.client()?;
        Ok(Self { service, dialect, client })
    }

    /// The body that is sent for a request.
    #[must_use]
    pub fn request_body(&self, request: &ModelRequest) -> Value {
        request::body(request, &self.service.model, self.dialect)
    }
}

#[async_trait]
impl ChatProvider for OpenAi {
    fn name(&self) -> &str {
        &self.service.name
    }

    fn model(&self) -> &str {
        &self.service.model
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let mut http = self.client.post(self.service.url("/chat/completions")).json(&self.request_body(request));
        if let Some(key) = self.service.key() {
            http = http.bearer_auth(key);
        }
        let call = wire::Call { service: &self.service, request, http };
        let response = wire::ask(call, OpenAiParser::default(), on_event).await?;
        Ok(self.service.priced(response))
    }
}
