//! `contract::provider`: what every provider must do, run over all of them.

use std::time::Duration;

use balcao_llm::{
    ChatProvider, FinishReason, ModelError, ModelErrorKind, ModelResponse, StreamEvent, Usage,
    detect::{ProviderConfig, ProviderKind},
    http::Clocks,
    price::Price,
    providers::scripted::{Scripted, calls_all, calls_raw, fails_with, never_answers, says},
};
use balcao_testkit::wait;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{
    corpus::recorded,
    server::{End, Reply, Server, serve},
    stories::{Ending, Story, Vendor, stream},
    support::{Seen, ask, assistant, question, request, result, user},
};

/// What a vendor is made to do.
#[derive(Debug, Clone, Copy)]
enum Scene {
    Text,
    OneCall,
    ParallelCalls,
    CallWithoutArguments,
    Length,
    RateLimited,
    Stall,
    Cut,
    Broken,
    Huge,
}

const VENDORS: [Vendor; 4] = [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini, Vendor::Scripted];
/// What a model may take: long, since machines are slow. Where a test waits for its end, virtual time passes.
const LONG: Duration = Duration::from_mins(1);
const TEXT: [&str; 3] = ["Olá, ", "tem às 15h30 ", "💈"];

/// A provider that lives through a scene, and the server that it talks to.
fn provider(vendor: Vendor, scene: Scene) -> (Box<dyn ChatProvider>, Option<Server>) {
    if vendor == Vendor::Scripted {
        return (Box::new(scripted(scene)), None);
    }
    let server = serve(vec![reply(vendor, scene)]);
    (network(vendor, &server.url), Some(server))
}

fn network(vendor: Vendor, url: &str) -> Box<dyn ChatProvider> {
    let kind = match vendor {
        Vendor::Anthropic => ProviderKind::Anthropic,
        Vendor::Gemini => ProviderKind::Gemini,
        Vendor::OpenAi | Vendor::Scripted => ProviderKind::OpenAi,
    };
    let mut config = ProviderConfig::new(kind);
    config.base_url = Some(url.to_owned());
    config.key = Some(SecretString::from("key-of-the-test"));
    config.clocks = Clocks { connect: LONG, first_token: LONG, stall: LONG, whole: LONG * 2 };
    config.build().unwrap()
}

fn scripted(scene: Scene) -> Scripted {
    let fails = |kind, retry_after| {
        fails_with(ModelError {
            kind,
            provider: "scripted".to_owned(),
            message: "scripted".to_owned(),
            retry_after,
            usage: Usage::default(),
        })
    };
    Scripted::new([match scene {
        Scene::Text => says("").in_pieces(&TEXT),
        Scene::OneCall => calls_all(&[("book", json!({ "day": "2026-11-24" }))]),
        Scene::ParallelCalls => {
            calls_all(&[("find_slots", json!({ "day": "a" })), ("find_slots", json!({ "day": "b" }))])
        }
        Scene::CallWithoutArguments => calls_raw("", &[("book", "")]),
        Scene::Length => says("Ol").finishing(FinishReason::Length),
        Scene::RateLimited => fails(ModelErrorKind::RateLimited, Some(Duration::from_secs(7))),
        Scene::Stall => never_answers(),
        Scene::Cut => fails(ModelErrorKind::Malformed, None).in_pieces(&["Ol"]),
        Scene::Broken => fails(ModelErrorKind::Network, None).in_pieces(&["Ol"]),
        Scene::Huge => fails(ModelErrorKind::TooLarge, None),
    }])
}

fn reply(vendor: Vendor, scene: Scene) -> Reply {
    let told = |scene: &Story<'_>| Reply::new(200, stream(vendor, scene)).in_pieces_of(7);
    match scene {
        Scene::Text => told(&Story { text: &TEXT, ..Story::default() }),
        Scene::OneCall => told(&Story { calls: &[("book", r#"{"day":"2026-11-24"}"#)], ..Story::default() }),
        Scene::ParallelCalls => told(&Story {
            calls: &[("find_slots", r#"{"day":"a"}"#), ("find_slots", r#"{"day":"b"}"#)],
            ..Story::default()
        }),
        Scene::CallWithoutArguments => told(&Story { calls: &[("book", "")], ..Story::default() }),
        Scene::Length => told(&Story { text: &["Ol"], ending: Ending::Length, ..Story::default() }),
        Scene::RateLimited => {
            Reply::new(429, json!({ "error": { "message": "slow down" } }).to_string()).header("Retry-After", "7")
        }
        Scene::Stall => told(&Story { text: &["Ol"], ending: Ending::None, ..Story::default() }).ending(End::Hangs),
        Scene::Cut => told(&Story { text: &["Ol"], ending: Ending::None, ..Story::default() }),
        Scene::Broken => told(&Story { text: &["Ol"], ending: Ending::None, ..Story::default() }).ending(End::Broken),
        Scene::Huge => {
            let page = "blá ".repeat(1024);
            told(&Story { text: &[page.as_str(); 20], ..Story::default() }).in_pieces_of(4096)
        }
    }
}

async fn answer(vendor: Vendor, scene: Scene) -> ModelResponse {
    let (provider, _server) = provider(vendor, scene);
    let (result, _) = ask(&provider, &question()).await;
    result.unwrap_or_else(|error| panic!("{vendor:?}, {scene:?}: {error}"))
}

async fn failure(vendor: Vendor, scene: Scene) -> ModelError {
    let (provider, _server) = provider(vendor, scene);
    let (result, _) = ask(&provider, &question()).await;
    result.expect_err(&format!("{vendor:?}, {scene:?}"))
}

#[tokio::test]
async fn text_comes_whole_and_is_seen_as_it_comes() {
    for vendor in VENDORS {
        let response = answer(vendor, Scene::Text).await;
        assert_eq!(
            (response.text.as_str(), response.finish),
            ("Olá, tem às 15h30 💈", FinishReason::Stop),
            "{vendor:?}"
        );
        assert_eq!(response.tool_calls, [], "{vendor:?}");
        if vendor != Vendor::Scripted {
            let usage = Usage { input_tokens: 11, cached_input_tokens: 3, output_tokens: 7, cost_micro_usd: None };
            assert_eq!((response.usage, response.model.as_str()), (usage, "m-1"), "{vendor:?}");
        }
    }
}

#[tokio::test]
async fn calls_keep_order_name_and_arguments_and_have_distinct_ids() {
    for vendor in VENDORS {
        let one = answer(vendor, Scene::OneCall).await;
        assert_eq!(one.finish, FinishReason::ToolCalls, "{vendor:?}");
        assert_eq!(one.tool_calls.len(), 1, "{vendor:?}");
        assert_eq!(
            (one.tool_calls[0].name.as_str(), one.tool_calls[0].arguments.as_str()),
            ("book", r#"{"day":"2026-11-24"}"#)
        );

        let two = answer(vendor, Scene::ParallelCalls).await;
        let days: Vec<&str> = two.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(days, [r#"{"day":"a"}"#, r#"{"day":"b"}"#], "{vendor:?}");
        assert_ne!(two.tool_calls[0].id, two.tool_calls[1].id, "{vendor:?}");

        let none = answer(vendor, Scene::CallWithoutArguments).await;
        assert!(["", "{}"].contains(&none.tool_calls[0].arguments.as_str()), "{vendor:?}: {none:?}");
    }
}

#[tokio::test]
async fn a_length_stop_is_told() {
    for vendor in VENDORS {
        assert_eq!(answer(vendor, Scene::Length).await.finish, FinishReason::Length, "{vendor:?}");
    }
}

#[tokio::test]
async fn failures_have_their_kind() {
    for vendor in VENDORS {
        let limited = failure(vendor, Scene::RateLimited).await;
        assert_eq!(
            (limited.kind, limited.retry_after),
            (ModelErrorKind::RateLimited, Some(Duration::from_secs(7))),
            "{vendor:?}"
        );
        assert_eq!(failure(vendor, Scene::Cut).await.kind, ModelErrorKind::Malformed, "{vendor:?}");
        let broken = failure(vendor, Scene::Broken).await;
        assert_eq!(broken.kind, ModelErrorKind::Network, "{vendor:?}");
        // What began to come is charged for.
        assert_eq!(broken.usage.input_tokens > 0, vendor != Vendor::Scripted, "{vendor:?}");
        assert_eq!(failure(vendor, Scene::Huge).await.kind, ModelErrorKind::TooLarge, "{vendor:?}");
    }
}

/// Asks a model in paused time, which stands until something of this kind was seen of the answer.
async fn ask_until(provider: &dyn ChatProvider, kind: fn(&StreamEvent<'_>) -> bool) -> Asked {
    let (mut time, mut seen) = (Some(wait::hold()), Seen::default());
    let mut on_event = |event: StreamEvent<'_>| {
        time = time.take().filter(|_| !kind(&event));
        seen.note(event);
    };
    let result = provider.complete(&question(), &mut on_event).await;
    (result, seen)
}

type Asked = (Result<ModelResponse, ModelError>, Seen);

const STARTED: fn(&StreamEvent<'_>) -> bool = |event| matches!(event, StreamEvent::Started);
const TEXT_CAME: fn(&StreamEvent<'_>) -> bool = |event| matches!(event, StreamEvent::Text(_));

/// Until the client has closed the connection of an answer that hangs.
async fn is_left(server: Server) {
    tokio::task::spawn_blocking(move || wait::told("the client leaves", &server.left)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stall_ends_the_call_and_the_connection() {
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let (provider, server) = provider(vendor, Scene::Stall);
        let (result, seen) = ask_until(&*provider, TEXT_CAME).await;
        let error = result.unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ModelErrorKind::Timeout, "the next token took too long"),
            "{vendor:?}"
        );
        assert_eq!(seen.text, "Ol", "{vendor:?}");
        is_left(server.unwrap()).await;
    }
}

#[tokio::test]
async fn a_dropped_call_stops_at_once() {
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let (provider, server) = provider(vendor, Scene::Stall);
        let server = server.unwrap();
        let (tell, first) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        let request = question();
        let mut on_event = |_event: balcao_llm::StreamEvent<'_>| {
            if let Some(tell) = tell.take() {
                let _ = tell.send(());
            }
        };
        tokio::select! {
            _ = provider.complete(&request, &mut on_event) => panic!("it must hang"),
            _ = first => {}
        }
        is_left(server).await;
    }
}

#[tokio::test]
async fn nobody_there_is_a_network_failure() {
    let gone = serve(vec![]).url;
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let (result, _) = ask(&network(vendor, &gone), &question()).await;
        assert_eq!(result.unwrap_err().kind, ModelErrorKind::Network, "{vendor:?}");
    }
}

#[tokio::test]
async fn errors_tell_neither_key_nor_what_the_customer_wrote() {
    let secret = "Meu CPF é 123.456.789-09, pode marcar para amanhã?";
    let body = json!({ "error": { "message": format!("Bad key key-of-the-test for input: {secret}") } }).to_string();
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let server = serve(vec![Reply::new(400, body.clone())]);
        let (result, _) = ask(&network(vendor, &server.url), &request(vec![user(secret)])).await;
        let error = result.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Rejected);
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("key-of-the-test") && !shown.contains("CPF"), "{vendor:?}: {shown}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let elsewhere = serve(vec![Reply::new(200, "{}")]);
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let server = serve(vec![Reply::new(307, "").header("Location", &elsewhere.url)]);
        let (result, _) = ask(&network(vendor, &server.url), &question()).await;
        assert_eq!(result.unwrap_err().kind, ModelErrorKind::Rejected, "{vendor:?}");
    }
    assert!(elsewhere.asked.try_recv().is_err(), "nothing was sent elsewhere");
}

#[tokio::test]
async fn ids_that_a_vendor_repeats_or_leaves_out_are_given_anew() {
    let call = |id: &str| json!({ "index": 0, "id": id, "function": { "name": "book", "arguments": "{}" } });
    let message = json!({ "role": "assistant", "tool_calls": [call("dup"), call("dup"), call(""), call("old")] });
    let body = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] }).to_string();
    let story = request(vec![user("a"), assistant("", &[("old", "book", "{}")]), result("old", "book", "{}")]);
    let server = serve(vec![Reply::new(200, body)]);
    let (answered, _) = ask(&network(Vendor::OpenAi, &server.url), &story).await;
    let answered = answered.unwrap();
    let ids: Vec<&str> = answered.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["dup", "call_3", "call_4", "call_5"]);
    assert_eq!(answered.finish, FinishReason::ToolCalls, "calls are calls whatever the reason says");
}

#[tokio::test]
async fn a_forced_tools_input_is_the_text() {
    let mut asks = question();
    asks.format = balcao_llm::ResponseFormat::Json {
        name: "verdict".to_owned(),
        schema: json!({ "type": "object", "properties": { "x": {} } }),
    };
    asks.tools.clear();
    let story = Story { text: &["thinking aloud"], calls: &[("verdict", r#"{"agrees":true}"#)], ..Story::default() };
    let server = serve(vec![Reply::new(200, stream(Vendor::Anthropic, &story))]);
    let (answered, _) = ask(&network(Vendor::Anthropic, &server.url), &asks).await;
    let answered = answered.unwrap();
    assert_eq!((answered.text.as_str(), answered.finish), (r#"{"agrees":true}"#, FinishReason::Stop));
    assert_eq!(answered.tool_calls, []);
}

#[tokio::test]
async fn recorded_answers_read_the_same_over_a_connection() {
    use balcao_llm::providers::replay::Protocol;
    // One whole answer, one stream and one error of each vendor, in the smallest and the largest pieces.
    let mut seen = std::collections::BTreeMap::new();
    for recorded in recorded() {
        let Some(protocol) = recorded.protocol else { continue };
        let form = (
            format!("{protocol:?}"),
            recorded.status,
            recorded.body.starts_with(b"data"),
            recorded.body.contains(&b'\r'),
        );
        let count = seen.entry(form).or_insert(0);
        *count += 1;
        if *count > 2 || recorded.body.len() > 20_000 {
            continue;
        }
        let vendor = match protocol {
            Protocol::ChatCompletions => Vendor::OpenAi,
            Protocol::Messages => Vendor::Anthropic,
            Protocol::GenerateContent => Vendor::Gemini,
        };
        let mut outcomes = Vec::new();
        for piece in [1, 4096] {
            let server = serve(vec![Reply::new(recorded.status, recorded.body.clone()).in_pieces_of(piece)]);
            let (result, _) = ask(&network(vendor, &server.url), &question()).await;
            outcomes.push(result.map_err(|error| (error.kind, error.message)));
        }
        assert_eq!(outcomes[0], outcomes[1], "{}", recorded.path);
        assert_eq!(outcomes[0].is_ok(), recorded.status == 200, "{}: {:?}", recorded.path, outcomes[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn each_clock_ends_a_call() {
    let (long, short) = (LONG, LONG / 2);
    let story = Story { text: &["Ol"], ending: Ending::None, ..Story::default() };
    for (first_token, stall, whole, body, message) in [
        (short, long, long, ": keep-alive\n\n".to_owned(), "the first token took too long"),
        (long, short, long, stream(Vendor::OpenAi, &story), "the next token took too long"),
        (long, long, short, stream(Vendor::OpenAi, &story), "the call took too long"),
    ] {
        let all_came = if body.starts_with(':') { STARTED } else { TEXT_CAME };
        let server = serve(vec![Reply::new(200, body).ending(End::Hangs)]);
        let mut config = ProviderConfig::new(ProviderKind::OpenAi);
        config.base_url = Some(server.url.clone());
        config.key = Some(SecretString::from("k"));
        config.clocks = Clocks { connect: long, first_token, stall, whole };
        let (result, _) = ask_until(&config.build().unwrap(), all_came).await;
        let error = result.unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ModelErrorKind::Timeout, message));
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_without_a_body_is_no_token() {
    let Server { url, asked, .. } = serve(vec![Reply::new(200, "").ending(End::Hangs)]);
    drop(tokio::task::spawn_blocking(move || wait::told("the model is asked", &asked).path));
    let error = ask(&network(Vendor::OpenAi, &url), &question()).await.0.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ModelErrorKind::Timeout, "the first token took too long"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_complete_is_not_lost_to_a_missing_end() {
    let message = json!({ "choices": [{ "index": 0, "delta": { "content": "oi" }, "finish_reason": "stop" }] });
    for end in [End::Hangs, End::Broken] {
        let server = serve(vec![Reply::new(200, format!("data: {message}\n\n")).ending(end)]);
        let (result, _) = ask_until(&*network(Vendor::OpenAi, &server.url), TEXT_CAME).await;
        assert_eq!(result.unwrap().text, "oi", "{end:?}");
    }
}

#[tokio::test]
async fn a_configured_price_gives_the_cost() {
    let server = serve(vec![reply(Vendor::OpenAi, Scene::Text)]);
    let mut config = ProviderConfig::new(ProviderKind::OpenAi);
    config.base_url = Some(server.url.clone());
    config.key = Some(SecretString::from("k"));
    config.price = Some(Price { input: 2_000_000, cached_input: 1_000_000, output: 4_000_000 });
    let (result, _) = ask(&config.build().unwrap(), &question()).await;
    // 8 fresh, 3 cached, 7 out.
    assert_eq!(result.unwrap().usage.cost_micro_usd, Some(16 + 3 + 28));
}

#[tokio::test]
async fn h08_tokens_that_a_service_does_not_report_are_estimated_from_what_was_sent_and_received() {
    let chunk = |body: &str| format!("data: {body}\n\n");
    let text = chunk(r#"{"choices":[{"delta":{"content":"oito bytes, mais"},"finish_reason":"stop"}]}"#);
    for (last, reported) in [("", None), (r#"{"usage":{"prompt_tokens":11,"completion_tokens":7}}"#, Some((11, 7)))] {
        let last = if last.is_empty() { String::new() } else { chunk(last) };
        let server = serve(vec![Reply::new(200, format!("{text}{last}data: [DONE]\n\n"))]);
        let mut config = ProviderConfig::new(ProviderKind::OpenAi);
        config.base_url = Some(server.url.clone());
        config.key = Some(SecretString::from("k"));
        config.price = Some(Price { input: 4_000_000, cached_input: 0, output: 0 });
        let (result, _) = ask(&config.build().unwrap(), &question()).await;
        let usage = result.unwrap().usage;
        let asked = server.asked.recv().unwrap();
        let length = asked.headers.iter().find(|(name, _)| name == "content-length");
        let sent: u64 = length.unwrap().1.parse().unwrap();
        // Sixteen bytes are four tokens.
        let (input, output) = reported.unwrap_or((sent.div_ceil(4), 4));
        assert_eq!((usage.input_tokens, usage.output_tokens), (input, output), "{last}");
        assert_eq!(usage.cost_micro_usd, Some(4 * input), "{last}");
    }
}

#[tokio::test]
async fn groqs_refused_calls_are_told_without_what_the_model_wrote() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/material/leaked-tool-calls/groq-failed_generation.jsonl");
    let Ok(lines) = std::fs::read_to_string(path) else {
        balcao_testkit::skip(&format!("{path} is missing"));
        return;
    };
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let written = line["failed_generation"].as_str().unwrap();
        let error = json!({ "error": { "message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": written } });
        for reply in [Reply::new(400, error.to_string()), Reply::new(200, format!("event: error\ndata: {error}\n\n"))] {
            let server = serve(vec![reply]);
            let (result, seen) = ask(&network(Vendor::OpenAi, &server.url), &question()).await;
            let error = result.unwrap_err();
            assert_eq!(error.kind, ModelErrorKind::ToolUseFailed);
            assert!(!error.message.contains(written) && seen.text.is_empty(), "{}", error.message);
        }
    }
}
