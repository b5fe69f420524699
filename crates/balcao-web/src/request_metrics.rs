//! Requests are counted, and Prometheus reads what was measured at an address of its own.

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use balcao_app::{AppContext, admin::backlog, context::metrics};
use tokio::time::Instant;
use tracing::Instrument;

use crate::problem::Problem;

/// Counts a request under the template of its path: what is in the path itself may be anything.
pub(crate) async fn measured(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = method_label(request.method());
    let route = route.as_ref().map_or("(none)", MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = tracing::field::Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = tracing::field::Empty,
    );
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", i64::from(response.status().as_u16()));
    if response.status().is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    metrics::http_request(method, route, response.status().as_u16(), started.elapsed());
    response
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// `GET /metrics` alone: `render` gives the page after the database was asked what waits in it.
pub fn metrics_router(app: AppContext, render: impl Fn() -> String + Clone + Send + Sync + 'static) -> Router {
    let page = async move || {
        if let Err(error) = backlog::look(&app).await {
            tracing::error!(%error, "what waits in the database cannot be read for the metrics");
        }
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], render())
    };
    Router::new()
        .route("/metrics", get(page))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "only /metrics is here"))
}
