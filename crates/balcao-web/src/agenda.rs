//! `/agenda/<token>.ics`: a professional's agenda for calendar programs, which can show no key. The address is the key.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use balcao_app::scheduling::feeds::Feeds;

use crate::problem::Problem;
use crate::web::Web;

/// The agenda; whatever opens none, a revoked token too, is as if nothing were there.
pub(crate) async fn agenda(
    State(web): State<Web>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let nothing = || Problem::new(StatusCode::NOT_FOUND, "there is nothing at this path");
    // A path that is not UTF-8 holds no valid token.
    let Path(name) = name.map_err(|_no_text| nothing())?;
    let token = name.strip_suffix(".ics").ok_or_else(nothing)?;
    let read = Feeds::new(web.app().clone()).read(token).await.map_err(|error| {
        tracing::error!(%error, "an agenda could not be read");
        Problem::unavailable("the agenda cannot be read now")
    })?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/calendar; charset=utf-8")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"agenda.ics\"")),
    ];
    Ok((headers, read.ok_or_else(nothing)?).into_response())
}
