//! What staff do on the page: take the conversation over, answer in it, give it back.

use axum::extract::State;
use axum::http::StatusCode;
use balcao_app::UseCaseError;
use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::ConversationRefusal;
use balcao_domain::ConversationId;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Demo;
use crate::problem::Problem;
use crate::reading::Json;

/// Which conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    conversation: ConversationId,
}

/// An answer of staff.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    conversation: ConversationId,
    text: String,
}

type Body = Result<Json, Problem>;

pub(super) async fn take(State(demo): State<Demo>, body: Body) -> Result<StatusCode, Problem> {
    let Which { conversation } = read(body)?;
    let (organization, staff) = (demo.0.chats.organization(), demo.0.settings.staff.clone());
    done(demo.0.conversations.take(organization, conversation, staff).await)
}

pub(super) async fn reply(State(demo): State<Demo>, body: Body) -> Result<StatusCode, Problem> {
    let Words { conversation, text } = read(body)?;
    let (organization, staff) = (demo.0.chats.organization(), demo.0.settings.staff.clone());
    done(demo.0.conversations.reply(organization, conversation, staff, text).await)
}

pub(super) async fn give_back(State(demo): State<Demo>, body: Body) -> Result<StatusCode, Problem> {
    let Which { conversation } = read(body)?;
    let (organization, staff) = (demo.0.chats.organization(), Actor::Staff(demo.0.settings.staff.clone()));
    done(demo.0.conversations.give_back(organization, conversation, staff).await)
}

fn read<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let Json(body) = body?;
    serde_json::from_value(body).map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))
}

fn done<T>(answer: Result<Result<T, ConversationRefusal>, UseCaseError>) -> Result<StatusCode, Problem> {
    match answer {
        Ok(Ok(_)) => Ok(StatusCode::NO_CONTENT),
        Ok(Err(refusal)) => {
            let status = match refusal {
                ConversationRefusal::NotFound { .. } => StatusCode::NOT_FOUND,
                ConversationRefusal::WithAgent => StatusCode::CONFLICT,
                ConversationRefusal::UnknownStaff(_)
                | ConversationRefusal::NoFile { .. }
                | ConversationRefusal::Empty
                | ConversationRefusal::TooLong { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            };
            Err(Problem::new(status, refusal.to_string()))
        }
        Err(error) => {
            tracing::error!(%error, "staff could not act");
            Err(Problem::unavailable("it could not be stored; try again"))
        }
    }
}
