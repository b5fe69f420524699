//! Files of the chat: what a visitor sends, and what their own chat shows.
//!
//! Invariants: nothing of a file is read before its visitor may write at all; it is what its bytes are, whatever its name says; the
//! bytes that are held at the same time have a bound in all and for each address.

use std::time::Duration;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use balcao_app::messaging::files::FileRefusal;
use balcao_app::messaging::web_chat::WebChats;
use serde::Deserialize;
use serde_json::json;

use super::{ChatServer, Known, too_fast, well_named};
use crate::download::download;
use crate::limits::body_budget::BodyBudget;
use crate::limits::caller::ClientKey;
use crate::problem::Problem;

/// After so long there may be room for another file.
const SOON: Duration = Duration::from_secs(5);

/// What a page says of a file that it sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    /// The page's own id of the message that the file is.
    id: String,
    /// What the file is called at the visitor's.
    name: String,
}

/// `POST /chat/v1/files?id=…&name=…`, the bytes as the body.
pub(super) async fn send(
    State(chat): State<ChatServer>,
    Known(visitor): Known,
    sharer: Option<Extension<ClientKey>>,
    said: Result<Query<Sent>, QueryRejection>,
    request: Request,
) -> Result<Response, Response> {
    let unfit = |_| {
        let detail = "the address must say `id` and `name` of the file, and nothing else";
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail).into_response()
    };
    let Query(Sent { id, name }) = said.map_err(unfit)?;
    well_named(&id).map_err(IntoResponse::into_response)?;
    let (of_one, limits) = (format!("{}/files", visitor.as_str()), chat.0.limits);
    chat.0.writers.ask(visitor.as_str(), chat.now()).map_err(too_fast)?;
    let sharer = sharer.map(|Extension(sharer)| sharer).unwrap_or_default();
    let _place = chat.0.uploads.take(&sharer).map_err(|_left| too_fast(SOON))?;
    let room = BodyBudget::new(chat.0.upload_bytes.clone(), sharer, Duration::MAX);
    let held = room.read_body(request.into_body(), limits.file_bytes).await.map_err(IntoResponse::into_response)?;
    let bytes = &held.body;
    if let Some(refusal) = WebChats::unfit(bytes) {
        return Err(refused(&refusal));
    }
    // A refused file uses up no allowance: neither its visitor nor, if it is sent on purpose, all others.
    chat.counted(&of_one, limits.files).await?;
    chat.counted("files", limits.files_of_all).await?;
    match chat.0.chats.send_file(&visitor, &id, &name, bytes.to_vec()).await {
        Ok(Ok(is_new)) => Ok((StatusCode::ACCEPTED, Json(json!({ "id": id, "repeated": !is_new }))).into_response()),
        Ok(Err(refusal)) => Err(refused(&refusal)),
        Err(error) => {
            tracing::error!(%error, "a file of a visitor could not be stored");
            Err(Problem::unavailable("the file could not be stored; send it again").into_response())
        }
    }
}

fn refused(refusal: &FileRefusal) -> Response {
    let status = match refusal {
        FileRefusal::DayFull { wait_s, .. } | FileRefusal::ContactFull { wait_s, .. } => return full(refusal, *wait_s),
        FileRefusal::NoRoom => return full(refusal, FileRefusal::NO_ROOM_S),
        FileRefusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        FileRefusal::Type { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        FileRefusal::Empty
        | FileRefusal::NotFound { .. }
        | FileRefusal::NotHere { .. }
        | FileRefusal::NoConversation { .. }
        | FileRefusal::UnknownStaff(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    Problem::new(status, refusal.to_string()).into_response()
}

fn full(refusal: &FileRefusal, wait_s: u32) -> Response {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, refusal.to_string()).retry_after(wait_s).into_response()
}

/// `GET /chat/v1/files/{id}`: a file that the visitor's own chat shows; every other does not exist.
pub(super) async fn file(
    State(chat): State<ChatServer>,
    Known(visitor): Known,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Response> {
    chat.0.writers.ask(visitor.as_str(), chat.now()).map_err(too_fast)?;
    let missing = || Problem::new(StatusCode::NOT_FOUND, "unknown file in this chat").into_response();
    // An id that is not UTF-8 names no file.
    let id = id.ok().and_then(|Path(id)| id.parse().ok()).ok_or_else(missing)?;
    match chat.0.chats.file(&visitor, id).await {
        Ok(Some(file)) => Ok(download(file)),
        Ok(None) => Err(missing()),
        Err(error) => {
            tracing::error!(%error, "a file of a chat cannot be read");
            Err(Problem::unavailable("the file cannot be read now; try again").into_response())
        }
    }
}
