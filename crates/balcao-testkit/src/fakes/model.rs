//! A model behind a vendor's API that says what a script says, one line for each request.

mod answers;

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

/// Whose API it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages. Where a tool is forced, what it says is that tool's input, as it stands.
    Anthropic,
    /// Gemini's generated content.
    Gemini,
}

impl Speaks {
    fn hears(self, target: &str) -> bool {
        match self {
            Self::OpenAi => target.ends_with("/chat/completions"),
            Self::Anthropic => target.ends_with("/v1/messages"),
            Self::Gemini => target.contains(":streamGenerateContent"),
        }
    }
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
    speaks: Speaks,
    state: Arc<Mutex<State>>,
}

impl FakeModel {
    /// Starts on a free port of this machine, and speaks as OpenAI does.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn start(script: impl IntoIterator<Item = Says>) -> std::io::Result<Self> {
        Self::speaking(Speaks::OpenAi, script)
    }

    /// Starts on a free port of this machine, and speaks as the vendor `speaks` does.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn speaking(speaks: Speaks, script: impl IntoIterator<Item = Says>) -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(State { script: script.into_iter().collect(), asked: Vec::new() }));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| lock(&shared).answer(speaks, &request))?;
        Ok(Self { server, speaks, state })
    }

    /// Its base URL as the vendor's is written, with or without a version.
    #[must_use]
    pub fn url(&self) -> String {
        let version = match self.speaks {
            Speaks::OpenAi => "/v1",
            Speaks::Anthropic => "",
            Speaks::Gemini => "/v1beta",
        };
        format!("{}{version}", self.server.url())
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
    fn answer(&mut self, speaks: Speaks, request: &Request) -> Reply {
        let refuse = |status, text: &str| {
            let body = json!({ "error": { "message": text } }).to_string();
            Reply::Whole(status, "application/json".to_owned(), body.into_bytes())
        };
        if request.method != "POST" || !speaks.hears(&request.target) {
            return refuse(404, "there is nothing here");
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else { return refuse(400, "no JSON") };
        let line = self.script.pop_front();
        let text = line.map(|line| answers::streamed(speaks, &body, self.asked.len() + 1, line));
        self.asked.push(body);
        let Some(text) = text else { return refuse(400, "the script has no line for this request") };
        Reply::Whole(200, "text/event-stream".to_owned(), text.into_bytes())
    }
}
