//! `/webhooks/whatsapp`: Meta's check of the address, and what it posts.
//!
//! Invariants: what shows no signature is refused before its body is waited for; the signature is verified over the bytes as they
//! came, before anything is read from them; nothing is stored of
//! what is not signed; 200 is answered only after everything is durable. Whatever else is answered, Meta comes again, and the
//! inbox tells repeats apart.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::routing::{MethodRouter, get};
use balcao_channel::channels::whatsapp::signature::{self, SignatureError, SignedWith};
use balcao_channel::channels::whatsapp::webhook::{self, WebhookError};

use crate::limits::body_budget::BodyBudget;
use crate::problem::Problem;
use crate::web::Web;
use crate::webhooks::{aside, counted};

pub(crate) fn routes() -> MethodRouter<Web> {
    get(handshake).post(receive)
}

/// The parameters as they stand in the address, in order, so that one that is given twice is seen.
type Parameters = Vec<(String, String)>;

async fn handshake(
    State(web): State<Web>,
    query: Result<Query<Parameters>, QueryRejection>,
) -> Result<String, Problem> {
    let hook = web.whatsapp().ok_or_else(switched_off)?;
    let query = query.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    webhook::handshake(query.0, &hook.verify_token).map_err(|error| {
        tracing::warn!(%error, "a check of the webhook's address was refused");
        Problem::new(StatusCode::FORBIDDEN, "the check of the address failed; compare the verify token")
    })
}

async fn receive(web: State<Web>, request: Request) -> Result<&'static str, Problem> {
    counted("whatsapp", take_in(web, request).await)
}

async fn take_in(State(web): State<Web>, request: Request) -> Result<&'static str, Problem> {
    let hook = web.whatsapp().ok_or_else(switched_off)?;
    let headers = request.headers().clone();
    let signatures = || headers.get_all(signature::HEADER).iter().map(|value| value.as_bytes());
    signature::claim(signatures()).map_err(|error| unsigned(error, None))?;
    let held = BodyBudget::read(request, webhook::MAX_BODY).await?;
    let body = &held.body;
    match hook.secrets.verify(signatures(), body, web.app().clock.now()) {
        Ok(SignedWith::Current) => {}
        Ok(SignedWith::Previous) => tracing::warn!("a webhook was signed with the previous app secret"),
        Err(error) => return Err(unsigned(error, Some(body.len()))),
    }
    let (events, _held) = aside(held, webhook::parse).await?;
    let events = events.map_err(refused)?;
    match web.inbox().accept("whatsapp", events).await {
        Ok(accepted) => {
            tracing::info!(?accepted, "a webhook was stored");
            Ok("")
        }
        Err(error) => {
            tracing::error!(%error, "a webhook could not be stored");
            Err(Problem::unavailable("what came could not be stored; send it again"))
        }
    }
}

/// `bytes`: of the body, if it was read.
fn unsigned(error: SignatureError, bytes: Option<usize>) -> Problem {
    tracing::warn!(%error, bytes, "a webhook was refused: its signature does not hold");
    Problem::new(StatusCode::UNAUTHORIZED, "the signature of the body does not hold")
}

fn switched_off() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "no WhatsApp account is configured here")
}

fn refused(error: WebhookError) -> Problem {
    let status = match error {
        WebhookError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        WebhookError::NotJson | WebhookError::TooDeep | WebhookError::KeyTwice => StatusCode::BAD_REQUEST,
        WebhookError::NotWhatsApp => StatusCode::NOT_FOUND,
    };
    tracing::warn!(%error, "a signed webhook was refused");
    Problem::new(status, error.to_string())
}
