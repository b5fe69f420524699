//! The structured protocol: each step is one JSON object.
//!
//! The turn itself knows neutral messages only. This module renders a neutral request for a model that answers in JSON, and
//! reads such an answer back, so that loop, breaker, validation and ledger are the same for both protocols.

use std::borrow::Cow;

use balcao_llm::{Message, ModelRequest, ModelResponse, ResponseFormat, ToolCallRequest, ToolChoice, ToolDefinition};
use balcao_tool::{Locale, repair};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::prompt;

/// A tool as it stands in the prompt.
pub(super) fn line(tool: &ToolDefinition) -> String {
    json!({"name": tool.name, "description": tool.description, "params": tool.input_schema}).to_string()
}

/// Renders a neutral request without tools: those of `listed` move into the prompt, calls and results become text. `again` after
/// an answer that was no such object.
pub(super) fn render(neutral: ModelRequest, listed: &[Cow<'_, str>], again: bool, locale: Locale) -> ModelRequest {
    let mut system = neutral.system;
    prompt::structured(&mut system, listed, locale);
    if again {
        system.push_str(prompt::not_an_object(locale));
    }
    let mut messages: Vec<Message> = Vec::with_capacity(neutral.messages.len());
    let mut facts = neutral.facts;
    let outdated = std::mem::take(&mut facts.outdated);
    for (place, message) in neutral.messages.into_iter().enumerate() {
        match message {
            Message::User { text } => push_user(&mut messages, text),
            Message::Assistant { text, tool_calls } => {
                let calls = if tool_calls.is_empty() { vec![None] } else { tool_calls.iter().map(Some).collect() };
                // One request a step: further calls of a native history are told as further steps.
                for call in calls {
                    push_assistant(&mut messages, step(&text, call));
                }
            }
            Message::ToolResult { name, content, .. } => {
                let (name, result) = (Value::from(name), one_line(content));
                push_user(&mut messages, format!(r#"{{"tool_result":{{"name":{name},"result":{result}}}}}"#));
            }
        }
        if place < outdated {
            facts.outdated = messages.len();
        }
    }
    ModelRequest {
        system,
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        format: ResponseFormat::Json { name: "turn_step".to_owned(), schema: schema(!listed.is_empty()) },
        max_output_tokens: neutral.max_output_tokens,
        temperature_milli: neutral.temperature_milli,
        purpose: neutral.purpose,
        facts,
    }
}

/// Reads one structured answer into the neutral form: a request wins over a response.
///
/// # Errors
/// What is wrong with it, for the corrective retry.
pub(super) fn read(response: &ModelResponse, step: usize) -> Result<(String, Vec<ToolCallRequest>), String> {
    let text = response.text.trim();
    let candidate = outermost_object(text).unwrap_or(text);
    let object = repair::parse_object(candidate)?.value;
    let known = ["thought", "response_to_client", "tool_request"];
    if !known.iter().any(|key| object.get(key).is_some()) {
        return Err("the answer must be one object with response_to_client and tool_request".to_owned());
    }
    let said = match object.get("response_to_client") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err("response_to_client must be a string or null".to_owned()),
    };
    match object.get("tool_request") {
        None | Some(Value::Null) => Ok((said, Vec::new())),
        Some(Value::Object(request)) => {
            let Some(name) = request.get("name").and_then(Value::as_str) else {
                return Err("tool_request.name must be a string".to_owned());
            };
            let arguments = request.get("params").map_or_else(|| "{}".to_owned(), Value::to_string);
            let call = ToolCallRequest { id: format!("s{step}"), name: name.to_owned(), arguments, vendor: None };
            Ok((String::new(), vec![call]))
        }
        Some(_) => Err("tool_request must be an object or null".to_owned()),
    }
}

fn schema(with_tools: bool) -> Value {
    let request = if with_tools {
        json!({
            "type": ["object", "null"],
            "properties": {"name": {"type": "string"}, "params": {"type": "object"}},
            "required": ["name", "params"]
        })
    } else {
        json!({"type": "null"})
    };
    json!({
        "type": "object",
        "properties": {"thought": {"type": "string"}, "response_to_client": {"type": ["string", "null"]}, "tool_request": request},
        "required": ["response_to_client", "tool_request"]
    })
}

fn arguments(call: &ToolCallRequest) -> Value {
    repair::parse_arguments(&call.arguments)
        .map_or_else(|_| Value::from(call.arguments.as_str()), |parsed| parsed.value)
}

/// One step as the model is to write it: a request, else what was said.
fn step(said: &str, call: Option<&ToolCallRequest>) -> String {
    let Some(call) = call else {
        return format!(r#"{{"response_to_client":{},"tool_request":null}}"#, Value::from(said));
    };
    let (name, params) = (Value::from(call.name.as_str()), arguments(call));
    format!(r#"{{"response_to_client":null,"tool_request":{{"name":{name},"params":{params}}}}}"#)
}

/// JSON on one line; what is none becomes a string. It is looked over and not taken apart: histories are rendered in every step.
fn one_line(text: String) -> String {
    let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
    match is_json {
        true if !text.contains('\n') => text,
        true => serde_json::from_str::<Value>(&text).map_or(text, |value| value.to_string()),
        false => Value::String(text).to_string(),
    }
}

/// From the first `{` to the last `}`: models wrap objects in prose and fences.
fn outermost_object(text: &str) -> Option<&str> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    text.get(start..=end)
}

fn push_user(messages: &mut Vec<Message>, more: String) {
    if let Some(Message::User { text }) = messages.last_mut() {
        text.push('\n');
        text.push_str(&more);
    } else {
        messages.push(Message::User { text: more });
    }
}

fn push_assistant(messages: &mut Vec<Message>, more: String) {
    if let Some(Message::Assistant { text, .. }) = messages.last_mut() {
        text.push('\n');
        text.push_str(&more);
    } else {
        messages.push(Message::Assistant { text: more, tool_calls: Vec::new() });
    }
}
