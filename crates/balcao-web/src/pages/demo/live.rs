//! `GET /demo/v1/live`: what the staff's side shows, whole, at the beginning and whenever any of it changes.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use balcao_app::UseCaseError;
use balcao_app::conversations::ConversationView;
use balcao_app::scheduling::appointments::{AppointmentView, Appointments};
use balcao_app::scheduling::day_view::DayView;
use balcao_app::turns::traces::TurnTrace;
use balcao_domain::ContactId;
use futures::stream::unfold;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::Demo;
use crate::problem::Problem;

/// How often it is looked for changes.
const POLL: Duration = Duration::from_millis(300);
/// How long the stream is silent at most.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// So many turns are shown.
const TURNS: u32 = 12;

/// What to show.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Show {
    /// The day of the agenda; today if none is given.
    day: Option<Date>,
}

#[derive(Debug, Serialize)]
struct Snapshot {
    conversation: Option<ConversationView>,
    contact: Option<ContactId>,
    turns: Vec<TurnTrace>,
    bookings: Vec<AppointmentView>,
    day: DayView,
}

pub(super) async fn live(
    State(demo): State<Demo>,
    show: Result<Query<Show>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(show) = show.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    let events = unfold((demo, show.day, String::new()), async |(demo, day, before)| {
        loop {
            match snapshot(&demo, day).await {
                Ok(now) if now != before => {
                    let event = Event::default().event("snapshot").data(&now);
                    return Some((Ok::<_, Infallible>(event), (demo, day, now)));
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "the demo's page cannot be filled"),
            }
            tokio::select! {
                biased;
                () = demo.0.stop.cancelled() => return None,
                () = sleep(POLL) => {}
            }
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

async fn snapshot(demo: &Demo, day: Option<Date>) -> Result<String, UseCaseError> {
    let parts = &demo.0;
    let organization = parts.chats.organization();
    let mut snapshot = Snapshot {
        conversation: None,
        contact: None,
        turns: Vec::new(),
        bookings: Vec::new(),
        day: parts.days.show(organization, day).await?,
    };
    if let Some((conversation, contact)) = parts.chats.latest().await? {
        let shown = parts.conversations.show(organization, conversation).await?;
        snapshot.conversation = shown.ok().map(|detail| detail.conversation);
        snapshot.contact = Some(contact);
        snapshot.turns = parts.traces.latest(organization, conversation, TURNS).await?;
        let history = Appointments::new(parts.chats.app().clone()).history(organization, contact).await?;
        snapshot.bookings = history.upcoming;
    }
    Ok(serde_json::to_string(&snapshot).unwrap_or_default())
}
