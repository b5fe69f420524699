//! Meta's Graph API, as far as WhatsApp needs it, and strict: what the documentation forbids is refused here.
//!
//! Its rules are written from the documentation and share nothing with the sender's, so that each checks the other. A test can make it
//! misbehave: [`Behaviour`]. Webhooks as Meta would send them are in [`webhooks`]. Once it knows the receiver ([`FakeGraph::tells`]), it
//! sends the status updates of each message by itself.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use balcao_domain::{Clock, SystemClock};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::http::{Reply, Request, Server};
use crate::wait;

mod pairs;
mod rules;
mod statuses;
mod templates;
pub mod webhooks;

pub use templates::Template;

/// The account that the fake serves.
pub const ACCOUNT: &str = "7001";
/// The token that it wants.
pub const TOKEN: &str = "EAAfakefakefakefake";
/// The version that it speaks.
pub const VERSION: &str = "v25.0";

/// What happens to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// What the documentation says.
    Normal,
    /// It is refused with an error of Meta's form.
    Error {
        /// HTTP status.
        status: u16,
        /// Meta's number.
        code: i64,
        /// `error_data.details`.
        details: String,
    },
    /// Something in front of Meta answers, with a body that is not Meta's.
    Edge {
        /// HTTP status.
        status: u16,
    },
    /// It is carried out, and the connection closes without an answer.
    AcceptThenDrop,
    /// It is carried out, and no answer comes until the client leaves.
    AcceptThenSilence,
    /// It is carried out, and half of the answer comes.
    AcceptThenCut,
    /// It is carried out, and the answer says nothing about it.
    AcceptThenEmpty,
    /// The connection closes, and nothing is carried out.
    Drop,
    /// The answer is a file that never ends.
    Endless,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The body, if it is JSON.
    pub body: Value,
}

/// A file at Meta.
#[derive(Debug, Clone)]
struct File {
    mime: String,
    bytes: Vec<u8>,
    /// Where it is said to be; `None`: here.
    elsewhere: Option<String>,
    /// How many addresses of it have expired already before they are used.
    expired: u32,
    /// The size that the API reports, if it differs from the true one.
    said_size: Option<usize>,
}

#[derive(Debug, Default)]
struct State {
    /// What is said of the number; `None`: it is connected.
    number_status: Option<String>,
    next: VecDeque<Behaviour>,
    next_messages: VecDeque<Behaviour>,
    asked: Vec<Asked>,
    accepted: Vec<Value>,
    read: Vec<String>,
    closed: BTreeSet<String>,
    files: HashMap<String, File>,
    count: u32,
    url: String,
    /// The app's secret; without it every proof is believed.
    app_secret: Option<String>,
    /// Whether no app gets the webhooks.
    unsubscribed: bool,
    templates: Vec<Template>,
    pairs: pairs::Pairs,
    statuses: statuses::Statuses,
    /// How messages fail that are accepted next.
    next_failures: VecDeque<i64>,
}

/// The fake. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeGraph {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl FakeGraph {
    /// Starts it on a free port of this machine.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn start() -> std::io::Result<Self> {
        Self::start_by(Arc::new(SystemClock))
    }

    /// The same by another clock: the rate of messages to one customer goes by it.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn start_by(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| lock(&shared).answer(&request, clock.now()))?;
        lock(&state).url = server.url();
        Ok(Self { server, state })
    }

    /// Its base URL.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Says what happens to the next request that has no say yet; those after the last say are [`Behaviour::Normal`].
    pub fn next(&self, behaviour: Behaviour) {
        lock(&self.state).next.push_back(behaviour);
    }

    /// Says what happens to the next message that is sent and has no say yet; read marks and the rest do not count.
    pub fn next_message(&self, behaviour: Behaviour) {
        lock(&self.state).next_messages.push_back(behaviour);
    }

    /// Says that the customer with this number (with its plus sign) or user id wrote more than a day ago.
    pub fn close_window(&self, recipient: &str) {
        lock(&self.state).closed.insert(recipient.to_owned());
    }

    /// Keeps a file of a customer.
    pub fn keep_file(&self, id: &str, mime: &str, bytes: &[u8]) {
        self.store_file(id, mime, bytes, None, 0);
    }

    /// Keeps a file whose first address has expired already.
    pub fn keep_file_expiring_once(&self, id: &str, mime: &str, bytes: &[u8]) {
        self.store_file(id, mime, bytes, None, 1);
    }

    /// Keeps a file that is said to be at another address.
    pub fn keep_file_elsewhere(&self, id: &str, mime: &str, url: &str) {
        self.store_file(id, mime, b"x", Some(url.to_owned()), 0);
    }

    /// Keeps a file that is said to have another size.
    pub fn keep_file_saying(&self, id: &str, mime: &str, bytes: &[u8], size: usize) {
        self.keep_file(id, mime, bytes);
        if let Some(file) = lock(&self.state).files.get_mut(id) {
            file.said_size = Some(size);
        }
    }

    fn store_file(&self, id: &str, mime: &str, bytes: &[u8], elsewhere: Option<String>, expired: u32) {
        let file = File { mime: mime.to_owned(), bytes: bytes.to_vec(), elsewhere, expired, said_size: None };
        lock(&self.state).files.insert(id.to_owned(), file);
    }

    /// Says what the app's secret is.
    pub fn set_app_secret(&self, secret: &str) {
        lock(&self.state).app_secret = Some(secret.to_owned());
    }

    /// Says what Meta says of the number, such as `DISCONNECTED`.
    pub fn set_number_status(&self, status: &str) {
        lock(&self.state).number_status = Some(status.to_owned());
    }

    /// Takes the app off the webhooks.
    pub fn unsubscribe(&self) {
        lock(&self.state).unsubscribed = true;
    }

    /// Keeps a template, in the place of the one of its name and language. None is known before.
    pub fn keep_template(&self, template: Template) {
        let templates = &mut lock(&self.state).templates;
        templates.retain(|one| !template.is_like(one));
        templates.push(template);
    }

    /// Says what became of the templates of this name, such as `PAUSED`.
    pub fn set_template_state(&self, name: &str, status: &str) {
        let mut state = lock(&self.state);
        state.templates.iter_mut().filter(|one| one.name() == name).for_each(|one| one.set_state(status));
    }

    /// From now on tells this address (`127.0.0.1:4711`) what becomes of each message that is accepted: sent, delivered and
    /// read, in changing order, some of it twice, and again until it is acknowledged.
    pub fn tells(&self, address: &str, app_secret: &str) {
        lock(&self.state).statuses.set_endpoint(address, app_secret);
    }

    /// If `held`, keeps status updates back until a call with `false`.
    pub fn hold_statuses(&self, held: bool) {
        lock(&self.state).statuses.hold(held);
    }

    /// How many posts about messages were not acknowledged yet.
    #[must_use]
    pub fn untold(&self) -> usize {
        lock(&self.state).statuses.untold()
    }

    /// Says that the next message that is accepted, and has no say yet, fails later with this error.
    pub fn next_fails(&self, code: i64) {
        lock(&self.state).next_failures.push_back(code);
    }

    /// All requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.state).asked.clone()
    }

    /// Returns a function that blocks until there were so many requests in all. Call that function on a thread that may block.
    pub fn was_asked(&self, times: usize) -> impl FnOnce() + Send + 'static {
        let state = Arc::clone(&self.state);
        move || wait::until("Meta is asked", || (lock(&state).asked.len() >= times).then_some(()))
    }

    /// The messages that were accepted, in order, each with the id that it got as `_id`.
    #[must_use]
    pub fn accepted(&self) -> Vec<Value> {
        lock(&self.state).accepted.clone()
    }

    /// The messages that were marked as read, in order.
    #[must_use]
    pub fn read(&self) -> Vec<String> {
        lock(&self.state).read.clone()
    }

    /// The bytes of an uploaded file.
    #[must_use]
    pub fn file(&self, id: &str) -> Option<Vec<u8>> {
        lock(&self.state).files.get(id).map(|file| file.bytes.clone())
    }
}

impl Drop for FakeGraph {
    fn drop(&mut self) {
        lock(&self.state).statuses.end();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &Request, now: Timestamp) -> Reply {
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let (method, target) = (request.method.clone(), request.target.clone());
        self.asked.push(Asked { method, target, body: body.clone() });
        let sends = request.target.ends_with("/messages") && body.get("status").is_none();
        let of_message = if sends { self.next_messages.pop_front() } else { None };
        let behaviour = of_message.or_else(|| self.next.pop_front()).unwrap_or(Behaviour::Normal);
        match behaviour {
            Behaviour::Drop => return Reply::Nothing,
            Behaviour::Endless => return Reply::Endless("image/png".to_owned()),
            Behaviour::Error { status, code, details } => return error(status, code, &details),
            Behaviour::Edge { status } => {
                return Reply::Whole(
                    status,
                    "text/html".to_owned(),
                    b"<html>Sorry, something went wrong.</html>".to_vec(),
                );
            }
            Behaviour::Normal
            | Behaviour::AcceptThenDrop
            | Behaviour::AcceptThenSilence
            | Behaviour::AcceptThenCut
            | Behaviour::AcceptThenEmpty => {}
        }
        let reply = self.carry_out(request, &body, now);
        match (behaviour, reply) {
            (Behaviour::AcceptThenDrop, _) => Reply::Nothing,
            (Behaviour::AcceptThenSilence, _) => Reply::Silence,
            (Behaviour::AcceptThenEmpty, _) => ok(&json!({})),
            (Behaviour::AcceptThenCut, Reply::Whole(status, kind, body)) => Reply::Cut(status, kind, body),
            (_, reply) => reply,
        }
    }

    fn carry_out(&mut self, request: &Request, body: &Value, now: Timestamp) -> Reply {
        if request.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
            return error(401, 190, "Error validating access token: the session is invalid.");
        }
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (request.method.as_str(), segments.as_slice()) {
            ("POST", [VERSION, ACCOUNT, "messages"]) if body.get("status").is_some() => self.mark(body),
            ("POST", [VERSION, ACCOUNT, "messages"]) => self.message(body, now),
            ("POST", [VERSION, ACCOUNT, "media"]) => self.upload(request),
            ("GET", [VERSION, ACCOUNT]) if query.starts_with("fields=") => self.number(query),
            ("GET", [VERSION, webhooks::BUSINESS, "subscribed_apps"]) => {
                let app =
                    json!({ "whatsapp_business_api_data": { "id": "55", "name": "Recepção", "link": "https://x" } });
                let apps: Vec<Value> = if self.unsubscribed { Vec::new() } else { vec![app] };
                ok(&json!({ "data": apps }))
            }
            ("GET", [VERSION, webhooks::BUSINESS, "message_templates"]) => {
                ok(&json!({ "data": self.templates.iter().map(Template::listed).collect::<Vec<_>>() }))
            }
            ("GET", [VERSION, id]) if query == format!("phone_number_id={ACCOUNT}") => self.find(id),
            ("GET", ["files", id, "expired"]) if self.files.contains_key(*id) => {
                error(404, 100, "The address expired.")
            }
            ("GET", ["files", id]) => match self.files.get(*id) {
                Some(file) => Reply::Whole(200, file.mime.clone(), file.bytes.clone()),
                None => error(404, 100, "Unknown file."),
            },
            _ => error(404, 100, "Unsupported request: the object does not exist, or you may not see it."),
        }
    }

    fn message(&mut self, body: &Value, now: Timestamp) -> Reply {
        let category = match self.judge(body, now) {
            Ok(category) => category,
            // Of a template that is not there the documentation says 404.
            Err(broken) => {
                return error(if broken.code == 132_001 { 404 } else { 400 }, broken.code, &broken.details);
            }
        };
        self.count += 1;
        let id = format!("wamid.OUT{}", self.count);
        let mut kept = body.clone();
        if let Value::Object(kept) = &mut kept {
            kept.insert("_id".to_owned(), json!(id));
        }
        self.accepted.push(kept);
        let fails = self.next_failures.pop_front();
        let number = self.count;
        self.statuses.push(&statuses::Sent { id: &id, number, body, category: &category, fails, at: now });
        let number = body.get("to").and_then(Value::as_str);
        let mut contact = json!({ "input": recipient(body) });
        if let (Value::Object(contact), Some(number)) = (&mut contact, number) {
            contact.insert("wa_id".to_owned(), json!(without_ninth_digit(number)));
        }
        ok(&json!({ "messaging_product": "whatsapp", "contacts": [contact], "messages": [{ "id": id }] }))
    }

    /// Whether a message is taken; what it is billed as.
    fn judge(&mut self, body: &Value, now: Timestamp) -> Result<String, rules::Broken> {
        rules::message(body)?;
        let kind = body.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(id) = body.pointer(&format!("/{kind}/id")).and_then(Value::as_str) {
            let file = self.files.get(id).ok_or_else(|| rules::broken(131_009, "Unknown media id."))?;
            let fits = rules::is_of_kind(kind, &file.mime);
            rules::demand(fits, 131_053, "The media is not of the type of the message.")?;
        }
        let category = match kind {
            "template" => templates::fits(&self.templates, &body["template"])?.billed_as(),
            _ => "service".to_owned(),
        };
        let (to, late) =
            (recipient(body), "More than 24 hours have passed since the customer last replied to this number.");
        rules::demand(kind == "template" || !self.closed.contains(to), 131_047, late)?;
        let taken = self.pairs.take(&without_ninth_digit(to), now);
        rules::demand(taken, 131_056, "Too many messages from this number to the same customer in a short time.")?;
        Ok(category)
    }

    fn mark(&mut self, body: &Value) -> Reply {
        if let Err(broken) = rules::mark(body) {
            return error(400, broken.code, &broken.details);
        }
        let message = body.get("message_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.read.push(message);
        ok(&json!({ "success": true }))
    }

    fn upload(&mut self, request: &Request) -> Reply {
        match rules::upload(request.header("content-type").unwrap_or_default(), &request.body) {
            Err(broken) => error(400, broken.code, &broken.details),
            Ok((mime, bytes)) => {
                self.count += 1;
                let id = format!("media{}", self.count);
                self.files.insert(id.clone(), File { mime, bytes, elsewhere: None, expired: 0, said_size: None });
                ok(&json!({ "id": id }))
            }
        }
    }

    fn number(&self, query: &str) -> Reply {
        if let (Some(secret), Some((_, proof))) = (&self.app_secret, query.split_once("appsecret_proof=")) {
            let right = webhooks::sign(secret, TOKEN.as_bytes());
            if right.strip_prefix("sha256=") != Some(proof) {
                return error(400, 100, "Invalid appsecret_proof provided in the API argument");
            }
        }
        ok(&json!({ "display_phone_number": "+55 11 3000-1000", "verified_name": "Barbearia Figueira",
            "quality_rating": "GREEN", "status": self.number_status.as_deref().unwrap_or("CONNECTED"), "id": ACCOUNT }))
    }

    fn find(&mut self, id: &str) -> Reply {
        let Some(file) = self.files.get_mut(id) else { return error(404, 100, "Unknown file.") };
        let hash: String = Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let here = format!("{}/files/{id}", self.url);
        let url = match file.expired.checked_sub(1) {
            Some(left) => {
                file.expired = left;
                format!("{here}/expired")
            }
            None => file.elsewhere.clone().unwrap_or(here),
        };
        // Meta writes the size as a text or as a number.
        ok(&json!({ "messaging_product": "whatsapp", "url": url, "mime_type": file.mime, "sha256": hash,
            "file_size": file.said_size.unwrap_or(file.bytes.len()).to_string(), "id": id }))
    }
}

/// The number or the user id of the recipient of a message.
fn recipient(body: &Value) -> &str {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    text("to").or(text("recipient")).unwrap_or_default()
}

/// As Meta knows numbers outside of the areas that had nine digits first: `+5541987654321` is `554187654321`.
fn without_ninth_digit(number: &str) -> String {
    let digits = number.trim_start_matches('+');
    match (digits.get(..4), digits.get(4..5), digits.get(5..)) {
        (Some(area), Some("9"), Some(line)) if area.starts_with("55") && line.len() == 8 && area > "5530" => {
            format!("{area}{line}")
        }
        _ => digits.to_owned(),
    }
}

fn ok(body: &Value) -> Reply {
    Reply::Whole(200, "application/json".to_owned(), body.to_string().into_bytes())
}

fn error(status: u16, code: i64, details: &str) -> Reply {
    let body = json!({ "error": { "message": format!("(#{code}) Told"), "type": "OAuthException", "code": code,
        "error_data": { "messaging_product": "whatsapp", "details": details }, "fbtrace_id": "Afake1" } });
    Reply::Whole(status, "application/json".to_owned(), body.to_string().into_bytes())
}
