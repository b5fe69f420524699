//! `/webhooks/packs/{pack}`: what services of packs post on their own.
//!
//! Invariants: nothing is stored of what is neither signed nor shows the secret that it should; 200 is answered only after it is durable, and before it is read. A pack that
//! takes no deliveries is as unknown as one that is not there.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use balcao_app::admin::pack_deliveries::{Arrived, PackDeliveries};

use crate::limits::body_budget::BodyBudget;
use crate::problem::Problem;
use crate::webhooks::{aside, counted};

/// The largest delivery, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;

/// Why a delivery is not taken in. Says nothing of how near a signature came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// It is not signed with our key.
    Signature,
    /// It is signed, and cannot be read.
    Body,
}

/// Who knows how services sign, and with what.
pub trait Signed: Send + Sync + std::fmt::Debug {
    /// The headers by which a delivery may prove itself: the first that is there counts. Empty if the pack takes no deliveries.
    fn headers(&self, pack: &str) -> Vec<String>;

    /// Judges a delivery by the bytes that came and what that header held.
    ///
    /// # Errors
    /// [`Unfit`]: nothing of it may be looked at.
    fn judge(&self, pack: &str, header: &str, held: &str, body: &[u8]) -> Result<Arrived, Unfit>;
}

/// What the webhooks of packs need.
#[derive(Debug, Clone)]
pub struct PackWebhooks {
    /// Where deliveries go.
    pub deliveries: PackDeliveries,
    /// How they are signed.
    pub signed: Arc<dyn Signed>,
}

/// The webhooks' route, for [`crate::router_with`].
pub fn router(hooks: PackWebhooks) -> Router {
    Router::new().route("/webhooks/packs/{pack}", post(receive)).with_state(hooks)
}

/// The pack in a path; a path that is not UTF-8 names none.
type Pack = Result<Path<String>, PathRejection>;

async fn receive(hooks: State<PackWebhooks>, pack: Pack, request: Request) -> Result<&'static str, Problem> {
    counted("packs", take_in(hooks, pack, request).await)
}

async fn take_in(State(hooks): State<PackWebhooks>, pack: Pack, request: Request) -> Result<&'static str, Problem> {
    let nobody = || Problem::new(StatusCode::NOT_FOUND, "no pack takes deliveries at this path");
    let Path(pack) = pack.map_err(|_no_text| nobody())?;
    let names = hooks.signed.headers(&pack);
    if names.is_empty() {
        return Err(nobody());
    }
    let headers = request.headers().clone();
    // Without a proof nothing is waited for.
    let shown = names.iter().find(|name| headers.contains_key(name.as_str()));
    let header = shown.ok_or_else(|| refused(&pack, Unfit::Signature, None))?;
    let mut shown = headers.get_all(header.as_str()).iter();
    // Of two signatures neither counts: else the client could choose the one that is checked.
    let held = shown.next().and_then(|value| value.to_str().ok()).filter(|_| shown.next().is_none());
    let held = held.ok_or_else(|| refused(&pack, Unfit::Signature, None))?;
    let came = BodyBudget::read(request, MAX_BODY).await?;
    let bytes = came.body.len();
    let (signed, of) = (Arc::clone(&hooks.signed), (pack.clone(), header.clone(), held.to_owned()));
    let (judged, _came) = aside(came, move |body| signed.judge(&of.0, &of.1, &of.2, body)).await?;
    let arrived = judged.map_err(|unfit| refused(&pack, unfit, Some(bytes)))?;
    match hooks.deliveries.accept(&pack, arrived).await {
        Ok(new) => {
            tracing::info!(pack, new, "a delivery of a pack was taken in");
            Ok("")
        }
        Err(error) => {
            tracing::error!(%error, "a delivery of a pack could not be stored");
            Err(Problem::unavailable("what came could not be stored; send it again"))
        }
    }
}

/// `bytes`: of the body, if it was read.
fn refused(pack: &str, unfit: Unfit, bytes: Option<usize>) -> Problem {
    tracing::warn!(pack, ?unfit, bytes, "a delivery of a pack was refused");
    match unfit {
        Unfit::Signature => Problem::new(StatusCode::UNAUTHORIZED, "the signature is missing or does not fit"),
        Unfit::Body => Problem::new(StatusCode::BAD_REQUEST, "invalid delivery; expected a JSON object"),
    }
}
