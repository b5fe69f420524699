//! `/webhooks/evolution`: what an Evolution API gateway posts.
//!
//! Invariants: nothing is stored of what does not show the webhook's key; 200 is answered only after everything is durable.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use balcao_app::messaging::inbox::Inbox;
use balcao_channel::channels::evolution::{KIND, webhook};
use secrecy::SecretString;

use crate::limits::body_budget::BodyBudget;
use crate::problem::Problem;
use crate::webhooks::{aside, counted};

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
    Router::new().route("/webhooks/evolution", post(receive)).with_state(hook)
}

async fn receive(hook: State<EvolutionWebhook>, request: Request) -> Result<&'static str, Problem> {
    counted(KIND, take_in(hook, request).await)
}

async fn take_in(State(hook): State<EvolutionWebhook>, request: Request) -> Result<&'static str, Problem> {
    let headers = request.headers().clone();
    // A key that is not UTF-8 is a wrong one.
    let shown = headers.get("apikey").map(|value| value.to_str().unwrap_or_default());
    if webhook::is_forged(shown, &hook.key) {
        return Err(refused(webhook::WebhookError::Key, None));
    }
    let most = if shown.is_some() { webhook::MAX_BODY } else { webhook::MAX_UNPROVEN_BODY };
    let held = BodyBudget::read(request, most).await?;
    let bytes = Some(held.body.len());
    let (shown, key) = (shown.map(str::to_owned), hook.key.clone());
    let read = move |body: &[u8]| webhook::parse(body, shown.as_deref(), &key);
    let (events, _held) = aside(held, read).await?;
    let events = events.map_err(|error| refused(error, bytes))?;
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

/// `bytes`: of the body, if it was read.
fn refused(error: webhook::WebhookError, bytes: Option<usize>) -> Problem {
    tracing::warn!(%error, bytes, "a webhook of the gateway was refused");
    let status = match error {
        webhook::WebhookError::Key => StatusCode::UNAUTHORIZED,
        webhook::WebhookError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        webhook::WebhookError::NotJson => StatusCode::BAD_REQUEST,
    };
    Problem::new(status, error.to_string())
}
