//! A model behind OpenAI's chat completions that says what a script says, one line for each request.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};

use super::http::{Reply, Request, Server};

/// What it says to one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// A reply.
    Text(String),
    /// It asks for tools: names and arguments.
    Calls(Vec<(String, Value)>),
}

/// A reply.
#[must_use]
pub fn says(text: &str) -> Says {
    Says::Text(text.to_owned())
}

/// It asks for one tool.
#[must_use]
pub fn calls(tool: &str, arguments: Value) -> Says {
    Says::Calls(vec![(tool.to_owned(), arguments)])
}

#[derive(Debug, Default)]
struct State {
    script: VecDeque<Says>,
    asked: Vec<Value>,
}

/// The fake. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeModel {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl FakeModel {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    /// There is no free port.
    pub fn start(script: impl IntoIterator<Item = Says>) -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(State { script: script.into_iter().collect(), asked: Vec::new() }));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| lock(&shared).answer(&request))?;
        Ok(Self { server, state })
    }

    /// Its base URL, version included.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }

    /// Says this next.
    pub fn next(&self, line: Says) {
        lock(&self.state).script.push_back(line);
    }

    /// The bodies of the requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Value> {
        lock(&self.state).asked.clone()
    }

    /// Lines that were not said.
    #[must_use]
    pub fn left(&self) -> usize {
        lock(&self.state).script.len()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &Request) -> Reply {
        let refuse = |status, text: &str| {
            let body = json!({ "error": { "message": text } }).to_string();
            Reply::Whole(status, "application/json".to_owned(), body.into_bytes())
        };
        if request.method != "POST" || !request.target.ends_with("/chat/completions") {
            return refuse(404, "there is nothing here");
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else { return refuse(400, "no JSON") };
        self.asked.push(body);
        let Some(line) = self.script.pop_front() else { return refuse(400, "the script has no line for this request") };
        let number = self.asked.len();
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
            let body = json!({ "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "model": "scripted",
                "choices": [choice], "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 } });
            format!("data: {body}\n\n")
        };
        let text = format!("{}{}data: [DONE]\n\n", chunk(&delta, Value::Null), chunk(&json!({}), ends.into()));
        Reply::Whole(200, "text/event-stream".to_owned(), text.into_bytes())
    }
}
