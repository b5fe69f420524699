//! Anthropic's Messages API.
//!
//! Answers that must be JSON use `output_config.format` where the schema fits its subset, else a forced tool whose input
//! is the answer; the parser turns that input into text, so that callers see no difference.

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    error::ModelError,
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest, ResponseFormat},
    providers::{Service, wire},
    schema,
};

mod answer;
mod request;

pub(crate) use answer::AnthropicParser;

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";

/// A model behind Anthropic's Messages API.
#[derive(Debug)]
pub struct Anthropic {
    service: Service,
    client: reqwest::Client,
}

/// How an answer is made JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsonWay {
    /// It need not be.
    None,
    /// By `output_config.format`.
    OutputFormat,
    /// By a tool of this name that must be called.
    ForcedTool(String),
}

impl JsonWay {
    pub(crate) fn from_request(request: &ModelRequest) -> Self {
        match &request.format {
            ResponseFormat::Text => Self::None,
            ResponseFormat::Json { schema, .. }
                if schema::translate(schema, schema::Dialect::AnthropicOutput).1.is_empty() =>
            {
                Self::OutputFormat
            }
            ResponseFormat::Json { name, .. } => Self::ForcedTool(name.clone()),
        }
    }
}

impl Anthropic {
    /// The model of `service`.
    ///
    /// # Errors
    /// No HTTP client could be built.
    pub fn new(service: Service) -> Result<Self, reqwest::Error> {
        let client = service.client()?;
        Ok(Self { service, client })
    }

    /// The body that is sent for a request.
    #[must_use]
    pub fn request_body(&self, request: &ModelRequest) -> Value {
        request::body(request, &self.service.model)
    }
}

#[async_trait]
impl ChatProvider for Anthropic {
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
        let mut http = self
            .client
            .post(self.service.url("/v1/messages"))
            .header("anthropic-version", VERSION)
            .json(&self.request_body(request));
        if let Some(key) = self.service.key() {
            http = http.header("x-api-key", key);
        }
        let call = wire::Call { service: &self.service, request, http };
        let response = wire::ask(call, AnthropicParser::new(JsonWay::from_request(request)), on_event).await?;
        Ok(self.service.priced(response))
    }
}
