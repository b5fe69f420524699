//! `/webhooks/evolution`: what an Evolution API gateway posts.
//!
//! Invariants: nothing is stored of what does not show the webhook's key; 200 is answered only after everything is durable.

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use balcao_app::inbox::Inbox;
use balcao_channel::channels::evolution::{KIND, webhook};
use secrecy::SecretString;

use crate::problem::Problem;
use crate::webhooks::counted;

/// What the gateway's webhook needs.
#[derive(Debug, Clone)]
pub struct EvolutionWebhook {
    /// Where events go.
    pub inbox: Inbox,
    /// What the gateway shows.
    pub key: SecretString,
}

/// The webhook's route, for [`crate::router_with`].
pub fn router(hook: EvolutionWebhook) -> Router {
    let limit = DefaultBodyLimit::max(webhook::MAX_BODY);
    Router::new().route("/webhooks/evolution", post(receive).layer(limit)).with_state(hook)
}

async fn receive(
    hook: State<EvolutionWebhook>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<&'static str, Problem> {
    counted(KIND, take_in(hook, headers, body).await)
}

async fn take_in(
    State(hook): State<EvolutionWebhook>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<&'static str, Problem> {
    let body = body.map_err(|error| Problem::new(error.status(), "the body is too large or was cut short"))?;
    // A key that is no text is a wrong one.
    let shown = headers.get("apikey").map(|value| value.to_str().unwrap_or_default());
    let events = webhook::parse(&body, shown, &hook.key).map_err(|error| {
        tracing::warn!(%error, bytes = body.len(), "a webhook of the gateway was refused");
        let status = match error {
            webhook::WebhookError::Key => StatusCode::UNAUTHORIZED,
            webhook::WebhookError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            webhook::WebhookError::NotJson => StatusCode::BAD_REQUEST,
        };
        Problem::new(status, error.to_string())
    })?;
    match hook.inbox.accept(KIND, events).await {
        Ok(accepted) => {
            tracing::info!(?accepted, "a webhook of the gateway was stored");
            Ok("")
        }
        Err(error) => {
            tracing::error!(%error, "a webhook of the gateway could not be stored");
            Err(Problem::unavailable("what came could not be stored; send it again"))
        }
    }
}
