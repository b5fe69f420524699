//! What is sent to `generateContent`.

use serde_json::{Map, Value, json};

use crate::{
    message::{Message, ToolCallRequest},
    provider::{ModelRequest, ResponseFormat, ToolChoice},
    providers::transcript::{IdRule, WireIds, arguments_object, temperature},
    schema,
};

/// What Gemini 3 takes in place of a signature for a call that it did not make itself (after a fallback).
const FOREIGN_CALL: &str = "skip_thought_signature_validator";

/// The body for `request`.
pub(super) fn body(request: &ModelRequest, model: &str) -> Value {
    let mut body = Map::new();
    if !request.system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({ "parts": [{ "text": request.system }] }));
    }
    body.insert("contents".to_owned(), contents(request, model));
    // Tools and JSON answers exclude each other before Gemini 3; a transcript with calls needs no tools listed.
    let json_only = matches!(request.format, ResponseFormat::Json { .. }) && request.tool_choice == ToolChoice::None;
    if !request.tools.is_empty() && !json_only {
        let tools = request.tools.iter().map(|tool| {
            let (parameters, _lost) = schema::translate(&tool.input_schema, schema::Dialect::GeminiParameters);
            let mut declaration = json!({ "name": tool.name, "description": tool.description });
            // An object without properties is refused by some models; a tool without parameters simply has none.
            let has_some = parameters.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
            if has_some && let Value::Object(fields) = &mut declaration {
                fields.insert("parameters".to_owned(), parameters);
            }
            declaration
        });
        let tools: Vec<Value> = tools.collect();
        body.insert("tools".to_owned(), json!([{ "functionDeclarations": tools }]));
        let mode = match request.tool_choice {
            ToolChoice::Auto => "AUTO",
            ToolChoice::None => "NONE",
        };
        body.insert("toolConfig".to_owned(), json!({ "functionCallingConfig": { "mode": mode } }));
    }
    let mut config = Map::new();
    config.insert("maxOutputTokens".to_owned(), request.max_output_tokens.into());
    if let Some(milli) = request.temperature_milli {
        config.insert("temperature".to_owned(), temperature(milli).into());
    }
    if let ResponseFormat::Json { schema, .. } = &request.format {
        let (response_schema, _lost) = schema::translate(schema, schema::Dialect::GeminiResponse);
        config.insert("responseMimeType".to_owned(), "application/json".into());
        config.insert("responseJsonSchema".to_owned(), response_schema);
    }
    body.insert("generationConfig".to_owned(), Value::Object(config));
    Value::Object(body)
}

/// Turns of alternating roles; the results of one step stand together in one turn, as many as it has calls.
fn contents(request: &ModelRequest, model: &str) -> Value {
    let ids = WireIds::new(request, IdRule::Plain);
    let signed = model.contains("gemini-3");
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, parts) = match message {
            Message::User { text } => ("user", text_part(text).into_iter().collect()),
            Message::Assistant { text, tool_calls } => {
                let calls = tool_calls
                    .iter()
                    .enumerate()
                    .map(|(at, call)| call_part(call, ids.get(&call.id), signed && at == 0));
                ("model", text_part(text).into_iter().chain(calls).collect::<Vec<_>>())
            }
            Message::ToolResult { call_id, name, content, is_error } => {
                ("user", vec![result_part(ids.get(call_id), name, content, *is_error)])
            }
        };
        match turns.last_mut() {
            Some((last, held)) if *last == role => held.extend(parts),
            Some(_) | None if parts.is_empty() => {}
            Some(_) | None => turns.push((role, parts)),
        }
    }
    turns.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({ "text": text }))
}

fn call_part(call: &ToolCallRequest, id: &str, must_be_signed: bool) -> Value {
    let args = arguments_object(&call.arguments);
    let mut part = json!({ "functionCall": { "id": id, "name": call.name, "args": args } });
    let own = call.vendor.as_ref().and_then(|vendor| vendor.get("thought_signature")).cloned();
    let signature = own.or_else(|| must_be_signed.then(|| FOREIGN_CALL.into()));
    if let (Some(signature), Value::Object(fields)) = (signature, &mut part) {
        fields.insert("thoughtSignature".to_owned(), signature);
    }
    part
}

/// A result; it must be an object, and its keys `output` and `error` are what Gemini reads.
fn result_part(id: &str, name: &str, content: &str, is_error: bool) -> Value {
    let response = match serde_json::from_str::<Value>(content) {
        Ok(object @ Value::Object(_)) => object,
        Ok(other) => json!({ if is_error { "error" } else { "output" }: other }),
        Err(_) => json!({ if is_error { "error" } else { "output" }: content }),
    };
    json!({ "functionResponse": { "id": id, "name": name, "response": response } })
}
