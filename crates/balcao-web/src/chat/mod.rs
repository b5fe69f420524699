//! The web chat's side of the server: `/chat/…`.
//!
//! Invariants: the server answers 202 only after the visitor's message is durable, under an id of the visitor's that makes a repeat
//! harmless; a visitor reads and writes only the conversation of the name in their signed token; a page of an origin that is not allowed
//! reads nothing. Everything else works as for every channel: inbox, turn, outbox.

mod assets;
mod files;
mod limits;
mod origins;
mod stream;
mod token;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use balcao_app::messaging::web_chat::{Visitor, WebChats};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use balcao_app::context::request_rate::RequestRate;
pub use limits::ChatLimits;
pub use origins::{NotAnOrigin, Origins};
pub use token::{ShortSecret, Tokens};

use crate::limits::FILES;
use crate::limits::caller::ClientKey;
use crate::limits::fair_quota::FairQuota;
use crate::limits::pace::RateLimiter;
use crate::problem::Problem;
use crate::reading;

/// What the chat's handlers need. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ChatServer(Arc<ServerParts>);

#[derive(Debug)]
struct ServerParts {
    chats: WebChats,
    shop: String,
    tokens: Tokens,
    origins: Origins,
    limits: ChatLimits,
    writers: RateLimiter,
    newcomers: RateLimiter,
    newcomers_of_one: RateLimiter,
    streams: FairQuota,
    /// Files that are on their way here.
    uploads: FairQuota,
    /// Their bytes.
    upload_bytes: FairQuota,
    stop: CancellationToken,
}

impl ChatServer {
    /// The chat of a shop, shown under its name to pages of these origins. Streams end once `stop` is cancelled.
    #[must_use]
    pub fn new(
        chats: WebChats,
        shop: String,
        tokens: Tokens,
        origins: Origins,
        limits: ChatLimits,
        stop: CancellationToken,
    ) -> Self {
        let (writers, newcomers) = (RateLimiter::new(limits.messages), RateLimiter::new(limits.visitors));
        let (newcomers_of_one, streams) =
            (RateLimiter::new(limits.visitors_of_one), FairQuota::with_total(limits.streams));
        let (uploads, upload_bytes) =
            (FairQuota::with_total(limits.uploads), FairQuota::with_total(limits.upload_bytes));
        Self(Arc::new(ServerParts {
            chats,
            shop,
            tokens,
            origins,
            limits,
            writers,
            newcomers,
            newcomers_of_one,
            streams,
            uploads,
            upload_bytes,
            stop,
        }))
    }

    /// Counts a request over all programs.
    async fn counted(&self, name: &str, pace: RequestRate) -> Result<(), Response> {
        self.counted_all(vec![(name.to_owned(), pace)]).await
    }

    /// The same under several names.
    async fn counted_all(&self, names: Vec<(String, RequestRate)>) -> Result<(), Response> {
        match self.0.chats.ask_all(names).await {
            Ok(counted) => counted.map_err(too_fast),
            Err(error) => {
                tracing::error!(%error, "a request could not be counted");
                Err(Problem::unavailable("the request could not be counted; send it again").into_response())
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.0.chats.app().clock.now()
    }

    /// The name in a request's token.
    fn name(&self, headers: &HeaderMap) -> Option<String> {
        let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        self.0.tokens.read(token.trim(), self.now())
    }
}

/// What pages ask.
const API: &str = "/chat/v1/";

/// Everything below `/chat`.
pub(crate) fn router(chat: ChatServer) -> Router {
    let api = Router::new()
        .route("/chat/v1/session", post(session))
        .route("/chat/v1/messages", post(write))
        .route("/chat/v1/events", get(events))
        .route("/chat/v1/files/{id}", get(files::file))
        .layer(DefaultBodyLimit::max(chat.0.limits.body))
        .route(FILES, post(files::send))
        .with_state(chat);
    api.route("/chat/widget.js", get(assets::widget))
}

/// Keeps pages out that are not allowed, and lets the others read the answer, also if a limit of the server gave it.
/// What a browser asks before it sends anything is answered here, for it takes nothing.
pub(crate) async fn for_allowed_pages(
    State(chat): State<Option<ChatServer>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(chat) = chat.filter(|_| request.uri().path().starts_with(API)) else { return next.run(request).await };
    let Ok(origin) = chat.0.origins.check_origin(request.headers()) else {
        return Problem::new(StatusCode::FORBIDDEN, "pages of this origin may not hold the chat; see chat.origins")
            .into_response();
    };
    let origin = origin.cloned();
    let asks_first = request.method() == Method::OPTIONS;
    let mut response = if asks_first { preflight() } else { next.run(request).await };
    if let Some(origin) = origin {
        origins::allow(response.headers_mut(), &origin);
    }
    response
}

/// Answers a browser that asks whether a page may send what it is about to.
fn preflight() -> Response {
    let mut answer = StatusCode::NO_CONTENT.into_response();
    origins::allow_requests(answer.headers_mut());
    answer
}

/// The visitor of a request.
struct Known(Visitor);

impl FromRequestParts<ChatServer> for Known {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, chat: &ChatServer) -> Result<Self, Response> {
        match chat.name(&parts.headers) {
            Some(name) => Ok(Self(Visitor::new(&name))),
            None => {
                let problem = Problem::new(StatusCode::UNAUTHORIZED, "no token of ours that holds; begin a session");
                Err(([(header::WWW_AUTHENTICATE, "Bearer")], problem).into_response())
            }
        }
    }
}

/// `POST /chat/v1/session`: a token for a new visitor, or a fresh one for a visitor who shows a valid one.
async fn session(
    State(chat): State<ChatServer>,
    sharer: Option<Extension<ClientKey>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let now = chat.now();
    let (name, status) = match chat.name(&headers) {
        Some(name) => (name, StatusCode::OK),
        None => {
            // An address uses up its own share first, and a network its own, so that a few of them shut out no other client.
            let sharer = sharer.map(|Extension(sharer)| sharer).unwrap_or_default();
            if sharer.own().is_some() {
                chat.0.newcomers_of_one.ask_all(&sharer.paced(chat.0.limits.visitors_of_one), now).map_err(too_fast)?;
            }
            chat.0.newcomers.ask("", now).map_err(too_fast)?;
            let limits = &chat.0.limits;
            let mut names = vec![(String::new(), limits.visitors)];
            for (address, pace) in sharer.paced(limits.of_one_in_a_day()) {
                // No address of anybody's is kept.
                names.push((format!("day/{}", chat.0.tokens.mark(&address)), pace));
            }
            chat.counted_all(names).await?;
            (uuid::Uuid::new_v4().simple().to_string(), StatusCode::CREATED)
        }
    };
    let holds = SignedDuration::try_from(chat.0.limits.token_time).unwrap_or(SignedDuration::MAX);
    let until = now.saturating_add(holds).unwrap_or(Timestamp::MAX);
    let token = chat.0.tokens.issue(&name, until);
    let (longest, largest) = (chat.0.limits.text_chars, chat.0.limits.file_bytes);
    let body = json!({ "token": token, "expires_at": until, "now": now, "shop": chat.0.shop, "longest": longest,
        "largest_file": largest });
    Ok((status, Json(body)).into_response())
}

/// What a visitor sends.
#[derive(Debug)]
struct NewMessage {
    /// The page's own id of the message: sending it again changes nothing.
    id: String,
    /// The words.
    text: String,
}

impl NewMessage {
    /// What a page sent, if it is one message.
    fn read(mut body: Value) -> Result<Self, Problem> {
        let alone = body.as_object().is_some_and(|fields| fields.len() == 2);
        match ["id", "text"].map(|name| body.get_mut(name).map(Value::take)) {
            [Some(Value::String(id)), Some(Value::String(text))] if alone => Ok(Self { id, text }),
            _ => {
                let detail = "the body must be an object with `id` and `text`, both of them text, and nothing else";
                Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail))
            }
        }
    }
}

/// `POST /chat/v1/messages`.
async fn write(
    State(chat): State<ChatServer>,
    Known(visitor): Known,
    body: Result<reading::Json, Problem>,
) -> Result<Response, Response> {
    let problem = |status, detail: String| Problem::new(status, detail).into_response();
    let read = body.and_then(|reading::Json(body)| NewMessage::read(body));
    let NewMessage { id, text } = read.map_err(IntoResponse::into_response)?;
    well_named(&id).map_err(IntoResponse::into_response)?;
    let text: String = text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    let (text, longest) = (text.trim(), chat.0.limits.text_chars);
    if text.is_empty() || text.chars().count() > longest {
        let detail = format!("`text` must have 1 to {longest} characters");
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, detail));
    }
    chat.0.writers.ask(visitor.as_str(), chat.now()).map_err(too_fast)?;
    chat.counted(visitor.as_str(), chat.0.limits.messages).await?;
    match chat.0.chats.write(&visitor, &id, text.to_owned()).await {
        Ok(is_new) => Ok((StatusCode::ACCEPTED, Json(json!({ "id": id, "repeated": !is_new }))).into_response()),
        Err(error) => {
            tracing::error!(%error, "a chat message could not be stored");
            Err(Problem::unavailable("the message could not be stored; send it again").into_response())
        }
    }
}

/// Whether a page may call a message so.
fn well_named(id: &str) -> Result<(), Problem> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if (8..=64).contains(&id.len()) && id.chars().all(fits) {
        return Ok(());
    }
    let detail = "`id` must have 8 to 64 letters, digits, hyphens or underscores";
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail))
}

/// `GET /chat/v1/events`.
async fn events(
    State(chat): State<ChatServer>,
    Known(visitor): Known,
    sharer: Option<Extension<ClientKey>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let after = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let limits = chat.0.limits;
    // Visitors are made for nothing: what one address may have is counted beside what one visitor may.
    let sharer = sharer.map(|Extension(sharer)| sharer).unwrap_or_default();
    let share = chat.0.streams.take(&sharer).map_err(|_left| too_fast(Duration::from_secs(10)))?;
    let hub = chat.0.chats.hub();
    let page = hub.join(visitor.as_str(), limits.streams_per_visitor, limits.streams);
    let Some(page) = page else { return Err(too_fast(Duration::from_secs(10))) };
    let (chats, stop) = (chat.0.chats.clone(), chat.0.stop.clone());
    let reader = stream::Reader { chats, visitor, page, limits, stop, after, _share: share };
    let answer = Sse::new(stream::events(reader)).keep_alive(KeepAlive::new().interval(limits.heartbeat));
    // A proxy that collects an answer before it passes it on would hold every event back.
    Ok(([("x-accel-buffering", "no")], answer).into_response())
}

fn too_fast(wait: Duration) -> Response {
    let seconds = wait.as_secs().saturating_add(1).to_string();
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a moment");
    ([(header::RETRY_AFTER, seconds)], problem).into_response()
}
