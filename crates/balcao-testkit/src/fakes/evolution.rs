//! Evolution API v2, as far as the channel needs it, and strict.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};

use super::http::{Reply, Request, Server};

/// The instance that the fake has.
pub const INSTANCE: &str = "loja";
/// The key that it wants.
pub const KEY: &str = "evolution-fake-key";

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gateway {
    /// What it is there for.
    Normal,
    /// It is refused with this status.
    Status(u16),
    /// It is carried out, and the connection closes without an answer.
    AcceptThenDrop,
    /// The answer is a body that never ends.
    Endless,
}

#[derive(Debug, Default)]
struct State {
    next: VecDeque<Gateway>,
    sent: Vec<(String, Value)>,
    files: HashMap<String, (String, String)>,
}

/// The fake. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeEvolution {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl FakeEvolution {
    /// Starts it on a free port of this machine.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn start() -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| lock(&shared).answer(&request))?;
        Ok(Self { server, state })
    }

    /// Its base URL.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Says what happens to the next request that has no say yet.
    pub fn next(&self, gateway: Gateway) {
        lock(&self.state).next.push_back(gateway);
    }

    /// Keeps the file of a message, its bytes in base64.
    pub fn keep_file(&self, message: &str, mime: &str, base64: &str) {
        lock(&self.state).files.insert(message.to_owned(), (mime.to_owned(), base64.to_owned()));
    }

    /// What was sent, in order: the kind (`sendText`, …) and the body.
    #[must_use]
    pub fn sent(&self) -> Vec<(String, Value)> {
        lock(&self.state).sent.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &Request) -> Reply {
        let gateway = self.next.pop_front().unwrap_or(Gateway::Normal);
        match gateway {
            Gateway::Status(status) => return error(status, "Told to fail."),
            Gateway::Endless => return Reply::Endless("application/json".to_owned()),
            Gateway::Normal | Gateway::AcceptThenDrop => {}
        }
        let reply = self.carry_out(request);
        if gateway == Gateway::AcceptThenDrop { Reply::Nothing } else { reply }
    }

    fn carry_out(&mut self, request: &Request) -> Reply {
        if request.header("apikey") != Some(KEY) {
            return error(401, "Unauthorized");
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else { return error(400, "Bad Request") };
        let segments: Vec<&str> = request.target.trim_start_matches('/').split('/').collect();
        match (request.method.as_str(), segments.as_slice()) {
            ("POST", ["message", what, INSTANCE]) => self.send(what, body),
            ("POST", ["chat", "getBase64FromMediaMessage", INSTANCE]) => {
                let id = body.pointer("/message/key/id").and_then(Value::as_str).unwrap_or_default();
                match self.files.get(id) {
                    Some((mime, base64)) => {
                        whole(201, &json!({ "mediaType": "audioMessage", "mimetype": mime, "base64": base64 }))
                    }
                    None => error(400, "Message not found"),
                }
            }
            _ => error(404, "Not Found"),
        }
    }

    fn send(&mut self, what: &str, body: Value) -> Reply {
        let text = |key: &str| body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let number = |key: &str| body.get(key).is_some_and(Value::is_number);
        let complete = match what {
            "sendText" => text("text").is_some(),
            "sendMedia" => {
                let kinds = ["image", "video", "document"];
                text("media").is_some() && text("mediatype").is_some_and(|kind| kinds.contains(&kind))
            }
            "sendWhatsAppAudio" => text("audio").is_some(),
            "sendLocation" => number("latitude") && number("longitude"),
            _ => return error(404, "Not Found"),
        };
        let to = text("number")
            .is_some_and(|to| to.ends_with("@lid") || (to.len() >= 6 && to.bytes().all(|byte| byte.is_ascii_digit())));
        if !complete || !to {
            return error(400, "Bad Request");
        }
        self.sent.push((what.to_owned(), body));
        let id = format!("BAE5{:04}", self.sent.len());
        whole(201, &json!({ "key": { "remoteJid": "x", "fromMe": true, "id": id }, "status": "PENDING" }))
    }
}

fn whole(status: u16, body: &Value) -> Reply {
    Reply::Whole(status, "application/json".to_owned(), body.to_string().into_bytes())
}

fn error(status: u16, words: &str) -> Reply {
    whole(status, &json!({ "status": status, "error": words, "response": { "message": [words] } }))
}
