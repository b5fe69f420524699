//! What is answered at which path, and what holds for every answer.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;

use crate::agenda;
use crate::api::Api;
use crate::chat;
use crate::health;
use crate::limits::Limits;
use crate::limits::body::steadily;
use crate::limits::load_shedding::{LoadShedder, shed};
use crate::problem::Problem;
use crate::request_metrics::measured;
use crate::security_headers::with_security_headers;
use crate::web::Web;
use crate::webhooks::whatsapp;

impl Web {
    /// These handlers with the API under `/v1`, and agendas for calendar programs.
    #[must_use]
    pub fn with_api(self, api: &Api) -> Self {
        let routes = api.routes().route("/agenda/{name}", get(agenda::agenda));
        self.with_routes(routes)
    }
}

/// Everything that the server answers.
pub fn router(web: Web, limits: &Limits) -> Router {
    router_with(web, limits, Router::new())
}

/// The router, and what else this process answers, such as [`crate::packs_router`], under the same limits.
pub fn router_with(web: Web, limits: &Limits, more: Router) -> Router {
    let clock = Arc::clone(&web.app().clock);
    let guard = Arc::new(LoadShedder::new(limits, web.watch().clone(), web.trusted(), clock));
    let chat = web.chat();
    let routes = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/webhooks/whatsapp", whatsapp::routes())
        .merge(web.routes());
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
