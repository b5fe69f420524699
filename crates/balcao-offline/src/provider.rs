//! The provider: one request in, one answer out, nothing remembered in between.

use async_trait::async_trait;
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelRequest, ModelResponse, Purpose, ResponseFormat,
    StreamEvent, ToolCallRequest, ToolChoice, Usage,
};
use serde_json::{Value, json};

use crate::{
    policy::{self, Call, Decision},
    state::Dialogue,
    summary,
};

/// The model's name in records.
pub const MODEL: &str = "balcao-offline-1";

/// The built-in model. It has no state and no settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfflineModel;

impl OfflineModel {
    /// Answers a request: what [`ChatProvider::complete`] gives, without the ceremony.
    #[must_use]
    pub fn answer(&self, request: &ModelRequest) -> ModelResponse {
        match request.purpose {
            Purpose::Step => step(request, request.tool_choice == ToolChoice::Auto),
            Purpose::Correction => correction(request),
            Purpose::Summary => {
                let dialogue = Dialogue::from_request(request);
                plain(summary::summary(request, &dialogue, dialogue.locale()))
            }
            // This model writes no text for a follow-up, because the caller has a fixed sentence ready.
            Purpose::FollowUp => plain(String::new()),
            Purpose::ContactFacts => {
                let name = Dialogue::from_request(request).utterance.own_name;
                plain(json!({ "name": name }).to_string())
            }
        }
    }
}

#[async_trait]
impl ChatProvider for OfflineModel {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        MODEL
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let response = self.answer(request);
        on_event(StreamEvent::Started);
        if !response.text.is_empty() {
            on_event(StreamEvent::Text(&response.text));
        }
        for call in &response.tool_calls {
            on_event(StreamEvent::ToolCallStarted(&call.name));
        }
        Ok(response)
    }
}

fn decide(request: &ModelRequest, may_call: bool) -> Decision {
    let dialogue = Dialogue::from_request(request);
    let facts = &request.facts;
    let locale = dialogue.locale();
    let tools = crate::structured::tools(request);
    // The structured protocol switches the vendor's own calling off: there the list of tools decides.
    let structured = matches!(&request.format, ResponseFormat::Json { .. });
    let may_call = may_call || structured && request.purpose == Purpose::Step && !tools.is_empty();
    policy::decide(&dialogue, &tools, facts, locale, may_call)
}

fn step(request: &ModelRequest, may_call: bool) -> ModelResponse {
    let decision = decide(request, may_call);
    let structured = matches!(&request.format, ResponseFormat::Json { .. });
    match decision {
        Decision::Say(text) if structured => {
            plain(json!({ "response_to_client": text, "tool_request": null }).to_string())
        }
        Decision::Say(text) => plain(text),
        Decision::Call(calls) if structured => {
            let first = calls.into_iter().next();
            let wish = first.map_or(Value::Null, |call| json!({ "name": call.name, "params": call.arguments }));
            plain(json!({ "response_to_client": null, "tool_request": wish }).to_string())
        }
        Decision::Call(calls) => ModelResponse {
            text: String::new(),
            tool_calls: numbered(request, calls),
            finish: FinishReason::ToolCalls,
            usage: Usage::default(),
            model: MODEL.to_owned(),
            mended: Vec::new(),
        },
    }
}

/// Calls with ids that no earlier call of the transcript has.
fn numbered(request: &ModelRequest, calls: Vec<Call>) -> Vec<ToolCallRequest> {
    let before = request.messages.len();
    let number = |(index, call): (usize, Call)| ToolCallRequest {
        id: format!("off_{before}_{index}"),
        name: call.name,
        arguments: call.arguments.to_string(),
        vendor: None,
    };
    calls.into_iter().enumerate().map(number).collect()
}

/// Writes the reply of the turn again, without its rejected reply and without calls. If that gives the rejected text again, the reply is
/// a sentence that claims nothing.
fn correction(request: &ModelRequest) -> ModelResponse {
    let mut cut = request.clone();
    let mut rejected = None;
    while let Some(last) = cut.messages.last() {
        match last {
            Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
                rejected = Some(text.clone());
                cut.messages.pop();
            }
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => break,
        }
    }
    let response = step(&cut, false);
    if rejected.as_deref() == Some(response.text.as_str()) {
        let neutral = crate::policy::neutral(Dialogue::from_request(&cut).locale(), cut.facts.now.date());
        return match &request.format {
            ResponseFormat::Json { .. } => {
                plain(json!({ "response_to_client": neutral, "tool_request": null }).to_string())
            }
            ResponseFormat::Text => plain(neutral),
        };
    }
    response
}

fn plain(text: String) -> ModelResponse {
    ModelResponse {
        text,
        tool_calls: Vec::new(),
        finish: FinishReason::Stop,
        usage: Usage::default(),
        model: MODEL.to_owned(),
        mended: Vec::new(),
    }
}
