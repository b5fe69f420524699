//! What all tests need: a request, and a look at what an answer's making showed.

use balcao_llm::{
    ChatProvider, Message, ModelError, ModelRequest, ModelResponse, Purpose, ResponseFormat, StreamEvent,
    ToolCallRequest, ToolChoice, ToolDefinition, TurnFacts,
};
use serde_json::json;

pub(crate) fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

pub(crate) fn assistant(text: &str, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, arguments): &(&str, &str, &str)| ToolCallRequest {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        vendor: None,
    };
    Message::Assistant { text: text.to_owned(), tool_calls: calls.iter().map(call).collect() }
}

pub(crate) fn result(call_id: &str, name: &str, content: &str) -> Message {
    Message::ToolResult {
        call_id: call_id.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error: false,
    }
}

pub(crate) fn tool(name: &str) -> ToolDefinition {
    let input_schema = json!({
        "type": "object",
        "properties": { "day": { "type": "string", "format": "date" }, "note": { "type": ["string", "null"] } },
        "required": ["day"],
        "additionalProperties": false,
    });
    ToolDefinition {
        name: name.to_owned(),
        description: format!("What {name} does."),
        input_schema: input_schema.into(),
    }
}

pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: "You answer for a barbershop.".to_owned(),
        messages,
        tools: vec![tool("find_slots"), tool("book")],
        tool_choice: ToolChoice::Auto,
        format: ResponseFormat::Text,
        max_output_tokens: 500,
        temperature_milli: Some(200),
        purpose: Purpose::Step,
        facts: TurnFacts {
            now: "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap(),
            locale: "pt-BR".to_owned(),
            organization: "Barbearia".to_owned(),
            address: None,
            opens: None,
            contact_name: None,
            appointment: None,
            written: None,
            outdated: 0,
        },
    }
}

pub(crate) fn question() -> ModelRequest {
    request(vec![user("Tem horário amanhã?")])
}

/// What an answer's making showed.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Seen {
    /// Text since the last restart.
    pub(crate) text: String,
    pub(crate) started_calls: Vec<String>,
    pub(crate) restarts: usize,
    pub(crate) asked: Vec<String>,
}

impl Seen {
    pub(crate) fn note(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Started => {}
            StreamEvent::Text(piece) => self.text.push_str(piece),
            StreamEvent::ToolCallStarted(name) => self.started_calls.push(name.to_owned()),
            StreamEvent::Restarted => {
                self.text.clear();
                self.started_calls.clear();
                self.restarts += 1;
            }
            StreamEvent::Asking { provider, .. } => self.asked.push(provider.to_owned()),
        }
    }
}

pub(crate) async fn ask(
    provider: &dyn ChatProvider,
    request: &ModelRequest,
) -> (Result<ModelResponse, ModelError>, Seen) {
    let mut seen = Seen::default();
    let result = provider.complete(request, &mut |event| seen.note(event)).await;
    if let Ok(response) = &result {
        assert_eq!(response.text, seen.text, "the text events are the text");
    }
    (result, seen)
}
