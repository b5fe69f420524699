//! What a line of the script is in each vendor's way of streaming it.

use serde_json::{Value, json};

use super::{Says, Speaks};

/// The answer to the request of this number.
pub(super) fn streamed(speaks: Speaks, asked: &Value, number: usize, line: Says) -> String {
    match speaks {
        Speaks::OpenAi => chat_completions(number, line),
        Speaks::Anthropic => messages(asked, number, line),
        Speaks::Gemini => generate_content(line),
    }
}

fn events(payloads: &[Value]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

fn chat_completions(number: usize, line: Says) -> String {
    let (delta, ends) = match line {
        Says::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Says::Calls(all) => {
            let call = |(index, (name, arguments)): (usize, (String, Value))| {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                json!({ "index": index, "id": format!("call_{number}_{index}"), "type": "function", "function": function })
            };
            let list: Vec<Value> = all.into_iter().enumerate().map(call).collect();
            (json!({ "role": "assistant", "content": null, "tool_calls": list }), "tool_calls")
        }
    };
    let chunk = |delta: &Value, ends: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": ends });
        json!({ "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "model": "scripted",
            "choices": [choice], "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 } })
    };
    format!("{}data: [DONE]\n\n", events(&[chunk(&delta, Value::Null), chunk(&json!({}), ends.into())]))
}

fn messages(asked: &Value, number: usize, line: Says) -> String {
    let choice = |key: &str| asked.pointer(&format!("/tool_choice/{key}")).and_then(Value::as_str);
    let (blocks, reason) = match line {
        Says::Text(text) => match choice("name").filter(|_| choice("type") == Some("tool")) {
            Some(forced) => (vec![called(number, (0, (forced.to_owned(), text)))], "tool_use"),
            None => {
                let delta = json!({ "type": "text_delta", "text": text });
                (vec![(json!({ "type": "text", "text": "" }), delta)], "end_turn")
            }
        },
        Says::Calls(calls) => {
            let written = calls.into_iter().map(|(name, arguments)| (name, arguments.to_string()));
            (written.enumerate().map(|call| called(number, call)).collect(), "tool_use")
        }
    };
    let usage = json!({ "input_tokens": 10, "output_tokens": 1 });
    let message =
        json!({ "id": format!("msg_{number}"), "type": "message", "model": "scripted", "content": [], "usage": usage });
    let mut all = vec![json!({ "type": "message_start", "message": message })];
    for (index, (block, delta)) in blocks.into_iter().enumerate() {
        all.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        all.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        all.push(json!({ "type": "content_block_stop", "index": index }));
    }
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 5 } }));
    all.push(json!({ "type": "message_stop" }));
    events(&all)
}

/// A block that calls a tool, and its input as it is written.
fn called(number: usize, (index, (name, input)): (usize, (String, String))) -> (Value, Value) {
    let id = format!("toolu_{number}_{index}");
    let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
    (block, json!({ "type": "input_json_delta", "partial_json": input }))
}

fn generate_content(line: Says) -> String {
    let parts: Vec<Value> = match line {
        Says::Text(text) => vec![json!({ "text": text })],
        Says::Calls(calls) => {
            let call = |(name, args): (String, Value)| json!({ "functionCall": { "name": name, "args": args } });
            calls.into_iter().map(call).collect()
        }
    };
    let content = json!({ "role": "model", "parts": parts });
    events(&[json!({
        "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5 },
        "modelVersion": "scripted",
    })])
}
