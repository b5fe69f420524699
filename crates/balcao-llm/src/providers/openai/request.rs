//! What is sent to chat completions.

use serde_json::{Map, Value, json};

use super::{Dialect, JsonMode, OutputLimit};
use crate::{
    message::{Message, ToolCallRequest},
    provider::{ModelRequest, ResponseFormat, ToolChoice},
    providers::transcript::{WireIds, arguments_object, temperature},
    schema,
};

/// The body for `request`.
pub(super) fn body(request: &ModelRequest, model: &str, dialect: Dialect) -> Value {
    let ids = WireIds::new(request, dialect.ids);
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    let system = system_text(request, dialect);
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    let mut after_tool = false;
    for entry in &request.messages {
        if after_tool && !dialect.user_after_tool && matches!(entry, Message::User { .. }) {
            messages.push(json!({ "role": "assistant", "content": "OK." }));
        }
        after_tool = matches!(entry, Message::ToolResult { .. });
        messages.push(message(entry, &ids));
    }

    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), Value::Array(messages));
    body.insert("stream".to_owned(), true.into());
    if dialect.stream_usage {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    let limit = match dialect.output_limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(limit.to_owned(), request.max_output_tokens.into());
    if let Some(milli) = request.temperature_milli
        && !is_reasoning_model(model)
    {
        body.insert("temperature".to_owned(), temperature(milli).into());
    }
    // JSON mode and tools exclude each other at Groq; a transcript with calls needs no tools listed.
    let json_only = dialect.json == JsonMode::Object
        && matches!(request.format, ResponseFormat::Json { .. })
        && request.tool_choice == ToolChoice::None;
    if !request.tools.is_empty() && !json_only {
        let tools = request.tools.iter().map(|tool| {
            let (parameters, _lost) = schema::translate(&tool.input_schema, schema::Dialect::ObjectRoot);
            let function = json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
            json!({ "type": "function", "function": function })
        });
        body.insert("tools".to_owned(), tools.collect());
        let choice = match request.tool_choice {
            ToolChoice::Auto => "auto",
            ToolChoice::None => "none",
        };
        body.insert("tool_choice".to_owned(), choice.into());
    }
    if let Some(format) = response_format(&request.format, dialect.json) {
        body.insert("response_format".to_owned(), format);
    }
    Value::Object(body)
}

/// OpenAI's reasoning models refuse any temperature but their own.
fn is_reasoning_model(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    ["o1", "o3", "o4", "gpt-5"].iter().any(|family| name.starts_with(family))
}

fn system_text(request: &ModelRequest, dialect: Dialect) -> String {
    match (&request.format, dialect.json) {
        (ResponseFormat::Json { schema, .. }, JsonMode::Object | JsonMode::Prompt) => {
            // `json_object` is refused unless the word JSON stands in a message.
            format!(
                "{}\n\nAnswer with one JSON value that satisfies this JSON Schema, and nothing else:\n{schema}",
                request.system
            )
        }
        (ResponseFormat::Json { .. }, JsonMode::Schema) | (ResponseFormat::Text, _) => request.system.clone(),
    }
}

fn response_format(format: &ResponseFormat, mode: JsonMode) -> Option<Value> {
    let ResponseFormat::Json { name, schema } = format else { return None };
    match mode {
        JsonMode::Schema => {
            let strict = schema::is_strict(schema);
            let described = json!({ "name": name, "schema": schema, "strict": strict });
            Some(json!({ "type": "json_schema", "json_schema": described }))
        }
        JsonMode::Object => Some(json!({ "type": "json_object" })),
        JsonMode::Prompt => None,
    }
}

fn message(entry: &Message, ids: &WireIds<'_>) -> Value {
    match entry {
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, tool_calls } => {
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            let calls: Vec<Value> = tool_calls.iter().map(|call| tool_call(call, ids)).collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::ToolResult { call_id, content, .. } => {
            json!({ "role": "tool", "tool_call_id": ids.get(call_id), "content": content })
        }
    }
}

fn tool_call(call: &ToolCallRequest, ids: &WireIds<'_>) -> Value {
    let arguments = match serde_json::from_str::<Map<String, Value>>(&call.arguments) {
        Ok(_) => call.arguments.clone(),
        // Some services parse the arguments of past calls and refuse what is no object.
        Err(_) => arguments_object(&call.arguments).to_string(),
    };
    let mut wire = json!({
        "id": ids.get(&call.id),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    });
    // Gemini's thought signature, when it is spoken to through this API.
    if let Some(extra) = call.vendor.as_ref().and_then(|vendor| vendor.get("extra_content"))
        && let Value::Object(fields) = &mut wire
    {
        fields.insert("extra_content".to_owned(), extra.clone());
    }
    wire
}
