//! What is sent to the Messages API.

use serde_json::{Map, Value, json};

use super::JsonWay;
use crate::{
    message::Message,
    provider::{ModelRequest, ResponseFormat, ToolChoice},
    providers::transcript::{IdRule, WireIds, arguments_object, mentioned_tools, temperature},
    schema,
};

/// The body for `request`.
pub(super) fn body(request: &ModelRequest, model: &str) -> Value {
    let way = JsonWay::from_request(request);
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("max_tokens".to_owned(), request.max_output_tokens.into());
    body.insert("stream".to_owned(), true.into());
    if !request.system.is_empty() {
        // The mark caches tools and system prompt: a turn of several steps sends them again within seconds.
        let block = json!({ "type": "text", "text": request.system, "cache_control": { "type": "ephemeral" } });
        body.insert("system".to_owned(), json!([block]));
    }
    body.insert("messages".to_owned(), messages(request));
    if let Some(milli) = request.temperature_milli
        && takes_temperature(model)
    {
        body.insert("temperature".to_owned(), temperature(milli.min(1000)).into());
    }
    let mut tools = tools(request);
    let mut choice = json!({ "type": if request.tool_choice == ToolChoice::Auto { "auto" } else { "none" } });
    if request.tools.is_empty() {
        choice = json!({ "type": "none" });
    }
    match (&way, &request.format) {
        (JsonWay::OutputFormat, ResponseFormat::Json { schema, .. }) => {
            let format = json!({ "type": "json_schema", "schema": schema });
            body.insert("output_config".to_owned(), json!({ "format": format }));
        }
        (JsonWay::ForcedTool(name), ResponseFormat::Json { schema, .. }) => {
            let (input_schema, _lost) = schema::translate(schema, schema::Dialect::ObjectRoot);
            tools.retain(|tool| tool.get("name").is_none_or(|it| it != name));
            tools.push(json!({
                "name": name,
                "description": "Gives the answer. Call it exactly once.",
                "input_schema": input_schema,
            }));
            choice = json!({ "type": "tool", "name": name, "disable_parallel_tool_use": true });
        }
        (_, ResponseFormat::Text | ResponseFormat::Json { .. }) => {}
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
        body.insert("tool_choice".to_owned(), choice);
    }
    Value::Object(body)
}

/// Models from Opus 4.7 and the fifth generation on refuse any temperature.
fn takes_temperature(model: &str) -> bool {
    const REFUSING: [&str; 8] =
        ["opus-4-7", "opus-4-8", "opus-4-9", "opus-5", "sonnet-5", "haiku-5", "fable-5", "mythos"];
    !REFUSING.iter().any(|family| model.contains(family))
}

/// The tools on offer. A transcript with calls is refused without any tools, so tools that it mentions stand in.
fn tools(request: &ModelRequest) -> Vec<Value> {
    if request.tools.is_empty() {
        let stand_in = |name: &str| json!({ "name": name, "description": "Not available now.", "input_schema": { "type": "object", "properties": {} } });
        return mentioned_tools(request).into_iter().map(stand_in).collect();
    }
    let tools = request.tools.iter().map(|tool| {
        let (input_schema, _lost) = schema::translate(&tool.input_schema, schema::Dialect::ObjectRoot);
        json!({ "name": tool.name, "description": tool.description, "input_schema": input_schema })
    });
    tools.collect()
}

/// Turns of alternating roles: results and a user's text that follows them share one turn, results first.
fn messages(request: &ModelRequest) -> Value {
    let ids = WireIds::new(request, IdRule::Plain);
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::User { text } => ("user", text_block(text).into_iter().collect()),
            Message::Assistant { text, tool_calls } => {
                let calls = tool_calls.iter().map(|call| {
                    let input = arguments_object(&call.arguments);
                    json!({ "type": "tool_use", "id": ids.get(&call.id), "name": call.name, "input": input })
                });
                ("assistant", text_block(text).into_iter().chain(calls).collect::<Vec<_>>())
            }
            Message::ToolResult { call_id, content, is_error, .. } => {
                let id = ids.get(call_id);
                let block =
                    json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, held)) if *last == role => held.extend(blocks),
            Some(_) | None if blocks.is_empty() => {}
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// A text block; text that is blank is refused, so it gives none.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}
