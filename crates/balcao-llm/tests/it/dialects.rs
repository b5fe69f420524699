//! What services do that the documentation of none promises.

use balcao_llm::{
    ChatProvider, FinishReason, ModelErrorKind, ModelResponse, ResponseFormat,
    detect::{ProviderConfig, ProviderKind},
    providers::replay::Protocol,
};
use serde_json::{Value, json};

use crate::{
    corpus::read,
    server::{Reply, serve},
    support::{request, user},
};

type Outcome = Result<ModelResponse, (ModelErrorKind, String)>;

fn stream(protocol: Protocol, payloads: &[Value]) -> Outcome {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    read(protocol, body.as_bytes(), 11).0
}

fn whole(protocol: Protocol, body: &Value) -> Outcome {
    read(protocol, body.to_string().as_bytes(), 11).0
}

fn kind(outcome: &Outcome) -> ModelErrorKind {
    outcome.as_ref().unwrap_err().0
}

/// Name and arguments of each call.
fn calls(outcome: &Outcome) -> Vec<(&str, &str)> {
    let calls = &outcome.as_ref().unwrap().tool_calls;
    calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect()
}

fn chat(deltas: &[Value]) -> Outcome {
    let mut all: Vec<Value> =
        deltas.iter().map(|delta| json!({ "choices": [{ "index": 0, "delta": delta }] })).collect();
    all.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }));
    stream(Protocol::ChatCompletions, &all)
}

fn call(index: Option<u32>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] })
}

#[test]
fn chat_pieces_find_their_call() {
    let by_index = chat(&[
        call(Some(0), Some("a"), Some("f"), "{\"x\""),
        call(Some(1), Some("b"), Some("g"), ""),
        call(Some(0), None, None, ":1}"),
        call(Some(1), Some(""), None, "{}"),
    ]);
    assert_eq!(calls(&by_index), [("f", "{\"x\":1}"), ("g", "{}")]);
    let one_index_for_all =
        chat(&[call(Some(0), Some("a"), Some("f"), "{}"), call(Some(0), Some("b"), Some("g"), "{}")]);
    assert_eq!(calls(&one_index_for_all), [("f", "{}"), ("g", "{}")]);
    let first_without_arguments =
        chat(&[call(Some(0), Some("a"), Some("f"), ""), call(Some(0), Some("b"), Some("g"), "{}")]);
    assert_eq!(calls(&first_without_arguments), [("f", ""), ("g", "{}")]);
    let no_id_either = chat(&[call(Some(0), Some(""), Some("f"), "{}"), call(Some(0), Some(""), Some("f"), "{}")]);
    assert_eq!(calls(&no_id_either), [("f", "{}"), ("f", "{}")]);
    let no_index = chat(&[
        call(None, Some("a"), Some("f"), "{"),
        call(None, None, None, "}"),
        call(None, Some("b"), Some("f"), ""),
    ]);
    assert_eq!(calls(&no_index), [("f", "{}"), ("f", "")]);
    let neither = chat(&[call(None, None, Some("f"), ""), call(None, None, Some("g"), "{}")]);
    assert_eq!(calls(&neither), [("f", ""), ("g", "{}")]);
    let id_and_name_each_time =
        chat(&[call(Some(0), Some("a"), Some("f"), "{"), call(Some(0), Some("a"), Some("f"), "}")]);
    assert_eq!(calls(&id_and_name_each_time), [("f", "{}")]);
    let name_later = chat(&[call(Some(0), Some("a"), None, ""), call(Some(0), None, Some("f"), "{}")]);
    assert_eq!(calls(&name_later), [("f", "{}")]);
    assert_eq!(kind(&chat(&[call(Some(0), Some("a"), None, "{}")])), ModelErrorKind::Malformed, "no name at all");
}

#[test]
fn chat_arguments_stay_as_written() {
    let message = |arguments: Value| {
        let call = json!({ "id": "a", "function": { "name": "f", "arguments": arguments } });
        whole(
            Protocol::ChatCompletions,
            &json!({ "choices": [{ "message": { "tool_calls": [call] }, "finish_reason": "stop" }] }),
        )
    };
    for (arguments, kept) in [
        (json!("{\"a\": 1,}"), "{\"a\": 1,}"),
        (json!(" {} "), " {} "),
        (json!({ "b": 1, "a": 2 }), "{\"b\":1,\"a\":2}"),
        (json!(null), ""),
        (json!("\"{}\""), "\"{}\""),
        (json!("null"), "null"),
        (json!("\"null\""), "\"null\""),
    ] {
        assert_eq!(calls(&message(arguments)), [("f", kept)]);
    }
}

#[test]
fn chat_endings_are_told_apart() {
    let end = |payloads: &[Value]| stream(Protocol::ChatCompletions, payloads);
    let text = json!({ "choices": [{ "delta": { "content": "oi" } }] });
    let finish = |reason: &str| json!({ "choices": [{ "delta": {}, "finish_reason": reason }] });
    assert_eq!(end(&[text.clone(), finish("stop")]).unwrap().finish, FinishReason::Stop, "without [DONE]");
    assert_eq!(end(&[text.clone(), finish("content_filter")]).unwrap().finish, FinishReason::Refusal);
    assert_eq!(end(&[text.clone(), finish("novelty")]).unwrap().finish, FinishReason::Unknown);
    assert_eq!(kind(&end(&[text.clone(), finish("error")])), ModelErrorKind::Upstream);
    assert_eq!(kind(&end(std::slice::from_ref(&text))), ModelErrorKind::Malformed, "cut");
    let refusal = json!({ "choices": [{ "delta": { "refusal": "I cannot" } }] });
    let refused = end(&[refusal, finish("stop")]).unwrap();
    assert_eq!((refused.finish, refused.text.as_str()), (FinishReason::Refusal, ""));
    let cut_in_usage = format!("data: {text}\n\ndata: {}\n\ndata: {{\"choices\":[],\"usa", finish("stop"));
    assert_eq!(
        read(Protocol::ChatCompletions, cut_in_usage.as_bytes(), 3).0.unwrap().text,
        "oi",
        "only figures are missing"
    );
    let done = read(Protocol::ChatCompletions, format!("data: {text}\n\ndata: [DONE]\n\n").as_bytes(), 3).0.unwrap();
    assert_eq!(done.finish, FinishReason::Unknown, "a stream that ends without saying why");
}

#[test]
fn errors_inside_a_stream_are_understood() {
    for (error, expected) in [
        (
            json!({ "error": { "code": "tool_use_failed", "status_code": 400, "message": "m" } }),
            ModelErrorKind::ToolUseFailed,
        ),
        (json!({ "error": { "code": 429, "message": "m", "metadata": {} } }), ModelErrorKind::RateLimited),
        (json!({ "object": "error", "message": "m", "code": 500 }), ModelErrorKind::Upstream),
        (json!({ "choices": [{ "delta": {}, "error": { "code": 502, "message": "m" } }] }), ModelErrorKind::Upstream),
    ] {
        let text = json!({ "choices": [{ "delta": { "content": "oi" } }] });
        assert_eq!(kind(&stream(Protocol::ChatCompletions, &[text, error])), expected);
    }
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    assert_eq!(kind(&stream(Protocol::Messages, &[start("a"), overloaded])), ModelErrorKind::RateLimited);
    let gemini = json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "m" } });
    assert_eq!(kind(&stream(Protocol::GenerateContent, &[gemini])), ModelErrorKind::Upstream);
}

fn start(id: &str) -> Value {
    json!({ "type": "message_start", "message": { "id": id, "type": "message", "model": "m", "content": [], "stop_reason": null } })
}

#[test]
fn a_message_that_begins_twice_is_read_once_and_two_mixed_ones_not_at_all() {
    let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
    let text = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "oi" } });
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
    let read = |second: &str| {
        stream(Protocol::Messages, &[start("a"), block.clone(), start(second), text.clone(), end.clone()])
    };
    assert_eq!(read("a").unwrap().text, "oi");
    assert_eq!(kind(&read("b")), ModelErrorKind::Malformed);
    assert_eq!(
        kind(&stream(Protocol::Messages, &[start("a"), text.clone(), end.clone()])),
        ModelErrorKind::Malformed,
        "no block"
    );
}

#[test]
fn a_message_may_begin_with_content() {
    let mut begun = start("a");
    begun["message"]["content"] = json!([{ "type": "tool_use", "id": "t", "name": "f", "input": { "x": 1 } }]);
    begun["message"]["stop_reason"] = json!("tool_use");
    let outcome = stream(Protocol::Messages, &[begun, json!({ "type": "message_stop" })]);
    assert_eq!(calls(&outcome), [("f", "{\"x\":1}")]);
}

#[test]
fn a_call_that_comes_in_no_pieces_keeps_what_it_began_with() {
    let begun = |input: Value| {
        let block = json!({ "type": "tool_use", "id": "t", "name": "f", "input": input });
        let empty = json!({ "type": "input_json_delta", "partial_json": "" });
        let outcome = stream(
            Protocol::Messages,
            &[
                start("a"),
                json!({ "type": "content_block_start", "index": 0, "content_block": block }),
                json!({ "type": "content_block_delta", "index": 0, "delta": empty }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            ],
        );
        outcome.unwrap().tool_calls.remove(0).arguments
    };
    assert_eq!(begun(json!({ "x": 1 })), "{\"x\":1}");
    assert_eq!(begun(json!({})), "{}");
}

#[test]
fn gemini_says_no_in_several_ways() {
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" }, "usageMetadata": {} });
    assert_eq!(whole(Protocol::GenerateContent, &blocked).unwrap().finish, FinishReason::Refusal);
    let finish =
        |reason: &str| whole(Protocol::GenerateContent, &json!({ "candidates": [{ "finishReason": reason }] }));
    assert_eq!(finish("SAFETY").unwrap().finish, FinishReason::Refusal);
    assert_eq!(finish("MAX_TOKENS").unwrap().finish, FinishReason::Length);
    assert_eq!(finish("OTHER").unwrap().finish, FinishReason::Unknown);
    assert_eq!(kind(&finish("MALFORMED_FUNCTION_CALL")), ModelErrorKind::ToolUseFailed);
}

#[test]
fn gemini_streams_may_be_one_array() {
    let piece = |text: &str, finish: Option<&str>| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": finish }] });
    let outcome = whole(Protocol::GenerateContent, &json!([piece("o", None), piece("i", Some("STOP"))])).unwrap();
    assert_eq!((outcome.text.as_str(), outcome.finish), ("oi", FinishReason::Stop));
}

#[test]
fn gemini_arguments_come_in_pieces_by_path() {
    let part = |call: Value| json!({ "candidates": [{ "content": { "parts": [{ "functionCall": call }] } }] });
    let arg = |path: &str, kind: &str, value: Value| json!({ "jsonPath": path, kind: value });
    let stop = json!({ "candidates": [{ "finishReason": "STOP" }] });
    let pieces = [
        part(json!({ "name": "f", "willContinue": true })),
        part(json!({ "partialArgs": [arg("$.a", "stringValue", json!("x"))], "willContinue": true })),
        part(json!({ "partialArgs": [arg("$.a", "stringValue", json!("y"))], "willContinue": true })),
        part(
            json!({ "partialArgs": [arg("$.l[1].b", "numberValue", json!(2.5)), arg("$['k.k']", "boolValue", json!(true))], "willContinue": true }),
        ),
        part(json!({})),
        stop.clone(),
    ];
    let outcome = stream(Protocol::GenerateContent, &pieces);
    assert_eq!(calls(&outcome), [("f", r#"{"a":"xy","l":[null,{"b":2.5}],"k.k":true}"#)]);
    let cut = [pieces[0].clone(), pieces[1].clone(), stop.clone()];
    assert_eq!(kind(&stream(Protocol::GenerateContent, &cut)), ModelErrorKind::Malformed, "the call was not ended");
    for path in ["a", "$.", "$[x]", "$.a[99999999]", "$['a"] {
        let wrong = part(json!({ "name": "f", "partialArgs": [arg(path, "boolValue", json!(true))] }));
        assert_eq!(
            kind(&stream(Protocol::GenerateContent, &[wrong, stop.clone()])),
            ModelErrorKind::Malformed,
            "{path}"
        );
    }
}

#[test]
fn too_much_is_not_read() {
    let text = "x".repeat(64 * 1024);
    let chunk = |text: &str| json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
    assert_eq!(stream(Protocol::ChatCompletions, &[chunk(&text)]).unwrap().text.len(), 64 * 1024);
    assert_eq!(kind(&stream(Protocol::ChatCompletions, &[chunk(&text), chunk("x")])), ModelErrorKind::TooLarge);
    let padding = " ".repeat(1024 * 1024);
    assert_eq!(
        kind(&read(Protocol::ChatCompletions, format!("{{{padding}}}").as_bytes(), 4096).0),
        ModelErrorKind::TooLarge
    );
    assert_eq!(
        kind(&read(Protocol::ChatCompletions, format!("data: {padding}x").as_bytes(), 4096).0),
        ModelErrorKind::TooLarge
    );
    let arguments = "1".repeat(300 * 1024);
    assert_eq!(kind(&chat(&[call(Some(0), Some("a"), Some("f"), &arguments)])), ModelErrorKind::TooLarge);
}

#[test]
fn a_stream_of_more_than_16_mib_is_not_read() {
    // Each event is small enough, and nothing of it is text.
    let event = json!({ "choices": [{ "delta": { "role": "assistant" } }], "padding": "x".repeat(900_000) });
    let end = json!({ "choices": [{ "delta": { "content": "sim" }, "finish_reason": "stop" }] });
    let streamed = |events: usize| {
        let body = format!("{}data: {end}\n\n", format!("data: {event}\n\n").repeat(events));
        read(Protocol::ChatCompletions, body.as_bytes(), 1 << 16).0
    };
    assert_eq!(streamed(18).unwrap().text, "sim");
    assert_eq!(kind(&streamed(19)), ModelErrorKind::TooLarge);
}

#[test]
fn what_is_no_protocol_is_malformed() {
    for body in [
        "",
        " \n",
        "<html>gateway</html>",
        "{",
        "[]",
        "{}",
        "null",
        "data: {\n\n",
        "data: [DONE]\n\n",
        ": only comments\n\n",
    ] {
        for protocol in crate::corpus::PROTOCOLS {
            assert_eq!(kind(&read(protocol, body.as_bytes(), 2).0), ModelErrorKind::Malformed, "{body:?}");
        }
    }
}

/// A service that knows no JSON schemas says so with a refusal: it is asked in the next way, and in that way from then on.
#[tokio::test]
async fn a_service_that_refuses_a_way_of_asking_for_json_is_asked_in_a_weaker_one() {
    let refused = |what: &str| Reply::new(400, json!({ "error": { "message": what } }).to_string());
    let message = json!({ "choices": [{ "message": { "content": "{\"agrees\": true}" }, "finish_reason": "stop" }] });
    let good = || Reply::new(200, message.to_string()).header("content-type", "application/json");
    let server = serve(vec![
        refused("'response_format.type' must be 'json_object' or 'text'"),
        refused("This model does not support response_format"),
        good(),
        good(),
        refused("`temperature` is out of range"),
    ]);
    let mut config = ProviderConfig::new(ProviderKind::Compatible);
    (config.base_url, config.model) = (Some(server.url.clone()), Some("m".to_owned()));
    let provider = config.build().unwrap();
    let mut asked = request(vec![user("sim")]);
    asked.tools.clear();
    asked.format = ResponseFormat::Json { name: "agreement".to_owned(), schema: json!({ "type": "object" }) };
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let answer = provider.complete(&asked, &mut |_| {}).await.unwrap();
        assert_eq!(answer.text, "{\"agrees\": true}");
    }
    let other = provider.complete(&asked, &mut |_| {}).await.unwrap_err();
    assert_eq!(other.kind, ModelErrorKind::Rejected, "another refusal is one");
    for _ in 0..5 {
        let body = server.asked.recv().unwrap().body;
        let told = body["messages"][0]["content"].as_str().unwrap().contains("JSON Schema");
        kinds.push((body["response_format"]["type"].as_str().unwrap_or("none").to_owned(), told));
    }
    let kinds: Vec<(&str, bool)> = kinds.iter().map(|(kind, told)| (kind.as_str(), *told)).collect();
    assert_eq!(kinds, [("json_schema", false), ("json_object", true), ("none", true), ("none", true), ("none", true)]);
}
