//! Messages that did not leave, and what staff do about them.

use balcao_app::UseCaseError;
use balcao_app::admin::keys::Scope;
use balcao_app::messaging::outbound::dead_letters::{self as app, DeadLetterRefusal, DeadLetters};
use balcao_domain::OutboxId;
use balcao_domain::outbox::OutboxState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cursor::{self, Page};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// Which messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OutboxQuery {
    /// Also those that staff gave up.
    #[serde(default)]
    all: bool,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "dead"))]
enum FailedState {
    /// It did not arrive.
    Dead,
    /// It may have arrived.
    Unknown,
}

/// A message that did not leave, or may not have.
#[derive(Debug, Serialize, JsonSchema)]
struct FailedMessage {
    /// Its id.
    id: String,
    /// What became of it.
    state: FailedState,
    /// Where.
    conversation_id: String,
    /// The recipient's name, if it is known.
    contact_name: Option<String>,
    /// How: `whatsapp`, …
    channel: String,
    /// What it is: `reply`, `staff`, …
    kind: String,
    /// Its words; empty if it has none.
    text: String,
    /// Attempts to send it.
    attempts: u32,
    /// Why it failed.
    failure: Option<String>,
    /// When it was written.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When something last became of it.
    #[schemars(extend("format" = "date-time"))]
    changed_at: String,
    /// When staff gave it up.
    #[schemars(extend("format" = "date-time"))]
    given_up_at: Option<String>,
}

/// Who has a message sent again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RetryAct {
    /// The e-mail address of the person of staff who acts.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
    /// Needed for a message with an unknown outcome: the contact may get it twice.
    #[serde(default)]
    may_arrive_twice: bool,
}

/// Who gives a message up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GiveUpAct {
    /// The e-mail address of the person of staff who acts.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
struct OutboxActed {
    /// The message.
    message_id: String,
}

fn shown(one: app::DeadLetter) -> FailedMessage {
    FailedMessage {
        id: one.id.to_string(),
        state: if one.state == OutboxState::Unknown { FailedState::Unknown } else { FailedState::Dead },
        conversation_id: one.conversation.to_string(),
        contact_name: one.contact_name,
        channel: one.channel,
        kind: one.kind,
        text: one.text,
        attempts: one.attempts,
        failure: one.failure,
        created_at: one.created_at.to_string(),
        changed_at: one.changed_at.to_string(),
        given_up_at: one.given_up_at.map(|at| at.to_string()),
    }
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let one = json!({ "id": "out_7", "state": "dead", "conversation_id": "cnv_3", "contact_name": "Ana Reis",
        "channel": "whatsapp", "kind": "reply", "text": "Até amanhã!", "attempts": 10, "failure": "Service overloaded",
        "created_at": "2026-11-23T12:00:00Z", "changed_at": "2026-11-23T12:40:00Z", "given_up_at": null });
    let list = Route {
        method: Method::Get,
        path: "/v1/outbox",
        scope: Scope::Inbox,
        name: "list_failed_messages",
        group: "Outbox",
        summary: "Messages that did not leave, or may not have, the latest first",
        description: "What leaves as it should is in its conversation.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [one], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/outbox/{id}",
        name: "get_failed_message",
        summary: "One of them",
        description: "",
        id: Some(PathId { kind: "failed message", prefix: OutboxId::PREFIX }),
        answer: one,
        ..list.clone()
    };
    let retry = Route {
        method: Method::Post,
        path: "/v1/outbox/{id}/retry",
        name: "retry_failed_message",
        summary: "Send a message again",
        description: "One that is `unknown` may have arrived: it is sent again only with `may_arrive_twice`.",
        refusals: &[(409, "`may_arrive_twice`: nobody knows whether it arrived.")],
        body: Some(json!({ "staff": "davi@figueira.example", "may_arrive_twice": true })),
        answer: json!({ "message_id": "out_7" }),
        ..show.clone()
    };
    let give_up = Route {
        path: "/v1/outbox/{id}/give-up",
        name: "give_up_failed_message",
        summary: "Let a message be",
        description: "It is not sent, and no longer listed.",
        refusals: &[(409, "`given_up`: it was given up before.")],
        body: Some(json!({ "staff": "davi@figueira.example" })),
        ..retry.clone()
    };
    Ok(vec![
        Endpoint::new(list, page)?,
        Endpoint::new(show, get)?,
        Endpoint::new(retry, send_again)?,
        Endpoint::new(give_up, let_be)?,
    ])
}

fn granted<T>(answer: Result<Result<T, DeadLetterRefusal>, UseCaseError>) -> Result<T, Problem> {
    answer?.map_err(refusals::of_dead_letter)
}

async fn page(call: Call, query: OutboxQuery, _body: Nothing) -> Result<Done<Page<FailedMessage>>, Problem> {
    let before = query.cursor.as_deref().map(cursor::read_id).transpose()?;
    let limit = cursor::limit(query.limit);
    let letters = DeadLetters::new(call.api.app());
    let found = letters.list(call.organization(), query.all, before, limit.saturating_add(1)).await?;
    let shown: Vec<FailedMessage> = found.iter().take(index(limit)).cloned().map(shown).collect();
    let last = found.get(index(limit).saturating_sub(1)).filter(|_| found.len() > shown.len());
    let next_cursor = last.map(|one| cursor::of_id(one.id.into()));
    Ok(Page { items: shown, next_cursor }.into())
}

fn index(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

async fn get(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<FailedMessage>, Problem> {
    let found = granted(DeadLetters::new(call.api.app()).show(call.organization(), call.id()?).await)?;
    Ok(shown(found).into())
}

async fn send_again(call: Call, _query: Nothing, asked: RetryAct) -> Result<Done<OutboxActed>, Problem> {
    let id: OutboxId = call.id()?;
    let letters = DeadLetters::new(call.api.app()).once(call.key.clone());
    granted(letters.retry(call.organization(), id, asked.staff, asked.may_arrive_twice).await)?;
    Ok(OutboxActed { message_id: id.to_string() }.into())
}

async fn let_be(call: Call, _query: Nothing, asked: GiveUpAct) -> Result<Done<OutboxActed>, Problem> {
    let id: OutboxId = call.id()?;
    let letters = DeadLetters::new(call.api.app()).once(call.key.clone());
    granted(letters.give_up(call.organization(), id, asked.staff).await)?;
    Ok(OutboxActed { message_id: id.to_string() }.into())
}
