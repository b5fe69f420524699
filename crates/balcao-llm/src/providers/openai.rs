//! OpenAI's chat completions, and the many services that speak them.
//!
//! What differs between those services is [`Dialect`]; the parser takes them all alike. Not here: OpenAI's Responses API.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    error::{ModelError, ModelErrorKind},
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest, ResponseFormat},
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

impl JsonMode {
    /// What is left for a service that refuses this one.
    const fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Object),
            Self::Object => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
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
    /// What it has not refused yet, for answers that must be JSON.
    json: Mutex<JsonMode>,
    client: reqwest::Client,
}

impl OpenAi {
    /// The model of `service`, asked in `dialect`.
    ///
    /// # Errors
    /// No HTTP client could be built.
    pub fn new(service: Service, dialect: Dialect) -> Result<Self, reqwest::Error> {
        let client = service.client()?;
        Ok(Self { service, dialect, json: Mutex::new(dialect.json), client })
    }

    /// The body that is sent for a request.
    #[must_use]
    pub fn request_body(&self, request: &ModelRequest) -> Value {
        request::body(request, &self.service.model, Dialect { json: self.json(), ..self.dialect })
    }

    fn json(&self) -> JsonMode {
        *self.json.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether to ask again in another way: many services that speak this protocol know no JSON schemas and say so with a refusal.
    fn steps_down(&self, asked: JsonMode, request: &ModelRequest, error: &ModelError) -> bool {
        let is_json = matches!(request.format, ResponseFormat::Json { .. });
        let said = error.message.to_lowercase();
        let refused = error.kind == ModelErrorKind::Rejected
            && ["response_format", "response format", "json_schema", "json_object"]
                .iter()
                .any(|name| said.contains(name));
        let Some(weaker) = asked.weaker().filter(|_| is_json && refused) else { return false };
        tracing::warn!(
            provider = self.service.name,
            ?asked,
            ?weaker,
            "the service refuses this way of asking for JSON"
        );
        *self.json.lock().unwrap_or_else(PoisonError::into_inner) = weaker;
        true
    }

    async fn ask(&self, request: &ModelRequest, on_event: &mut EventSink<'_>) -> Result<ModelResponse, ModelError> {
        let mut http = self.client.post(self.service.url("/chat/completions")).json(&self.request_body(request));
        if let Some(key) = self.service.key() {
            http = http.bearer_auth(key);
        }
        let call = wire::Call { service: &self.service, request, http };
        let response = wire::ask(call, OpenAiParser::default(), on_event).await?;
        Ok(self.service.priced(response))
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
        loop {
            let asked = self.json();
            match self.ask(request, on_event).await {
                Err(error) if self.steps_down(asked, request, &error) => {}
                answered => return answered,
            }
        }
    }
}
