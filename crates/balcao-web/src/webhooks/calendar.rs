//! `/hooks/google-calendar`: what a push channel of the calendar service posts.
//!
//! A call has no body that counts. It marks one calendar as due, and a call that names no channel of ours is answered as an unknown address
//! is: who guesses learns nothing.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use balcao_app::scheduling::calendar_channels::{CalendarChannels, ChannelCall};

use crate::problem::Problem;
use crate::webhooks::counted;

/// The name of the channel in the metrics.
const KIND: &str = "google_calendar";

/// The webhook's route, for [`crate::router_with`].
pub fn router(channels: CalendarChannels) -> Router {
    Router::new().route("/hooks/google-calendar", post(receive)).with_state(channels)
}

async fn receive(State(channels): State<CalendarChannels>, headers: HeaderMap) -> Result<&'static str, Problem> {
    counted(KIND, take_in(&channels, &headers).await)
}

async fn take_in(channels: &CalendarChannels, headers: &HeaderMap) -> Result<&'static str, Problem> {
    let shown = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let call = ChannelCall {
        channel: shown("x-goog-channel-id"),
        token: shown("x-goog-channel-token"),
        resource: shown("x-goog-resource-id"),
    };
    match channels.accept(call).await {
        Ok(true) => Ok(""),
        Ok(false) => Err(Problem::new(StatusCode::NOT_FOUND, "there is nothing here")),
        Err(error) => {
            tracing::error!(%error, "call of a push channel not stored");
            Err(Problem::unavailable("what came could not be stored; send it again"))
        }
    }
}
