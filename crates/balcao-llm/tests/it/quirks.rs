//! The table of `docs/MODEL-SERVICES.md`: what services write otherwise than the protocol says, each row a test of this name. What was
//! mended is told with the answer, and what could mean two things is not mended.

use std::sync::Arc;

use balcao_llm::{
    FinishReason, ModelErrorKind, ModelResponse, ToolDefinition,
    detect::{ProviderConfig, ProviderKind},
    providers::replay::Protocol,
};
use serde_json::{Value, json};

use crate::{
    corpus::read,
    server::{Reply, serve},
    support::{ask, request, user},
};

type Outcome = Result<ModelResponse, (ModelErrorKind, String)>;

/// An answer of these raw payloads, cut at awkward places.
fn stream(payloads: &[String]) -> Outcome {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    read(Protocol::ChatCompletions, body.as_bytes(), 7).0
}

fn chat(pieces: &[Value]) -> ModelResponse {
    let delta = |piece: &Value| json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [piece] } }] }).to_string();
    let mut payloads: Vec<String> = pieces.iter().map(delta).collect();
    payloads.push(json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }).to_string());
    stream(&payloads).unwrap()
}

/// A piece of a call; what is `null` is left out.
fn piece(index: Value, id: Value, name: Value, arguments: Value) -> Value {
    let mut function = json!({ "name": name, "arguments": arguments });
    let mut piece = json!({ "index": index, "id": id });
    for object in [&mut function, &mut piece] {
        object.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    piece["function"] = function;
    piece
}

/// Id, name and arguments of each call.
fn calls(response: &ModelResponse) -> Vec<(&str, &str, &str)> {
    response.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect()
}

#[test]
fn a_number_for_a_call_id_is_its_name() {
    for (id, read) in
        [(json!(7), "7"), (json!(-1), "-1"), (json!(1_917_043_659_912_705_296_u64), "1917043659912705296")]
    {
        let answer = chat(&[piece(json!(0), id, json!("f"), json!("{}"))]);
        assert_eq!(calls(&answer), [(read, "f", "{}")]);
        assert_eq!(answer.mended, ["the id of a call was no text"]);
    }
    let call = json!({ "id": 7, "function": { "name": "f", "arguments": "{}" } });
    let whole = json!({ "choices": [{ "message": { "tool_calls": [call] }, "finish_reason": "stop" }] }).to_string();
    let whole = read(Protocol::ChatCompletions, whole.as_bytes(), 9).0.unwrap();
    assert_eq!(calls(&whole), [("7", "f", "{}")]);
    for (protocol, body) in [
        (
            Protocol::Messages,
            json!({ "type": "message", "id": 1, "model": "m", "stop_reason": "tool_use",
                "content": [{ "type": "tool_use", "id": 7, "name": "f", "input": {} }] }),
        ),
        (
            Protocol::GenerateContent,
            json!({ "candidates": [{ "finishReason": "STOP",
                "content": { "parts": [{ "functionCall": { "id": 7, "name": "f", "args": {} } }] } }] }),
        ),
    ] {
        let answer = read(protocol, body.to_string().as_bytes(), 9).0.unwrap();
        assert_eq!((calls(&answer), answer.mended.len()), (vec![("7", "f", "{}")], 1), "{protocol:?}");
    }
}

#[test]
fn an_index_that_is_no_count_or_missing_says_nothing() {
    for index in [json!(-1), json!(null), json!("x"), json!(0.5)] {
        let answer = chat(&[
            piece(index.clone(), json!("a"), json!("f"), json!("{\"x\"")),
            piece(index.clone(), json!(null), json!(null), json!(":1}")),
            piece(index.clone(), json!("b"), json!("g"), json!("")),
            piece(index.clone(), json!(null), json!(null), json!("{}")),
        ]);
        assert_eq!(calls(&answer), [("a", "f", "{\"x\":1}"), ("b", "g", "{}")], "{index}");
        assert_eq!(answer.mended.is_empty(), index.is_null(), "{index}: {:?}", answer.mended);
    }
    let answer = chat(&[
        piece(json!("0"), json!("a"), json!("f"), json!("{")),
        piece(json!(1), json!("b"), json!("g"), json!("{}")),
        piece(json!("0"), json!(null), json!(null), json!("}")),
    ]);
    assert_eq!(calls(&answer), [("a", "f", "{}"), ("b", "g", "{}")]);
}

#[test]
fn a_tail_under_another_index_is_of_the_call_that_waits_for_it() {
    let complete = || piece(json!(0), json!("a"), json!("f"), json!("{}"));
    // The head of the second says 0, its tail 1: or the other way round.
    for (head, tail) in [(0, 1), (1, 0), (1, 2), (0, 7)] {
        let answer = chat(&[
            complete(),
            piece(json!(head), json!("b"), json!("g"), json!("")),
            piece(json!(tail), json!(null), json!(null), json!("{\"x\":")),
            piece(json!(tail), json!(""), json!(null), json!("1}")),
        ]);
        assert_eq!(calls(&answer), [("a", "f", "{}"), ("b", "g", "{\"x\":1}")], "{head} {tail}");
        assert!(!answer.mended.is_empty());
    }
    let by_id = chat(&[
        piece(json!(0), json!("a"), json!("f"), json!("{\"x\":")),
        piece(json!(1), json!("b"), json!("g"), json!("{\"y\":")),
        piece(json!(5), json!("a"), json!(null), json!("1}")),
        piece(json!(6), json!("b"), json!(null), json!("2}")),
    ]);
    assert_eq!(calls(&by_id), [("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")]);
}

#[test]
fn a_call_that_comes_twice_is_one_and_an_empty_piece_is_none() {
    let call = || piece(json!(0), json!("a"), json!("f"), json!("{\"x\":1}"));
    let answer = chat(&[call(), call(), piece(json!(1), json!(null), json!(null), json!(""))]);
    assert_eq!(calls(&answer), [("a", "f", "{\"x\":1}")]);
    assert!(answer.mended.contains(&"a call came twice".to_owned()), "{:?}", answer.mended);
    let repeated = chat(&[
        piece(json!(0), json!("a"), json!("f"), json!("{\"x\":")),
        piece(json!(0), json!("a"), json!("f"), json!("1}")),
        piece(json!(0), json!("a"), json!("f"), json!("")),
    ]);
    assert_eq!(calls(&repeated), [("a", "f", "{\"x\":1}")]);
    // Other arguments are another call, whatever its id.
    let other = chat(&[call(), piece(json!(0), json!("a"), json!("f"), json!("{\"x\":2}"))]);
    assert_eq!(other.tool_calls.len(), 2);
    assert_ne!(other.tool_calls[0].id, other.tool_calls[1].id);
}

#[test]
fn arguments_that_are_no_text_are_the_json_that_they_are() {
    for (arguments, read) in [(json!({ "x": 1 }), "{\"x\":1}"), (json!([]), "[]")] {
        let answer = chat(&[piece(json!(0), json!("a"), json!("f"), arguments)]);
        assert_eq!((calls(&answer), answer.mended.len()), (vec![("a", "f", read)], 1));
    }
    let call = json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": null } });
    assert_eq!(calls(&chat(&[call])), [("a", "f", "")]);
}

#[test]
fn halves_of_a_character_in_two_pieces_are_one_character() {
    let text = |escape: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{escape}"}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let said = |pieces: &[&str]| {
        let mut payloads: Vec<String> = pieces.iter().map(|piece| text(piece)).collect();
        payloads.push(end.clone());
        stream(&payloads).unwrap().text
    };
    assert_eq!(said(&[r"oi \ud83d", r"\ude00!"]), "oi \u{1f600}!");
    assert_eq!(said(&[r"oi \ud83d", "", r"\ude00"]), "oi \u{1f600}");
    assert_eq!(said(&[r"oi \ud83d", " tudo"]), "oi \u{fffd} tudo");
    assert_eq!(said(&[r"oi \ud83d"]), "oi \u{fffd}");
    assert_eq!(said(&[r"\ude00 oi"]), "\u{fffd} oi");
    let delta = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let answer = stream(&[delta(r#"{\"x\":\"\ud83d"#), delta(r#"\ude00\"}"#), end.clone()]).unwrap();
    assert_eq!(calls(&answer), [("a", "f", "{\"x\":\"\u{1f600}\"}")]);
    // In Anthropic's and Gemini's streams, too.
    let messages = [
        r#"{"type":"message_start","message":{"id":"m","content":[],"stop_reason":null}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"oi \ud83d"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    ];
    let gemini = [
        r#"{"candidates":[{"content":{"parts":[{"text":"oi \ud83d"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"\ude00"}]},"finishReason":"STOP"}]}"#,
    ];
    for (protocol, payloads) in [(Protocol::Messages, &messages[..]), (Protocol::GenerateContent, &gemini[..])] {
        let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
        assert_eq!(read(protocol, body.as_bytes(), 5).0.unwrap().text, "oi \u{1f600}", "{protocol:?}");
    }
}

#[test]
fn a_byte_order_mark_and_a_broken_byte_do_not_cost_the_answer() {
    let body = r#"{"choices":[{"message":{"content":"oi"},"finish_reason":"stop"}]}"#;
    for before in [&b"\xef\xbb\xbf"[..], b"\n\xef\xbb\xbf ", b""] {
        for piece in [1, 2, 64] {
            let document = [before, body.as_bytes()].concat();
            let answer = read(Protocol::ChatCompletions, &document, piece).0.unwrap();
            assert_eq!((answer.text.as_str(), answer.finish), ("oi", FinishReason::Stop));
            let events = [before, format!("data: {body}\n\n").as_bytes()].concat();
            assert_eq!(read(Protocol::ChatCompletions, &events, piece).0.unwrap().text, "oi");
        }
    }
    let broken = [br#"{"choices":[{"message":{"content":"oi "#.as_slice(), b"\xff", br#""},"finish_reason":"stop"}]}"#];
    assert_eq!(read(Protocol::ChatCompletions, &broken.concat(), 4).0.unwrap().text, "oi \u{fffd}");
}

#[test]
fn a_placeholder_before_the_arguments_is_nothing() {
    for placeholder in [json!("{}"), json!({}), json!("null"), json!("\"\""), json!("\"{}\"")] {
        for id in [json!(null), json!("a")] {
            let answer = chat(&[
                piece(json!(0), json!("a"), json!("f"), placeholder.clone()),
                piece(json!(0), id.clone(), json!(null), json!("{\"x\":")),
                piece(json!(0), id.clone(), json!(null), json!("1}")),
            ]);
            assert_eq!(calls(&answer), [("a", "f", "{\"x\":1}")], "{placeholder}");
            assert!(answer.mended.contains(&"the arguments of a call began with a placeholder".to_owned()));
        }
    }
    // The name and the id once more, the whole arguments at once, or another index for the tail.
    let head = || piece(json!(0), json!("a"), json!("f"), json!("{}"));
    for tail in [
        piece(json!(0), json!("a"), json!("f"), json!("{\"x\":1}")),
        piece(json!(0), json!("a"), json!(null), json!({ "x": 1 })),
        piece(json!(1), json!(null), json!(null), json!("{\"x\":1}")),
        piece(json!(null), json!(null), json!(null), json!("{\"x\":1}")),
    ] {
        assert_eq!(calls(&chat(&[head(), tail.clone()])), [("a", "f", "{\"x\":1}")], "{tail}");
    }
    // If nothing follows, it says that there are no arguments. Two calls with one each are two.
    assert_eq!(calls(&chat(&[head(), piece(json!(0), json!(null), json!(null), json!(" "))])), [("a", "f", "{} ")]);
    let two = chat(&[
        head(),
        piece(json!(1), json!("b"), json!("g"), json!("{}")),
        piece(json!(0), json!(null), json!(null), json!("{\"x\":")),
        piece(json!(1), json!(null), json!(null), json!("{\"y\":2}")),
        piece(json!(0), json!(null), json!(null), json!("1}")),
    ]);
    assert_eq!(calls(&two), [("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")]);
}

#[test]
fn a_name_in_pieces_is_one_and_a_name_that_is_repeated_stays_one() {
    let named = |names: &[&str]| {
        let mut pieces = vec![piece(json!(0), json!("a"), json!(null), json!(null))];
        pieces.extend(names.iter().map(|name| piece(json!(0), json!(null), json!(*name), json!(""))));
        pieces.push(piece(json!(0), json!(null), json!(null), json!("{}")));
        chat(&pieces)
    };
    for names in
        [&["create_", "appointment"][..], &["cre", "ate_", "", "appointment"], &["create_", "create_appointment"]]
    {
        let answer = named(names);
        assert_eq!(calls(&answer), [("a", "create_appointment", "{}")], "{names:?}");
        assert_eq!(answer.mended, ["the name of a call came in pieces"]);
    }
    assert_eq!(calls(&named(&["f", "f", "f"])), [("a", "f", "{}")]);
    // Also beside the arguments, with the id or without.
    for id in [json!(null), json!("a")] {
        let answer = chat(&[
            piece(json!(0), json!("a"), json!("f"), json!("{\"x\":")),
            piece(json!(0), id, json!("f"), json!("1}")),
        ]);
        assert_eq!(calls(&answer), [("a", "f", "{\"x\":1}")]);
    }
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        input_schema: Arc::new(json!({ "type": "object" })),
    }
}

/// What a request that offers these tools is answered with a body.
async fn asked_with(tools: &[&str], body: &Value) -> ModelResponse {
    let server = serve(vec![Reply::new(200, body.to_string())]);
    let mut config = ProviderConfig::new(ProviderKind::Compatible);
    (config.base_url, config.model) = (Some(server.url.clone()), Some("m".to_owned()));
    let mut asked = request(vec![user("oi")]);
    asked.tools = tools.iter().copied().map(tool).collect();
    ask(&*config.build().unwrap(), &asked).await.0.unwrap()
}

#[tokio::test]
async fn a_name_that_only_one_tool_can_mean_is_that_tool() {
    let body = |name: &str| json!({ "choices": [{ "message": { "tool_calls": [piece(json!(0), json!("a"), json!(name), json!("{}"))] } }] });
    for written in ["functions.find_slots", " find_slots ", "Find-Slots"] {
        let answer = asked_with(&["find_slots", "book"], &body(written)).await;
        assert_eq!(calls(&answer), [("a", "find_slots", "{}")]);
        assert_eq!(answer.mended, ["the name of a call was spelt otherwise than the tool's"]);
    }
    let exact = asked_with(&["find_slots", "Find_Slots"], &body("find_slots")).await;
    assert_eq!((calls(&exact), exact.mended.len()), (vec![("a", "find_slots", "{}")], 0));
    for unknown in ["FIND_SLOTS", "find_slot", "x.find_slots"] {
        let answer = asked_with(&["find_slots", "Find_Slots"], &body(unknown)).await;
        assert_eq!(calls(&answer), [("a", unknown, "{}")], "two tools, or none");
    }
}

#[tokio::test]
async fn the_names_of_the_tools_tell_a_name_in_pieces_from_two_names() {
    let streamed = async |pieces: &[Value]| {
        let deltas = pieces.iter().map(|piece| json!({ "choices": [{ "delta": { "tool_calls": [piece] } }] }));
        let body: String = deltas.map(|delta| format!("data: {delta}\n\n")).collect();
        let server = serve(vec![Reply::new(200, format!("{body}data: [DONE]\n\n"))]);
        let mut config = ProviderConfig::new(ProviderKind::Compatible);
        (config.base_url, config.model) = (Some(server.url.clone()), Some("m".to_owned()));
        let mut asked = request(vec![user("oi")]);
        asked.tools = ["find", "find_slots", "slots"].map(tool).to_vec();
        ask(&*config.build().unwrap(), &asked).await.0.unwrap()
    };
    let named = |index: Value, name: &str, arguments: &str| piece(index, json!(null), json!(name), json!(arguments));
    let names = |answer: &ModelResponse| answer.tool_calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
    for index in [json!(0), json!(null)] {
        let one = streamed(&[named(index.clone(), "find_", ""), named(index.clone(), "slots", "{}")]).await;
        assert_eq!(names(&one), ["find_slots"], "{index}");
        let one = streamed(&[named(index.clone(), "find", ""), named(index.clone(), "_slots", "{}")]).await;
        assert_eq!(names(&one), ["find_slots"], "{index}");
        let two = streamed(&[named(index.clone(), "find", ""), named(index.clone(), "slots", "{}")]).await;
        assert_eq!(names(&two), ["find", "slots"], "{index}");
    }
}

#[test]
fn a_stream_without_blank_lines_with_null_or_another_end_mark_is_read() {
    let text = r#"{"choices":[{"delta":{"content":"oi"}}]}"#;
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    for (body, told) in [
        (format!("data: {text}\ndata: {end}\ndata: [DONE]\n"), "no blank line stood between two events"),
        (format!("data: null\n\ndata: {text}\n\ndata: {end}\n\n"), "an event held nothing"),
        (format!("data: {text}\n\ndata: {end}\n\ndata: [done]\n\n"), "the end mark was spelt otherwise"),
        (format!("data: {text}\n\ndata: {end}\n\ndata: \"[DONE]\"\n\n"), "the end mark was spelt otherwise"),
    ] {
        for piece in [1, 7, 4096] {
            let answer = read(Protocol::ChatCompletions, body.as_bytes(), piece).0.unwrap();
            assert_eq!((answer.text.as_str(), answer.finish), ("oi", FinishReason::Stop), "{body}");
            assert_eq!(answer.mended, [told]);
        }
    }
}

#[test]
fn fields_that_say_nothing_do_not_cost_the_answer() {
    let good = || json!({ "choices": [{ "delta": { "content": "oi" }, "finish_reason": "stop" }] });
    for nothing in
        [json!(""), json!({}), json!(false), json!(null), json!([]), json!(0), json!({ "code": 0, "message": "" })]
    {
        let (mut beside, mut within, mut alone) = (good(), good(), json!({}));
        beside["error"] = nothing.clone();
        within["choices"][0]["error"] = nothing.clone();
        alone["error"] = nothing.clone();
        for payload in [beside, within] {
            let answer = stream(&[payload.to_string()]).unwrap();
            assert_eq!((answer.text.as_str(), answer.mended.is_empty()), ("oi", nothing.is_null()), "{payload}");
        }
        assert!(stream(&[alone.to_string()]).is_err(), "{alone}");
    }
    let mut wrong = good();
    wrong["error"] = json!({ "code": 0, "message": "overloaded" });
    assert_eq!(stream(&[wrong.to_string()]).unwrap_err().0, ModelErrorKind::Upstream);
    let f = || piece(json!(0), json!("a"), json!("f"), json!("{}"));
    for delta in [
        json!({ "content": false, "tool_calls": [f()] }),
        json!({ "content": null, "tool_calls": [null, f(), null] }),
        json!({ "tool_calls": [f()], "function_call": null }),
    ] {
        let answer =
            stream(&[json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] }).to_string()]).unwrap();
        assert_eq!((calls(&answer), answer.text.as_str()), (vec![("a", "f", "{}")], ""), "{delta}");
        assert_eq!(answer.mended.is_empty(), delta.get("function_call").is_some());
    }
    for text in [json!(""), json!(false), json!([]), json!({})] {
        let delta = json!({ "content": "oi", "tool_calls": text.clone() });
        let answer =
            stream(&[json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] }).to_string()]).unwrap();
        assert_eq!((answer.text.as_str(), answer.tool_calls.len()), ("oi", 0), "{text}");
    }
}

#[test]
fn a_call_in_the_place_of_a_list_or_of_before_is_that_call() {
    let function = || json!({ "name": "f", "arguments": "{\"x\":1}" });
    let whole = |message: Value| {
        let body = json!({ "choices": [{ "message": message, "finish_reason": "function_call" }] }).to_string();
        read(Protocol::ChatCompletions, body.as_bytes(), 9).0.unwrap()
    };
    for message in [
        json!({ "tool_calls": { "id": "call_1", "function": function() } }),
        json!({ "content": null, "function_call": function() }),
        json!({ "tool_calls": [{ "id": "call_1", "name": "f", "arguments": "{\"x\":1}" }] }),
    ] {
        let answer = whole(message);
        assert_eq!(calls(&answer), [("call_1", "f", "{\"x\":1}")]);
        assert_eq!((answer.finish, answer.mended.len()), (FinishReason::ToolCalls, 1));
    }
    let both = whole(json!({ "tool_calls": [{ "id": "a", "function": function() }], "function_call": function() }));
    assert_eq!(calls(&both), [("a", "f", "{\"x\":1}")], "one call in both ways");
    let piece = |call: Value| json!({ "choices": [{ "delta": { "function_call": call } }] }).to_string();
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "function_call" }] }).to_string();
    let streamed = stream(&[
        piece(json!({ "name": "f", "arguments": "" })),
        piece(json!({ "arguments": "{\"x\":" })),
        piece(json!({ "arguments": "1}" })),
        end,
    ]);
    assert_eq!(calls(&streamed.unwrap()), [("call_1", "f", "{\"x\":1}")]);
}

#[test]
fn a_field_that_stands_twice_with_one_value_says_it_once() {
    let delta = |ids: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,{ids},"function":{{"name":"f","arguments":"{{\"x\":\"\ud83d\ude00\"}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        )
    };
    let answer = stream(&[delta(r#""id":"a", "id" : "a""#)]).unwrap();
    assert_eq!(calls(&answer), [("a", "f", "{\"x\":\"\u{1f600}\"}")]);
    assert_eq!(answer.mended, ["a field stood twice with one value"]);
    assert_eq!(stream(&[delta(r#""id":"a","id":"b""#)]).unwrap_err().0, ModelErrorKind::Malformed);
    let deep = format!("{{\"choices\":[],\"choices\":[],\"x\":{}", "[".repeat(100_000));
    assert!(stream(&[deep]).is_err());
}
