//! OpenAI's `/v1/embeddings`, strict: what its documentation does not know is refused.
//!
//! A vector has a direction for each group of words that a test declares to be synonyms, and one direction for all other words. Texts are
//! near each other if they say equal things in other words.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};

use super::http::{Reply, Request, Server};

/// The key that it wants.
pub const KEY: &str = "sk-fake-embedding";
/// The model that it has.
pub const MODEL: &str = "text-embedding-3-small";
/// Texts that one request may hold.
const MAX_TEXTS: usize = 2_048;

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// It is refused with this status.
    Status(u16),
    /// The answer is not JSON.
    Nonsense,
    /// One vector is missing.
    OneShort,
    /// The last vector is shorter than the others.
    Ragged,
}

#[derive(Debug, Default)]
struct State {
    meanings: Vec<Vec<String>>,
    next: VecDeque<Broken>,
    texts: Vec<Vec<String>>,
}

/// The fake. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeEmbedding {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl FakeEmbedding {
    /// Starts it on a free port of this machine. The words of each group mean the same.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn start(meanings: &[&[&str]]) -> std::io::Result<Self> {
        let owned = |words: &&[&str]| words.iter().map(|word| word.to_lowercase()).collect();
        let state = State { meanings: meanings.iter().map(owned).collect(), ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| lock(&shared).answer(&request))?;
        Ok(Self { server, state })
    }

    /// Its base URL, version included.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }

    /// Says what goes wrong with the next request that has no say yet.
    pub fn next(&self, broken: Broken) {
        lock(&self.state).next.push_back(broken);
    }

    /// The texts of the requests without a mistake, in order.
    #[must_use]
    pub fn texts(&self) -> Vec<Vec<String>> {
        lock(&self.state).texts.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &Request) -> Reply {
        let texts = match read(request) {
            Ok(texts) => texts,
            Err((status, words)) => return error(status, words),
        };
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| self.vector(text)).collect();
        self.texts.push(texts);
        let whole = |body: Vec<u8>| Reply::Whole(200, "application/json".to_owned(), body);
        match self.next.pop_front() {
            Some(Broken::Status(status)) => return error(status, "Told to fail."),
            Some(Broken::Nonsense) => return whole(b"<html>".to_vec()),
            Some(Broken::OneShort) => drop(vectors.pop()),
            Some(Broken::Ragged) => {
                if let Some(last) = vectors.last_mut() {
                    last.pop();
                }
            }
            None => {}
        }
        // The protocol promises places, and no order.
        let entry =
            |(index, vector): (usize, Vec<f32>)| json!({"object": "embedding", "index": index, "embedding": vector});
        let data: Vec<Value> = vectors.into_iter().enumerate().map(entry).rev().collect();
        let body =
            json!({"object": "list", "data": data, "model": MODEL, "usage": {"prompt_tokens": 1, "total_tokens": 1}});
        whole(body.to_string().into_bytes())
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        let named = |words: &Vec<String>| if words.iter().any(|word| text.contains(word.as_str())) { 1.0 } else { 0.0 };
        self.meanings.iter().map(named).chain([0.1]).collect()
    }
}

fn read(request: &Request) -> Result<Vec<String>, (u16, &'static str)> {
    let demand = |holds: bool, status, words| if holds { Ok(()) } else { Err((status, words)) };
    demand(request.header("authorization") == Some(&format!("Bearer {KEY}")), 401, "Incorrect API key provided.")?;
    let path = (request.method.as_str(), request.target.as_str());
    demand(path == ("POST", "/v1/embeddings"), 404, "Unknown request URL.")?;
    let body: Value = serde_json::from_slice(&request.body).map_err(|_source| (400, "Invalid JSON in the body."))?;
    let fields = body.as_object().ok_or((400, "The body must be an object."))?;
    let known = ["model", "input", "encoding_format", "dimensions", "user"];
    demand(fields.keys().all(|name| known.contains(&name.as_str())), 400, "Unrecognized request argument.")?;
    demand(body.get("model").and_then(Value::as_str) == Some(MODEL), 404, "The model does not exist.")?;
    let format = body.get("encoding_format").and_then(Value::as_str);
    demand(format.is_none_or(|format| format == "float"), 400, "This fake answers in numbers only.")?;
    let input = body.get("input").and_then(Value::as_array).ok_or((400, "`input` must be a list."))?;
    demand((1..=MAX_TEXTS).contains(&input.len()), 400, "`input` must hold 1 to 2048 texts.")?;
    let texts: Option<Vec<String>> = input.iter().map(|text| text.as_str().map(str::to_owned)).collect();
    let texts = texts.ok_or((400, "`input` must hold texts only."))?;
    demand(texts.iter().all(|text| !text.is_empty()), 400, "`input` cannot be an empty string.")?;
    demand(
        texts.iter().all(|text| text.chars().count() <= 8_191 * 4),
        400,
        "This model's maximum context length is 8191 tokens.",
    )?;
    Ok(texts)
}

fn error(status: u16, words: &str) -> Reply {
    let body = json!({ "error": { "message": words, "type": "invalid_request_error", "param": null, "code": null } });
    Reply::Whole(status, "application/json".to_owned(), body.to_string().into_bytes())
}
