//! Every recorded body, cut into pieces of 1, 7 and 4,096 bytes, gives one and the same result.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use balcao_llm::{
    ModelError, ModelErrorKind, ModelResponse,
    providers::replay::{Protocol, replay},
};
use serde_json::{Value, json};

use crate::support::Seen;

pub(crate) const PROTOCOLS: [Protocol; 3] = [Protocol::ChatCompletions, Protocol::Messages, Protocol::GenerateContent];

/// Which parser reads which folder of fixtures; `None` where we do not speak the API.
const FIXTURES: [(&str, Option<Protocol>); 15] = [
    ("alibaba", Some(Protocol::ChatCompletions)),
    ("amazon-bedrock", None),
    ("anthropic", Some(Protocol::Messages)),
    ("cohere", None),
    ("deepseek", Some(Protocol::ChatCompletions)),
    ("google/google-", Some(Protocol::GenerateContent)),
    // The Interactions API.
    ("google/", None),
    ("groq", Some(Protocol::ChatCompletions)),
    ("mistral", Some(Protocol::ChatCompletions)),
    ("moonshotai", Some(Protocol::ChatCompletions)),
    ("open-responses", None),
    // The Responses API and legacy completions.
    ("openai/", None),
    ("openai-compatible", Some(Protocol::ChatCompletions)),
    ("ollama-ndjson", None),
    ("xai", Some(Protocol::ChatCompletions)),
];

/// Which parser reads the answers of which address.
const ADDRESSES: [(&str, Protocol); 4] = [
    ("/chat/completions", Protocol::ChatCompletions),
    ("/v1/messages", Protocol::Messages),
    (":generateContent", Protocol::GenerateContent),
    (":streamGenerateContent", Protocol::GenerateContent),
];

/// This stream strings fifteen answers together; only the first of them is read, as of any stream.
const MANY_ANSWERS: &str = "vercel-ai/anthropic/anthropic-programmatic-tool-calling.1";

pub(crate) struct Recorded {
    pub(crate) path: String,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// All recorded answers; none, and a note of the skip, where `../shared/material` is missing.
pub(crate) fn recorded() -> Vec<Recorded> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/llm-wire");
    if !root.is_dir() {
        balcao_testkit::skip(&format!("{} is missing", root.display()));
        return Vec::new();
    }
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let all: Vec<Recorded> = paths.iter().filter_map(|path| load(&root, path)).collect();
    assert!(all.len() > 150, "only {} recorded answers are left", all.len());
    all
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, paths) } else { paths.push(path) }
    }
}

fn load(root: &Path, path: &Path) -> Option<Recorded> {
    let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    if name == "SOURCE.txt" || name.ends_with(".request.json") {
        return None;
    }
    let body = fs::read(path).unwrap();
    let (protocol, status) = if name.starts_with("pydantic-ai/") {
        let request = name.replace(".response.json", ".request.json").replace(".response.sse", ".request.json");
        let request: Value = serde_json::from_slice(&fs::read(root.join(request)).unwrap()).unwrap();
        let uri = request["uri"].as_str().unwrap();
        let protocol = ADDRESSES.iter().find(|(part, _)| uri.contains(part)).map(|(_, protocol)| *protocol);
        (protocol, u16::try_from(request["status"].as_u64().unwrap()).unwrap())
    } else {
        let short = name.strip_prefix("vercel-ai/").unwrap_or(&name);
        let known = FIXTURES.iter().find(|(prefix, _)| short.starts_with(prefix));
        let (_, protocol) = known.unwrap_or_else(|| panic!("no parser is named for {name}"));
        (*protocol, 200)
    };
    let body = if name.ends_with(".chunks.txt") {
        let lines = String::from_utf8(body).unwrap();
        let events = lines.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("data: {line}\n\n"));
        events.collect::<String>().into_bytes()
    } else {
        body
    };
    Some(Recorded { path: name, protocol, status, body })
}

type Outcome = Result<ModelResponse, (ModelErrorKind, String)>;

pub(crate) fn read(protocol: Protocol, body: &[u8], piece: usize) -> (Outcome, Seen) {
    let mut seen = Seen::default();
    let result = replay(protocol, body.chunks(piece), &mut |event| seen.note(event));
    (result.map_err(|error: ModelError| (error.kind, error.message)), seen)
}

/// Reads a body in all three ways and checks that they agree.
fn read_all_ways(recorded: &Recorded, protocol: Protocol) -> (Outcome, Seen) {
    let [one, seven, page] = [1, 7, 4096].map(|piece| read(protocol, &recorded.body, piece));
    assert_eq!(one, seven, "{}", recorded.path);
    assert_eq!(one, page, "{}", recorded.path);
    one
}

#[test]
fn every_recorded_answer_reads_the_same_however_it_is_cut() {
    let mut read = 0;
    for recorded in recorded() {
        let Some(protocol) = recorded.protocol else { continue };
        let (outcome, seen) = read_all_ways(&recorded, protocol);
        let path = &recorded.path;
        if recorded.status != 200 || is_error(&recorded) {
            let (kind, _) = outcome.expect_err(path);
            assert_ne!(kind, ModelErrorKind::Malformed, "{path}: an error that the vendor words is understood");
            continue;
        }
        let response = outcome.unwrap_or_else(|error| panic!("{path}: {error:?}"));
        read += 1;
        assert_eq!(response.text, seen.text, "{path}");
        let started: Vec<&str> = response.tool_calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(started, seen.started_calls, "{path}");
        for call in &response.tool_calls {
            assert!(!call.id.is_empty() && !call.name.is_empty(), "{path}");
            assert!(call.arguments.is_empty() || serde_json::from_str::<Value>(&call.arguments).is_ok(), "{path}");
        }
        if let Some(expected) = oracle(&recorded, protocol) {
            assert_eq!(told(&response), expected, "{path}");
        }
        assert!(response.usage.output_tokens > 0 || path.contains("anthropic-fallback"), "{path}: no tokens counted");
    }
    eprintln!("{read} recorded answers read");
}

#[test]
fn what_we_do_not_speak_is_refused_and_no_text_is_invented() {
    for recorded in recorded() {
        for protocol in PROTOCOLS {
            if recorded.protocol == Some(protocol) {
                continue;
            }
            let (outcome, seen) = read_all_ways(&recorded, protocol);
            assert!(outcome.is_err(), "{} read as {protocol:?}: {outcome:?}", recorded.path);
            assert_eq!(seen, Seen::default(), "{} read as {protocol:?}", recorded.path);
        }
    }
}

#[test]
fn streamed_answers_make_the_calls_of_their_whole_twins() {
    let all = recorded();
    let by_path: BTreeMap<&str, &Recorded> = all.iter().map(|recorded| (recorded.path.as_str(), recorded)).collect();
    let (mut twins, mut equal) = (0, 0);
    let calls = |recorded: &Recorded, protocol| told(&read(protocol, &recorded.body, 7).0.unwrap()).1;
    for recorded in &all {
        let (Some(protocol), Some(stem)) = (recorded.protocol, recorded.path.strip_suffix(".chunks.txt")) else {
            continue;
        };
        let Some(twin) = by_path.get(format!("{stem}.json").as_str()) else { continue };
        // The twins are two recordings of one request: the model's words and optional fields differ, the calls do not.
        let shape = |recorded: &Recorded| -> Vec<(String, bool)> {
            let (_, calls) = told(&read(protocol, &recorded.body, 4096).0.unwrap());
            calls
                .iter()
                .map(|call| (call[0].to_string(), call[1].as_object().is_some_and(|fields| !fields.is_empty())))
                .collect()
        };
        let (streamed, whole) = (shape(recorded), shape(twin));
        if stem == MANY_ANSWERS {
            assert_eq!(streamed.first(), whole.first(), "{stem}");
            continue;
        }
        assert_eq!(streamed, whole, "{stem}");
        twins += 1;
        equal += usize::from(!whole.is_empty() && calls(recorded, protocol) == calls(twin, protocol));
    }
    assert!(all.is_empty() || twins >= 10, "only {twins} twins");
    assert!(all.is_empty() || equal >= 5, "only {equal} twins make exactly equal calls");
    eprintln!("{twins} twins, {equal} of them with calls that are equal to the letter");
}

fn is_error(recorded: &Recorded) -> bool {
    let text = String::from_utf8_lossy(&recorded.body);
    text.contains("event: error") || serde_json::from_str::<Value>(&text).is_ok_and(|body| body["error"].is_object())
}

/// What a response says, in a neutral form: text, and calls with parsed arguments.
fn told(response: &ModelResponse) -> (String, Vec<Value>) {
    let parsed = |text: &str| serde_json::from_str(text).unwrap_or(json!({}));
    let calls = response.tool_calls.iter().map(|call| json!([call.name, parsed(&call.arguments)]));
    (response.text.clone(), calls.collect())
}

/// The same, read from a whole document by plain JSON paths.
fn oracle(recorded: &Recorded, protocol: Protocol) -> Option<(String, Vec<Value>)> {
    let body: Value = serde_json::from_slice(&recorded.body).ok()?;
    let parsed = |text: &Value| text.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut text = String::new();
    let mut calls = Vec::new();
    match protocol {
        Protocol::ChatCompletions => {
            let message = &body["choices"][0]["message"];
            match &message["content"] {
                Value::String(content) => text.push_str(content),
                parts => {
                    list(parts).iter().filter_map(|part| part["text"].as_str()).for_each(|piece| text.push_str(piece))
                }
            }
            calls.extend(
                list(&message["tool_calls"])
                    .iter()
                    .map(|call| json!([call["function"]["name"], parsed(&call["function"]["arguments"])])),
            );
        }
        Protocol::Messages => {
            for block in list(&body["content"]) {
                match block["type"].as_str().unwrap() {
                    "text" => text.push_str(block["text"].as_str().unwrap()),
                    "tool_use" => calls.push(json!([block["name"], block["input"]])),
                    _ => {}
                }
            }
        }
        Protocol::GenerateContent => {
            for part in list(&body["candidates"][0]["content"]["parts"]) {
                if let Some(call) = part.get("functionCall") {
                    calls.push(json!([call["name"], call.get("args").cloned().unwrap_or(json!({}))]));
                } else if part["thought"] != true {
                    text.push_str(part["text"].as_str().unwrap_or_default());
                }
            }
        }
    }
    Some((text, calls))
}
