//! Google's Gemini API, `generateContent`.
//!
//! Not here: its Interactions API, and its OpenAI-shaped door, which is [`super::openai`]'s.

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    error::ModelError,
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest},
    providers::{Service, wire},
};

mod answer;
mod partial_args;
mod request;

pub(crate) use answer::GeminiParser;

/// A model behind the Gemini API.
#[derive(Debug)]
pub struct Gemini {
    service: Service,
    client: reqwest::Client,
}

impl Gemini {
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
impl ChatProvider for Gemini {
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
        let path = format!("/models/{}:streamGenerateContent?alt=sse", self.service.model);
        let mut http = self.client.post(self.service.url(&path)).json(&self.request_body(request));
        if let Some(key) = self.service.key() {
            // Never in the URL: URLs end up in logs.
            http = http.header("x-goog-api-key", key);
        }
        let call = wire::Call { service: &self.service, request, http };
        let response = wire::ask(call, GeminiParser::default(), on_event).await?;
        Ok(self.service.priced(response))
    }
}
