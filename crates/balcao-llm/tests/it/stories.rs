//! Answers in each vendor's way of streaming them, after the vendors' documentation.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vendor {
    OpenAi,
    Anthropic,
    Gemini,
    Scripted,
}

#[derive(Clone, Copy, Default)]
pub(crate) enum Ending {
    #[default]
    Stop,
    Length,
    None,
}

/// What is streamed, free of any dialect.
#[derive(Default)]
pub(crate) struct Story<'a> {
    pub(crate) text: &'a [&'a str],
    pub(crate) calls: &'a [(&'a str, &'a str)],
    pub(crate) ending: Ending,
}

/// The story as the vendor streams it, after the vendors' documentation.
pub(crate) fn stream(vendor: Vendor, story: &Story<'_>) -> String {
    match vendor {
        Vendor::OpenAi | Vendor::Scripted => chat_completions(story),
        Vendor::Anthropic => messages(story),
        Vendor::Gemini => generate_content(story),
    }
}

fn events(payloads: &[Value]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

fn chat_completions(story: &Story<'_>) -> String {
    let chunk = |delta: Value, finish: Option<&str>| json!({ "object": "chat.completion.chunk", "model": "m-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let mut all = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    all.extend(story.text.iter().map(|piece| chunk(json!({ "content": piece }), None)));
    for (at, (name, arguments)) in story.calls.iter().enumerate() {
        let begun = json!({ "index": at, "id": format!("call_x{at}"), "type": "function", "function": { "name": name, "arguments": "" } });
        all.push(chunk(json!({ "tool_calls": [begun] }), None));
        for piece in pieces(arguments) {
            all.push(chunk(json!({ "tool_calls": [{ "index": at, "function": { "arguments": piece } }] }), None));
        }
    }
    match story.ending {
        Ending::None => return events(&all),
        Ending::Length => all.push(chunk(json!({}), Some("length"))),
        Ending::Stop => all.push(chunk(json!({}), Some(if story.calls.is_empty() { "stop" } else { "tool_calls" }))),
    }
    let usage = json!({ "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "prompt_tokens_details": { "cached_tokens": 3 } });
    all.push(json!({ "object": "chat.completion.chunk", "model": "m-1", "choices": [], "usage": usage }));
    events(&all) + "data: [DONE]\n\n"
}

fn messages(story: &Story<'_>) -> String {
    let usage = json!({ "input_tokens": 6, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": 1 });
    let mut all = vec![
        json!({ "type": "message_start", "message": { "id": "msg", "type": "message", "model": "m-1", "content": [], "usage": usage } }),
    ];
    let mut index = 0;
    if !story.text.is_empty() {
        all.push(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }));
        for piece in story.text {
            all.push(
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": piece } }),
            );
            all.push(json!({ "type": "ping" }));
        }
        index = 1;
        all.push(json!({ "type": "content_block_stop", "index": 0 }));
    }
    for (at, (name, arguments)) in story.calls.iter().enumerate() {
        let at = at + index;
        let block = json!({ "type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": {} });
        all.push(json!({ "type": "content_block_start", "index": at, "content_block": block }));
        for piece in pieces(arguments) {
            all.push(json!({ "type": "content_block_delta", "index": at, "delta": { "type": "input_json_delta", "partial_json": piece } }));
        }
        all.push(json!({ "type": "content_block_stop", "index": at }));
    }
    let reason = match story.ending {
        Ending::None => return events(&all),
        Ending::Length => "max_tokens",
        Ending::Stop if story.calls.is_empty() => "end_turn",
        Ending::Stop => "tool_use",
    };
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 7 } }));
    all.push(json!({ "type": "message_stop" }));
    events(&all)
}

fn generate_content(story: &Story<'_>) -> String {
    let chunk = |parts: Value, finish: Option<&str>| {
        json!({
            "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish, "index": 0 }],
            "usageMetadata": { "promptTokenCount": 11, "cachedContentTokenCount": 3, "candidatesTokenCount": 5, "thoughtsTokenCount": 2 },
            "modelVersion": "m-1",
        })
    };
    let mut all = vec![chunk(json!([{ "text": "thinking", "thought": true }]), None)];
    all.extend(story.text.iter().map(|piece| chunk(json!([{ "text": piece }]), None)));
    for (name, arguments) in story.calls {
        let mut call = json!({ "name": name });
        if !arguments.is_empty() {
            call["args"] = serde_json::from_str(arguments).unwrap();
        }
        all.push(chunk(json!([{ "functionCall": call }]), None));
    }
    match story.ending {
        Ending::None => {}
        Ending::Length => all.push(chunk(json!([]), Some("MAX_TOKENS"))),
        Ending::Stop => all.push(chunk(json!([{ "text": "" }]), Some("STOP"))),
    }
    events(&all)
}

fn pieces(text: &str) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(5).map(|piece| piece.iter().collect()).collect()
}
