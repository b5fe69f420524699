//! OpenAI's `/v1/audio/transcriptions`, strict: what its documentation does not know is refused.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::json;

use super::http::{Reply, Request, Server};
use super::multipart;

/// The key that it wants.
pub const KEY: &str = "sk-fake-transcription";
/// The model that it has.
pub const MODEL: &str = "whisper-1";

/// What happens to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// This is said in the sound.
    Words(String),
    /// It is refused with this status.
    Status(u16),
    /// The answer is not JSON.
    Nonsense,
    /// The server sends no answer until the client disconnects.
    Silence,
    /// Half of the answer comes.
    Cut,
}

/// A sound that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// Its name.
    pub filename: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The language that the request named.
    pub language: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    next: VecDeque<Heard>,
    sounds: Vec<Sound>,
}

/// The fake. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeTranscription {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl FakeTranscription {
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

    /// Its base URL, version included.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }

    /// Says what happens to the next request that has no say yet; after the last say nothing is said in any sound.
    pub fn next(&self, heard: Heard) {
        lock(&self.state).next.push_back(heard);
    }

    /// The sounds that came in requests without a mistake, in order.
    #[must_use]
    pub fn sounds(&self) -> Vec<Sound> {
        lock(&self.state).sounds.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &Request) -> Reply {
        let sound = match read(request) {
            Ok(sound) => sound,
            Err((status, words)) => return error(status, words),
        };
        self.sounds.push(sound);
        let answer = |words: &str| json!({ "text": words }).to_string().into_bytes();
        let json = "application/json".to_owned();
        match self.next.pop_front().unwrap_or_else(|| Heard::Words(String::new())) {
            Heard::Words(words) => Reply::Whole(200, json, answer(&words)),
            Heard::Status(status) => error(status, "Told to fail."),
            Heard::Nonsense => Reply::Whole(200, json, b"<html>".to_vec()),
            Heard::Silence => Reply::Silence,
            Heard::Cut => Reply::Cut(200, json, answer("half of what was said")),
        }
    }
}

fn read(request: &Request) -> Result<Sound, (u16, &'static str)> {
    let demand = |holds: bool, status, words| if holds { Ok(()) } else { Err((status, words)) };
    demand(request.header("authorization") == Some(&format!("Bearer {KEY}")), 401, "Incorrect API key provided.")?;
    let path = (request.method.as_str(), request.target.as_str());
    demand(path == ("POST", "/v1/audio/transcriptions"), 404, "Unknown request URL.")?;
    let fields = multipart::fields(request.header("content-type").unwrap_or_default(), &request.body);
    let fields = fields.ok_or((415, "The body is not multipart/form-data."))?;
    let named = |head: &str| Some(head.split_once("name=\"")?.1.split_once('"')?.0.to_owned());
    let known = ["file", "model", "language", "prompt", "response_format", "temperature"];
    let names: Vec<String> = fields.iter().filter_map(|(head, _)| named(head)).collect();
    demand(names.iter().all(|name| known.contains(&name.as_str())), 400, "Unrecognized request argument.")?;
    let field = |name: &str| fields.iter().find(|(head, _)| named(head).as_deref() == Some(name));
    let text = |name: &str| field(name).map(|(_, content)| String::from_utf8_lossy(content).into_owned());
    demand(text("model").as_deref() == Some(MODEL), 404, "The model does not exist.")?;
    let language = text("language");
    demand(language.as_ref().is_none_or(|one| one.len() == 2), 400, "Language parameter must be ISO-639-1.")?;
    demand(text("response_format").is_none_or(|one| one == "json"), 400, "This fake answers in JSON only.")?;
    let (head, bytes) = field("file").ok_or((400, "No file was given."))?;
    let filename = head.split_once("filename=\"").and_then(|(_, rest)| rest.split_once('"'));
    let filename = filename.map(|(name, _)| name.to_owned()).unwrap_or_default();
    let formats = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];
    let format = filename.rsplit_once('.').map(|(_, end)| end).unwrap_or_default();
    demand(formats.contains(&format), 400, "Unrecognized file format.")?;
    demand((1..=25 * 1024 * 1024).contains(&bytes.len()), 413, "Maximum content size limit exceeded.")?;
    Ok(Sound { filename, bytes: bytes.to_vec(), language })
}

fn error(status: u16, words: &str) -> Reply {
    let body = json!({ "error": { "message": words, "type": "invalid_request_error", "param": null, "code": null } });
    Reply::Whole(status, "application/json".to_owned(), body.to_string().into_bytes())
}
