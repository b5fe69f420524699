//! What is answered at which path, and what holds for every answer.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use balcao_app::AppContext;
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::messaging::inbox::Inbox;
use ipnet::IpNet;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::agenda;
use crate::api::Api;
use crate::chat::{self, ChatServer};
use crate::health::{self, LastLook};
use crate::limits::Limits;
use crate::limits::body::steadily;
use crate::limits::load_shedding::{LoadShedder, shed};
use crate::problem::Problem;
use crate::request_metrics::measured;
use crate::webhooks::whatsapp::{self, WhatsAppWebhook};

/// What the handlers need. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Web(Arc<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    desk: AppContext,
    inbox: Inbox,
    whatsapp: Option<WhatsAppWebhook>,
    api: Router<Web>,
    chat: Option<ChatServer>,
    watch: BacklogMonitor,
    trusted: Vec<IpNet>,
    stop: CancellationToken,
    role: &'static str,
    readiness: Arc<LastLook>,
}

impl Web {
    /// The handlers over a desk and its inbox. Without `whatsapp` that webhook does not exist. Once `stop` is cancelled the
    /// server says that it is not ready.
    #[must_use]
    pub fn new(desk: AppContext, inbox: Inbox, whatsapp: Option<WhatsAppWebhook>, stop: CancellationToken) -> Self {
        Self(Arc::new(Parts {
            desk,
            inbox,
            whatsapp,
            api: Router::new(),
            chat: None,
            watch: BacklogMonitor::default(),
            trusted: Vec::new(),
            stop,
            role: "all",
            readiness: Arc::default(),
        }))
    }

    /// These handlers, of which only the health endpoints answer.
    #[must_use]
    pub fn only_health(self) -> Self {
        Self(Arc::new(Parts { api: Router::new(), chat: None, whatsapp: None, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// These handlers in a process that does only a part of the server's work.
    #[must_use]
    pub fn in_role(self, role: &'static str) -> Self {
        Self(Arc::new(Parts { role, ..Arc::unwrap_or_clone(self.0) }))
    }

    pub(crate) fn role(&self) -> &'static str {
        self.0.role
    }

    /// These handlers with the API under `/v1`, and agendas for calendar programs.
    #[must_use]
    pub fn with_api(self, api: &Api) -> Self {
        let routes = api.routes().route("/agenda/{name}", get(agenda::agenda));
        Self(Arc::new(Parts { api: routes, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// These handlers with the web chat under `/chat`. Its pages may read every answer, those of limits included.
    #[must_use]
    pub fn with_chat(self, chat: ChatServer) -> Self {
        Self(Arc::new(Parts { chat: Some(chat), ..Arc::unwrap_or_clone(self.0) }))
    }

    /// The same, where readiness tells and floods are measured by what `watch` saw last, and what proxies of these networks
    /// say of where a request comes from is believed.
    #[must_use]
    pub fn watched(self, watch: BacklogMonitor, trusted: Vec<IpNet>) -> Self {
        Self(Arc::new(Parts { watch, trusted, ..Arc::unwrap_or_clone(self.0) }))
    }

    pub(crate) fn watch(&self) -> &BacklogMonitor {
        &self.0.watch
    }

    pub(crate) fn desk(&self) -> &AppContext {
        &self.0.desk
    }

    pub(crate) fn inbox(&self) -> &Inbox {
        &self.0.inbox
    }

    pub(crate) fn whatsapp(&self) -> Option<&WhatsAppWebhook> {
        self.0.whatsapp.as_ref()
    }

    pub(crate) fn readiness(&self) -> &LastLook {
        &self.0.readiness
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.stop.is_cancelled()
    }
}

/// Everything that the server answers.
pub fn router(web: Web, limits: &Limits) -> Router {
    router_with(web, limits, Router::new())
}

/// The router, and what else this process answers, such as [`crate::packs_router`], under the same limits.
pub fn router_with(web: Web, limits: &Limits, more: Router) -> Router {
    let clock = Arc::clone(&web.desk().clock);
    let guard = Arc::new(LoadShedder::new(limits, web.watch().clone(), web.0.trusted.clone(), clock));
    let chat = web.0.chat.clone();
    let routes = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/webhooks/whatsapp", whatsapp::routes())
        .merge(web.0.api.clone());
    routes
        .with_state(web)
        .merge(more)
        .merge(chat.clone().map(chat::router).unwrap_or_default())
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "there is nothing at this path"))
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not take this method; see the `allow` header")
        })
        .layer(DefaultBodyLimit::max(limits.body))
        .layer(from_fn_with_state(*limits, in_time))
        .layer(from_fn_with_state(*limits, steadily))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(guard, shed))
        // Around the load shedder: a page that gets 429 must be able to read when to retry.
        .layer(from_fn_with_state(chat, chat::for_allowed_pages))
        .layer(from_fn(with_security_headers))
        .layer(from_fn(measured))
}

/// Ends what takes too long. What it had begun to store may be stored all the same.
async fn in_time(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(limits.time_for(request.uri().path()), next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => Problem::unavailable("the request took too long").into_response(),
    }
}

fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    tracing::error!(text, "a handler panicked");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke here; it was logged").into_response()
}

async fn with_security_headers(request: Request, next: Next) -> Response {
    secured(next.run(request).await)
}

/// Nothing that is answered here is a page: nothing in it may run, be framed, be guessed at, or be kept; a handler that answers
/// with a page or a file says so itself.
pub(crate) fn secured(mut response: Response) -> Response {
    const HEADERS: [(&str, &str); 5] = [
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
    ];
    for (name, value) in HEADERS {
        let place = response.headers_mut().entry(HeaderName::from_static(name));
        place.or_insert(HeaderValue::from_static(value));
    }
    response
}
