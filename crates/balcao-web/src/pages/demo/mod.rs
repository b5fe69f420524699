//! The demo's page: a customer's chat, and beside it what the business sees.
//!
//! The page works on one machine only. It answers only requests to the names of this machine, so a page elsewhere cannot reach it through a
//! name that points to this machine. Everything that staff see or do needs the token that the program printed.

mod live;
mod page;
mod staff;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use balcao_app::conversations::Conversations;
use balcao_app::messaging::web_chat::WebChats;
use balcao_app::scheduling::day_view::DayViews;
use balcao_app::turns::traces::Traces;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

use crate::problem::Problem;

/// Largest body of a request, in bytes.
const BODY: usize = 32 * 1024;

/// What the page shows, and on whose behalf it acts.
#[derive(Debug)]
pub struct DemoSettings {
    /// The shop's name.
    pub shop: String,
    /// In words: which model answers, and why.
    pub model: String,
    /// What a customer may begin with.
    pub suggestions: Vec<String>,
    /// The e-mail address of the person of staff that the page acts as.
    pub staff: String,
    /// The token that guards the staff's side.
    pub token: SecretString,
    /// The port that it listens on.
    pub port: u16,
}

/// What the demo's handlers need. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Demo(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    settings: DemoSettings,
    chats: WebChats,
    conversations: Conversations,
    days: DayViews,
    traces: Traces,
    stop: CancellationToken,
}

impl Demo {
    /// The demo over the web chat of its shop. Streams end once `stop` is cancelled.
    #[must_use]
    pub fn new(settings: DemoSettings, chats: WebChats, stop: CancellationToken) -> Self {
        let app = chats.app().clone();
        let (conversations, days) = (Conversations::new(app.clone()), DayViews::new(app.clone()));
        Self(Arc::new(Parts { settings, chats, conversations, days, traces: Traces::new(app), stop }))
    }

    fn is_staff(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let token = self.0.settings.token.expose_secret();
        shown.is_some_and(|shown| shown.as_bytes().ct_eq(token.as_bytes()).into())
    }
}

fn is_own_name(port: u16, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    host.is_some_and(|host| ["127.0.0.1", "localhost"].iter().any(|own| host == format!("{own}:{port}")))
}

/// The page, its files, and what it asks for.
pub fn router(demo: Demo) -> Router {
    let staff = Router::new()
        .route("/demo/v1/live", get(live::live))
        .route("/demo/v1/take", post(staff::take))
        .route("/demo/v1/reply", post(staff::reply))
        .route("/demo/v1/give-back", post(staff::give_back))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(demo.clone(), for_staff));
    Router::new()
        .route("/", get(page::page))
        .route("/demo/style.css", get(page::style))
        .route("/demo/page.js", get(page::script))
        .route("/demo/trace.js", get(page::trace))
        .route("/demo/words.js", get(page::words))
        .route("/demo/agenda.js", get(page::agenda))
        .merge(staff)
        .layer(from_fn_with_state(demo.0.settings.port, by_own_name))
        .with_state(demo)
}

/// The same answers, all of them to this machine's own names alone.
pub fn only_here(router: Router, port: u16) -> Router {
    router.layer(from_fn_with_state(port, by_own_name))
}

async fn by_own_name(State(port): State<u16>, request: Request, next: Next) -> Response {
    if is_own_name(port, request.headers()) {
        return next.run(request).await;
    }
    Problem::new(StatusCode::FORBIDDEN, "the demo answers at 127.0.0.1 and localhost only").into_response()
}

async fn for_staff(State(demo): State<Demo>, request: Request, next: Next) -> Response {
    if demo.is_staff(request.headers()) {
        return next.run(request).await;
    }
    Problem::new(StatusCode::UNAUTHORIZED, "the staff's side needs the token in the address that the program printed")
        .into_response()
}
