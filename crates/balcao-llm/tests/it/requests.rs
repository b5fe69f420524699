//! What is sent is what the vendors' documentation asks for: one strict checker for each, and transcripts of every shape.

use std::collections::BTreeSet;

use balcao_llm::{
    Message, ModelRequest, ResponseFormat, ToolChoice,
    detect::{ProviderConfig, ProviderKind},
    http::{Clocks, Sizes},
    providers::{
        Service,
        anthropic::Anthropic,
        gemini::Gemini,
        openai::{Dialect, OpenAi},
    },
    wellformed,
};
use proptest::prelude::*;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{
    server::{Reply, serve},
    support::{ask, assistant, question, request, result, user},
};

fn service(model: &str) -> Service {
    Service {
        name: "test".to_owned(),
        base_url: "http://127.0.0.1:9".to_owned(),
        model: model.to_owned(),
        key: None,
        price: None,
        clocks: Clocks::default(),
        sizes: Sizes::default(),
    }
}

fn openai_body(request: &ModelRequest, model: &str, dialect: Dialect) -> Value {
    OpenAi::new(service(model), dialect).unwrap().request_body(request)
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn only(value: &Value, allowed: &[&str]) {
    for key in keys(value) {
        assert!(allowed.contains(&key), "{key} is not known here: {value}");
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Chat completions: roles in order, every call answered at once and in order, arguments a JSON object as text.
fn check_chat(body: &Value, dialect: Dialect) {
    only(
        body,
        &[
            "model",
            "messages",
            "stream",
            "stream_options",
            "max_tokens",
            "max_completion_tokens",
            "temperature",
            "tools",
            "tool_choice",
            "response_format",
        ],
    );
    assert_eq!(body.get("stream_options").is_some(), dialect.stream_usage);
    let mut waiting: Vec<String> = Vec::new();
    let mut last = "";
    for (at, message) in list(&body["messages"]).iter().enumerate() {
        let role = message["role"].as_str().unwrap();
        assert_eq!(role == "system", at == 0, "the system prompt comes first and once");
        assert!(!(dialect == Dialect::MISTRAL && last == "tool" && role == "user"), "Mistral refuses that");
        last = role;
        assert!(role == "tool" || waiting.is_empty(), "calls {waiting:?} are not answered");
        match role {
            "tool" => {
                only(message, &["role", "tool_call_id", "content"]);
                assert_eq!(waiting.remove(0), message["tool_call_id"].as_str().unwrap());
                assert!(message["content"].is_string());
            }
            "assistant" => {
                only(message, &["role", "content", "tool_calls"]);
                assert!(message["content"].is_string() || message.get("tool_calls").is_some());
                for call in list(&message["tool_calls"]) {
                    let id = call["id"].as_str().unwrap();
                    assert!((1..=40).contains(&id.len()), "{id}");
                    if dialect == Dialect::MISTRAL {
                        assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
                    }
                    assert_eq!(call["type"], "function");
                    let arguments: Value =
                        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
                    assert!(arguments.is_object());
                    waiting.push(id.to_owned());
                }
            }
            _ => {
                only(message, &["role", "content"]);
                assert!(message["content"].is_string());
            }
        }
    }
    assert!(waiting.is_empty());
    for tool in list(&body["tools"]) {
        only(tool, &["type", "function"]);
        only(&tool["function"], &["name", "description", "parameters"]);
        assert_eq!(tool["function"]["parameters"]["type"], "object");
    }
    assert_eq!(body.get("tools").is_some(), body.get("tool_choice").is_some());
}

/// Messages: alternating roles from the user on, results first in the turn after the calls, no blank text, tools present
/// if the transcript has calls.
fn check_messages(body: &Value) {
    only(
        body,
        &[
            "model",
            "max_tokens",
            "stream",
            "system",
            "messages",
            "temperature",
            "tools",
            "tool_choice",
            "output_config",
        ],
    );
    assert!(body["max_tokens"].as_u64().unwrap() > 0);
    assert!(body.get("temperature").is_none_or(|it| (0.0..=1.0).contains(&it.as_f64().unwrap())));
    let mut expected = "user";
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    let mut has_calls = false;
    for message in list(&body["messages"]) {
        only(message, &["role", "content"]);
        assert_eq!(message["role"], expected);
        let blocks = list(&message["content"]);
        assert!(!blocks.is_empty());
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result");
        let answered: BTreeSet<String> =
            results.map(|block| block["tool_use_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(answered, std::mem::take(&mut waiting), "results stand first and complete");
        for block in blocks.iter().skip(answered.len()) {
            match block["type"].as_str().unwrap() {
                "text" => assert!(!block["text"].as_str().unwrap().trim().is_empty()),
                "tool_use" => {
                    assert_eq!(expected, "assistant");
                    assert!(block["input"].is_object());
                    let id = block["id"].as_str().unwrap();
                    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{id}");
                    assert!(waiting.insert(id.to_owned()));
                    has_calls = true;
                }
                other => panic!("{other} is out of place"),
            }
        }
        expected = if expected == "user" { "assistant" } else { "user" };
    }
    assert_eq!(expected, "assistant", "the last turn is the user's");
    assert!(!has_calls || !list(&body["tools"]).is_empty());
    for tool in list(&body["tools"]) {
        only(tool, &["name", "description", "input_schema"]);
        assert_eq!(tool["input_schema"]["type"], "object");
    }
    assert_eq!(body.get("tools").is_some(), body.get("tool_choice").is_some());
}

/// `generateContent`: alternating roles from the user on, as many results as calls in the turn after them, results objects,
/// parameters in the OpenAPI subset.
fn check_gemini(body: &Value) {
    only(body, &["systemInstruction", "contents", "tools", "toolConfig", "generationConfig"]);
    only(&body["generationConfig"], &["maxOutputTokens", "temperature", "responseMimeType", "responseJsonSchema"]);
    let mut expected = "user";
    let mut calls: Vec<Value> = Vec::new();
    for content in list(&body["contents"]) {
        only(content, &["role", "parts"]);
        assert_eq!(content["role"], expected);
        let parts = list(&content["parts"]);
        assert!(!parts.is_empty());
        let results: Vec<Value> = parts.iter().filter_map(|part| part.get("functionResponse")).cloned().collect();
        let named = |all: &[Value]| all.iter().map(|it| (it["id"].clone(), it["name"].clone())).collect::<Vec<_>>();
        assert_eq!(named(&results), named(&std::mem::take(&mut calls)));
        assert!(results.iter().all(|result| result["response"].is_object()));
        for part in parts {
            only(part, &["text", "functionCall", "functionResponse", "thoughtSignature"]);
            if let Some(call) = part.get("functionCall") {
                assert_eq!(expected, "model");
                only(call, &["id", "name", "args"]);
                assert!(call["args"].is_object());
                calls.push(call.clone());
            }
        }
        expected = if expected == "user" { "model" } else { "user" };
    }
    assert_eq!(expected, "model", "the last turn is the user's");
    for declaration in list(&body["tools"][0]["functionDeclarations"]) {
        only(declaration, &["name", "description", "parameters"]);
        check_gemini_schema(&declaration["parameters"]);
    }
}

fn check_gemini_schema(schema: &Value) {
    only(schema, &["type", "nullable", "description", "properties", "required", "items", "enum", "anyOf", "format"]);
    assert!(["OBJECT", "STRING", "ARRAY", "INTEGER", "NUMBER", "BOOLEAN"].contains(&schema["type"].as_str().unwrap()));
    for part in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values()) {
        check_gemini_schema(part);
    }
}

/// One provider of each kind.
struct Vendors {
    chats: Vec<(Dialect, OpenAi)>,
    anthropic: Anthropic,
    gemini: Gemini,
}

impl Vendors {
    fn new() -> Self {
        let dialects = [Dialect::OPENAI, Dialect::COMPATIBLE, Dialect::GROQ, Dialect::MISTRAL, Dialect::DEEPSEEK];
        let chats = dialects.map(|dialect| (dialect, OpenAi::new(service("m"), dialect).unwrap()));
        Self {
            chats: chats.into_iter().collect(),
            anthropic: Anthropic::new(service("claude-haiku-4-5")).unwrap(),
            gemini: Gemini::new(service("gemini-3-flash")).unwrap(),
        }
    }

    fn check(&self, request: &ModelRequest) {
        assert_eq!(wellformed::check(request), []);
        for (dialect, chat) in &self.chats {
            check_chat(&chat.request_body(request), *dialect);
        }
        check_messages(&self.anthropic.request_body(request));
        check_gemini(&self.gemini.request_body(request));
    }
}

fn check_all(request: &ModelRequest) {
    Vendors::new().check(request);
}

#[test]
fn transcripts_of_every_shape_are_what_the_vendors_ask_for() {
    let story = vec![
        user("oi"),
        assistant(
            "um momento",
            &[("call/with:odd~chars", "find_slots", ""), ("c00000001", "book", "{\"day\": \"x\",}")],
        ),
        result("call/with:odd~chars", "find_slots", "[1, 2]"),
        result("c00000001", "book", "{\"error\": \"x\"}"),
        assistant("", &[(&"long".repeat(20), "gone_tool", "\"text\"")]),
        result(&"long".repeat(20), "gone_tool", "\"plain\""),
        user("corrija-se"),
        assistant("pronto", &[]),
        user("obrigado"),
    ];
    check_all(&request(story.clone()));
    let mut without_tools = request(story);
    without_tools.tools.clear();
    without_tools.tool_choice = ToolChoice::None;
    check_all(&without_tools);
}

/// Rounds of a conversation: the calls of a step (id and arguments), and whether it says something beside them.
fn rounds() -> impl Strategy<Value = Vec<(Vec<(String, String)>, bool)>> {
    let call = ("[a-zA-Z0-9_:-]{1,60}", "[ -~]{0,12}");
    prop::collection::vec((prop::collection::vec(call, 0..3), any::<bool>()), 0..5)
}

fn transcript(rounds: Vec<(Vec<(String, String)>, bool)>) -> Vec<Message> {
    let mut messages = vec![user("oi")];
    let mut used = BTreeSet::new();
    for (calls, talks) in rounds {
        let calls: Vec<_> = calls.into_iter().filter(|(id, _)| used.insert(id.clone())).collect();
        if calls.is_empty() {
            messages.extend([assistant("sim", &[]), user("e?")]);
            continue;
        }
        let written: Vec<_> = calls.iter().map(|(id, arguments)| (id.as_str(), "book", arguments.as_str())).collect();
        messages.push(assistant(if talks { "já vejo" } else { "" }, &written));
        messages.extend(calls.iter().map(|(id, _)| result(id, "book", "{\"ok\": true}")));
    }
    messages
}

#[test]
fn any_well_formed_transcript_can_be_sent_to_any_vendor() {
    let vendors = Vendors::new();
    proptest!(|(rounds in rounds())| vendors.check(&request(transcript(rounds))));
}

#[test]
fn a_transcript_that_lost_a_call_or_a_result_is_not_well_formed() {
    proptest!(|(rounds in rounds(), at in any::<prop::sample::Index>())| {
        let mut messages = transcript(rounds);
        let tied = |message: &Message| match message {
            Message::User { .. } => false,
            Message::Assistant { tool_calls, .. } => !tool_calls.is_empty(),
            Message::ToolResult { .. } => true,
        };
        let places: Vec<usize> = (0..messages.len()).filter(|place| tied(&messages[*place])).collect();
        prop_assume!(!places.is_empty());
        messages.remove(*at.get(&places));
        prop_assert!(!wellformed::check(&request(messages)).is_empty());
    });
}

#[test]
fn json_answers_are_asked_for_in_each_vendors_way() {
    let mut strict = question();
    let closed = json!({ "type": "object", "properties": { "agrees": { "type": "boolean" } }, "required": ["agrees"], "additionalProperties": false });
    strict.format = ResponseFormat::Json { name: "verdict".to_owned(), schema: closed.clone() };
    strict.tools.clear();
    check_all(&strict);
    let mut open = strict.clone();
    let free = json!({ "type": "object", "properties": { "params": { "type": "object" } } });
    open.format = ResponseFormat::Json { name: "step".to_owned(), schema: free.clone() };
    check_all(&open);

    let format = |request: &ModelRequest, dialect| openai_body(request, "m", dialect)["response_format"].clone();
    let described = |name: &str, schema: &Value, strict: bool| json!({ "type": "json_schema", "json_schema": { "name": name, "schema": schema, "strict": strict } });
    assert_eq!(format(&strict, Dialect::OPENAI), described("verdict", &closed, true));
    assert_eq!(format(&open, Dialect::OPENAI), described("step", &free, false));
    assert_eq!(format(&strict, Dialect::DEEPSEEK), json!({ "type": "json_object" }));
    let system = openai_body(&strict, "m", Dialect::DEEPSEEK)["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains(&closed.to_string()), "{system}");

    let anthropic = Anthropic::new(service("claude-haiku-4-5")).unwrap();
    let body = anthropic.request_body(&strict);
    assert_eq!(body["output_config"], json!({ "format": { "type": "json_schema", "schema": closed } }));
    let body = anthropic.request_body(&open);
    assert_eq!((&body["tool_choice"]["name"], &body["tools"][0]["name"]), (&json!("step"), &json!("step")));
    assert_eq!(body["tools"][0]["input_schema"], free);

    let body = Gemini::new(service("gemini-2.5-flash")).unwrap().request_body(&open);
    assert_eq!(body["generationConfig"]["responseJsonSchema"], free);
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
}

#[test]
fn switching_tools_off_keeps_them_listed() {
    let mut off = question();
    off.tool_choice = ToolChoice::None;
    check_all(&off);
    assert_eq!(openai_body(&off, "m", Dialect::OPENAI)["tool_choice"], "none");
    let mut json_only = off.clone();
    json_only.format = ResponseFormat::Json { name: "verdict".to_owned(), schema: json!({ "type": "object" }) };
    check_all(&json_only);
    assert!(openai_body(&json_only, "m", Dialect::GROQ).get("tools").is_none());
    assert!(Gemini::new(service("m")).unwrap().request_body(&json_only).get("tools").is_none());
    assert_eq!(Anthropic::new(service("m")).unwrap().request_body(&off)["tool_choice"], json!({ "type": "none" }));
    assert_eq!(
        Gemini::new(service("m")).unwrap().request_body(&off)["toolConfig"],
        json!({ "functionCallingConfig": { "mode": "NONE" } })
    );
}

#[test]
fn models_that_refuse_a_temperature_get_none() {
    assert_eq!(openai_body(&question(), "gpt-4.1-mini", Dialect::OPENAI)["temperature"], 0.2);
    assert!(openai_body(&question(), "gpt-5-mini", Dialect::OPENAI).get("temperature").is_none());
    assert!(openai_body(&question(), "openai/o3", Dialect::COMPATIBLE).get("temperature").is_none());
    assert_eq!(Anthropic::new(service("claude-haiku-4-5")).unwrap().request_body(&question())["temperature"], 0.2);
    assert!(Anthropic::new(service("claude-opus-4-7")).unwrap().request_body(&question()).get("temperature").is_none());
}

#[test]
fn geminis_signature_goes_back_and_foreign_calls_have_a_stand_in() {
    let story = |vendor: Option<Value>| {
        let mut call = assistant("", &[("1", "book", "{}"), ("2", "book", "{}")]);
        if let Message::Assistant { tool_calls, .. } = &mut call {
            tool_calls[0].vendor = vendor;
        }
        request(vec![user("a"), call, result("1", "book", "1"), result("2", "book", "2")])
    };
    let signatures = |request: &ModelRequest, model: &str| -> Vec<Value> {
        let body = Gemini::new(service(model)).unwrap().request_body(request);
        list(&body["contents"][1]["parts"]).iter().map(|part| part["thoughtSignature"].clone()).collect()
    };
    let signed = story(Some(json!({ "thought_signature": "abc" })));
    assert_eq!(signatures(&signed, "gemini-3-flash"), [json!("abc"), Value::Null]);
    assert_eq!(signatures(&story(None), "gemini-3-flash"), [json!("skip_thought_signature_validator"), Value::Null]);
    assert_eq!(signatures(&story(None), "gemini-2.5-flash"), [Value::Null, Value::Null]);
}

#[tokio::test]
async fn a_113_keys_go_into_headers_and_never_into_the_address() {
    for (kind, path, header, value) in [
        (ProviderKind::OpenAi, "/chat/completions", "authorization", "Bearer secret-key"),
        (ProviderKind::Anthropic, "/v1/messages", "x-api-key", "secret-key"),
        (
            ProviderKind::Gemini,
            "/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            "x-goog-api-key",
            "secret-key",
        ),
    ] {
        let server = serve(vec![Reply::new(200, "")]);
        let mut config = ProviderConfig::new(kind);
        config.base_url = Some(format!("{}/", server.url));
        config.key = Some(SecretString::from("secret-key"));
        let _ = ask(&config.build().unwrap(), &question()).await;
        let asked = server.asked.recv().unwrap();
        assert_eq!(asked.path, path);
        assert!(asked.headers.contains(&(header.to_owned(), value.to_owned())), "{:?}", asked.headers);
        assert!(!asked.body.to_string().contains("secret-key"));
        if kind == ProviderKind::Anthropic {
            assert!(asked.headers.contains(&("anthropic-version".to_owned(), "2023-06-01".to_owned())));
        }
    }
}

#[tokio::test]
async fn a_113_what_cannot_be_reached_is_told_without_its_address_and_key() {
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini] {
        let nobody = serve(Vec::new());
        let mut config = ProviderConfig::new(kind);
        config.base_url = Some(format!("{}/a-private-path", nobody.url));
        config.key = Some(SecretString::from("secret-key"));
        let error = ask(&config.clone().build().unwrap(), &question()).await.0.unwrap_err();
        let told = format!("{error} {error:?} {config:?}");
        assert!(!told.contains("secret-key"), "{kind:?}: {told}");
        assert!(!format!("{error} {error:?}").contains("a-private-path"), "{kind:?}: {told}");
    }
}
