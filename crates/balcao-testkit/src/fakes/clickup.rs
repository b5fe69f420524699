//! ClickUp's API v2, as far as it is documented, with a memory: what the documents refuse, it refuses.
//!
//! Stricter than the real thing on purpose: an unknown key of a body, a list of assignees in an update, a date in seconds are refused
//! here, where the real API ignores them or does something else than was meant. The codes `OAUTH_…` are those of ClickUp's documents;
//! the others stand for codes that its documents do not list, in their form.
#![expect(clippy::indexing_slicing, reason = "JSON that the fake made itself, or that reads as null")]

mod field_types;
mod fields;
mod places;
mod shape;
mod state;
mod tasks;
mod work;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};

use super::http::{Reply, Request, Server, decode};
pub use state::{FOLDER, LIST, SPACE, TEAM, USERS};
use state::{Refusal, State};

/// The token that it takes.
pub const TOKEN: &str = "pk_4410021_FAKECLICKUPTOKEN0123456789";

/// A workspace with a space, a folder, a list with a field of every type, and no tasks.
#[derive(Debug)]
pub struct FakeClickUp {
    server: Server,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    state: State,
    asked: Vec<Asked>,
    /// Requests that are left, if there is a limit.
    left: Option<u64>,
    /// Answers that are lost after the work was done.
    lose: u32,
}

/// A request that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The body, if it is JSON.
    pub body: Value,
}

impl FakeClickUp {
    /// Starts on a free port.
    ///
    /// # Errors
    /// If there is none.
    pub fn start() -> std::io::Result<Self> {
        let inner = Inner { state: State::new(), asked: Vec::new(), left: None, lose: 0 };
        let inner = Arc::new(Mutex::new(inner));
        let shared = Arc::clone(&inner);
        let server = Server::start(move |request| answer(&mut lock(&shared), &request))?;
        Ok(Self { server, inner })
    }

    /// What stands before `/v2/…`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api", self.server.url())
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.inner).asked.clone()
    }

    /// From now on so many requests are answered, and then none in this minute.
    pub fn leave(&self, requests: u64) {
        lock(&self.inner).left = Some(requests);
    }

    /// The next so many requests are carried out, and their answers lost.
    pub fn lose_answers(&self, count: u32) {
        lock(&self.inner).lose = count;
    }

    /// A task as it is stored, by its id.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<Value> {
        lock(&self.inner).state.tasks.get(id).cloned()
    }

    /// How many tasks there are.
    #[must_use]
    pub fn count(&self) -> usize {
        lock(&self.inner).state.tasks.len()
    }

    /// Everything that is stored, to be compared with what was stored before.
    #[must_use]
    pub fn stored(&self) -> Value {
        let State { folders, lists, tasks, comments, checklists, entries, webhooks, tags, .. } =
            &lock(&self.inner).state;
        json!({ "folders": folders, "lists": lists, "tasks": tasks, "comments": comments, "checklists": checklists,
            "entries": entries, "webhooks": webhooks, "tags": tags })
    }

    /// The id of the list's field of that type.
    #[must_use]
    pub fn field(&self, kind: &str) -> Option<String> {
        let inner = lock(&self.inner);
        let field = inner.state.fields.iter().find(|field| field["type"] == json!(kind))?;
        field["id"].as_str().map(str::to_owned)
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(inner: &mut Inner, request: &Request) -> Reply {
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    inner.asked.push(Asked { method: request.method.clone(), target: request.target.clone(), body: body.clone() });
    let mut headers = Vec::new();
    if let Some(left) = &mut inner.left {
        let over = *left == 0;
        *left = left.saturating_sub(1);
        headers = vec![
            ("X-RateLimit-Limit".to_owned(), "100".to_owned()),
            ("X-RateLimit-Remaining".to_owned(), left.to_string()),
            // By the service's own clock, ten seconds from now.
            ("X-RateLimit-Reset".to_owned(), "1795348810".to_owned()),
            ("Date".to_owned(), "Sun, 22 Nov 2026 12:00:00 GMT".to_owned()),
        ];
        if over {
            let refusal = Refusal::new(429, "Rate limit reached", "APP_002");
            return Reply::Json(429, headers, refusal.body());
        }
    }
    let done = route(&mut inner.state, request, body);
    if inner.lose > 0 {
        inner.lose -= 1;
        return Reply::Nothing;
    }
    match done {
        Ok(Value::Null) => Reply::Json(204, headers, Vec::new()),
        Ok(value) => Reply::Json(200, headers, value.to_string().into_bytes()),
        Err(refusal) => Reply::Json(refusal.status, headers, refusal.body()),
    }
}

/// The query, decoded.
pub(super) type Query = BTreeMap<String, Vec<String>>;

fn route(state: &mut State, request: &Request, body: Value) -> Result<Value, Refusal> {
    match request.header("authorization") {
        None => return Err(Refusal::new(401, "Authorization header required", "OAUTH_017")),
        Some(token) if token != TOKEN => return Err(Refusal::new(401, "Token invalid", "OAUTH_025")),
        Some(_) => {}
    }
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut pairs = Query::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        pairs.entry(decode(name)).or_default().push(decode(value));
    }
    let segments: Vec<String> = path.split('/').skip(1).map(decode).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some(["api", "v2", rest @ ..]) = segments.get(..) else { return Err(Refusal::no_route()) };
    let json = request.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if matches!(request.method.as_str(), "POST" | "PUT") && !request.body.is_empty() && body.is_null() && json {
        return Err(Refusal::new(400, "Unexpected token in JSON", "INPUT_001"));
    }
    let method = request.method.as_str();
    if let ["task", id, "attachment"] = rest {
        let id = state.task_id(id, &pairs)?;
        return work::attach(state, &id, request);
    }
    tasks::route(state, method, rest, &pairs, &body)
        .or_else(|| fields::route(state, method, rest, &pairs, &body))
        .or_else(|| places::route(state, method, rest, &pairs, &body))
        .or_else(|| work::route(state, method, rest, &pairs, &body))
        .unwrap_or_else(|| Err(Refusal::no_route()))
}
