//! Files of conversations: what customers sent, and what staff send.

use axum::body::Bytes;
use balcao_app::admin::keys::Scope;
use balcao_app::messaging::files::{FileBytes, FileView, Files};
use balcao_channel::file::own::LARGEST;
use balcao_domain::attachment::AttachmentState;
use balcao_domain::{AttachmentId, ConversationId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::endpoint::{Call, Done, Endpoint, PathId, Route};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// What became of a file.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FileState {
    /// It is still being fetched.
    Waiting,
    /// It is here.
    Stored,
    /// It could not be read; what was fetched of it is here all the same.
    Unreadable,
    /// It was deleted, as old files are.
    Expired,
}

/// A file of a message.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Attachment {
    /// Its id.
    id: String,
    /// `image`, `video`, `audio`, `document` or `sticker`.
    kind: String,
    /// The name to save it under.
    name: String,
    /// Its type, as its bytes say; null until they are here.
    mime: Option<String>,
    /// How many bytes it has.
    size: Option<i64>,
    /// What became of it.
    state: FileState,
    /// What is said in it, as a machine heard it.
    transcript: Option<String>,
    /// Why it could not be read, for staff.
    failure: Option<String>,
}

impl From<FileView> for Attachment {
    fn from(file: FileView) -> Self {
        Self {
            id: file.id.to_string(),
            kind: file.kind,
            name: file.name,
            mime: file.mime,
            size: file.size,
            state: match file.state {
                AttachmentState::Waiting => FileState::Waiting,
                AttachmentState::Stored => FileState::Stored,
                AttachmentState::Unreadable => FileState::Unreadable,
                AttachmentState::Expired => FileState::Expired,
            },
            transcript: file.transcript,
            failure: file.failure,
        }
    }
}

/// Who adds a file, and what it is called.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UploadQuery {
    /// The e-mail address of the person of staff who is about to send it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
    /// Its name, as the contact reads it.
    #[schemars(length(min = 1, max = 255), regex(pattern = r"^[^\u0000]*$"), example = &"tabela.pdf")]
    name: String,
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let add = Route {
        method: Method::Post,
        path: "/v1/conversations/{id}/attachments",
        scope: Scope::Inbox,
        name: "add_attachment",
        group: "Conversations",
        summary: "Add a file that is to be sent",
        description: "The body is the file itself. What it is, its bytes say: JPEG and PNG to 5 MiB, MP4, 3GP, AAC, AMR, MP3, M4A, \
                      Ogg, PDF, text and Office files to 16 MiB. `POST /v1/conversations/{id}/reply` sends it; what is not sent \
                      is deleted after a day.",
        id: Some(PathId { kind: "conversation", prefix: ConversationId::PREFIX }),
        success: 201,
        refusals: &[(
            422,
            "`empty_file`, `bad_file_type`: no channel takes it; or the `Idempotency-Key` was used for another request.",
        )],
        body: None,
        answer: example(),
    };
    let get = Route {
        method: Method::Get,
        path: "/v1/attachments/{id}",
        scope: Scope::Read,
        name: "get_attachment",
        summary: "A file of a message",
        description: "Its bytes are whoever sent it's: save them, do not run them.",
        id: Some(PathId { kind: "file", prefix: AttachmentId::PREFIX }),
        success: 200,
        refusals: &[
            (409, "`waiting`: it is still being fetched; `unreadable`: it could not be."),
            (410, "`expired`: it was deleted, as old files are."),
        ],
        answer: Value::Null,
        ..add.clone()
    };
    Ok(vec![Endpoint::upload(add, LARGEST, take_in)?, Endpoint::download(get, open)?])
}

fn example() -> Value {
    json!({ "id": "att_9", "kind": "document", "name": "tabela.pdf", "mime": "application/pdf", "size": 48_213, "state": "stored",
        "transcript": null, "failure": null })
}

async fn take_in(call: Call, query: UploadQuery, file: Bytes) -> Result<Done<Attachment>, Problem> {
    let files = Files::new(call.api.app()).once(call.key.clone());
    let taken = files.take_in(call.organization(), call.id()?, query.staff, query.name, file.to_vec()).await?;
    Ok(Attachment::from(taken.map_err(refusals::of_file)?).into())
}

async fn open(call: Call) -> Result<FileBytes, Problem> {
    Files::new(call.api.app()).open(call.organization(), call.id()?).await?.map_err(refusals::of_file)
}
