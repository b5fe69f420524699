//! One turn, asked for by a program.

use axum::http::StatusCode;
use balcao_app::admin::keys::Scope;
use balcao_app::messaging::inbox::calls::{Call as Written, CallRefusal};
use balcao_domain::Phone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::endpoint::{Call, Done, Endpoint, Nothing, Route, field};
use super::input;
use super::method::Method;
use crate::problem::Problem;

/// What a contact says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TurnRequest {
    /// Your own name of the conversation, unique in the organization. A new name begins a conversation.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"visit-8152")]
    conversation: String,
    /// What the contact says.
    #[schemars(length(min = 1, max = 4000), regex(pattern = r"^[^\u0000]*$"), example = &"quero marcar um corte amanhã")]
    text: String,
    /// The contact. Without it, a new conversation gets a new contact.
    contact: Option<TurnContact>,
}

/// Who writes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TurnContact {
    /// Their number; without a country code it is Brazilian. The owner of this number is the contact; without one, a new contact.
    #[schemars(length(min = 1, max = 40), regex(pattern = r"^[^\u0000]*$"), example = &"+55 31 98888-0001")]
    phone: Option<String>,
    /// Their name, kept if none is known.
    #[schemars(length(min = 1, max = 120), regex(pattern = r"^[^\u0000]*$"), example = &"Ana Reis")]
    name: Option<String>,
}

/// How the turn ended.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// The agent replied.
    Reply,
    /// A person of staff gets the conversation; `reply` says so to the contact.
    Handoff,
    /// Nothing is said: a person has the conversation, or a guardrail forbids it.
    Silence,
}

/// A turn that is over.
#[derive(Debug, Serialize, JsonSchema)]
struct TurnAnswer {
    /// What is said to the contact.
    reply: Option<String>,
    /// How the turn ended.
    outcome: Outcome,
    /// The turn. Several messages that came together have one.
    turn_id: Option<String>,
    /// The versions of business, knowledge and prompt that the turn ran under, such as `business_3` (`/v1/versions`).
    versions: Vec<String>,
    /// Your name of the conversation.
    conversation: String,
    /// Ours.
    conversation_id: String,
    /// The contact of the conversation.
    contact_id: String,
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let route = Route {
        method: Method::Post,
        path: "/v1/turn",
        scope: Scope::Turn,
        name: "run_turn",
        group: "Turns",
        summary: "Say something as a contact, and get the reply",
        description: "Runs one turn over the channel `api`, durable like any other, and answers when it is over, after two \
                      minutes at most as a rule. With an `Idempotency-Key` the same request asked again is the same turn: ask \
                      so after a time-out or a broken connection. What is written while a turn of the conversation runs is \
                      answered with it or by the next one.",
        id: None,
        success: 200,
        refusals: &[
            (409, "`other_contact`: the conversation is with another contact than the one of that phone."),
            (504, "`turn_not_over`: the turn takes long. It goes on; ask again with the same `Idempotency-Key`."),
        ],
        body: Some(json!({
            "conversation": "visit-8152",
            "text": "quais os serviços?",
            "contact": { "phone": "+55 31 98888-0001", "name": "Ana Reis" }
        })),
        answer: json!({
            "reply": "Oi, Ana! Temos corte e barba.",
            "outcome": "reply",
            "turn_id": "trn_7",
            "versions": ["business_3", "knowledge_1", "prompt_2"],
            "conversation": "visit-8152",
            "conversation_id": "cnv_3",
            "contact_id": "con_12"
        }),
    };
    Ok(vec![Endpoint::new(route, run)?])
}

async fn run(call: Call, _query: Nothing, asked: TurnRequest) -> Result<Done<TurnAnswer>, Problem> {
    let organization = call.organization();
    if asked.text.trim().is_empty() {
        return Err(input::bad_field("/text", &asked.text, "a text that is more than spaces".to_owned()));
    }
    let contact = asked.contact.unwrap_or(TurnContact { phone: None, name: None });
    let phone = contact.phone.map(|text| field::<Reading>("/contact/phone", &text)).transpose()?;
    let written = Written {
        conversation: asked.conversation.clone(),
        text: asked.text,
        phone: phone.map(|Reading(phone)| phone),
        name: contact.name,
    };
    let written = call.api.calls().write(organization, call.key.clone(), written).await?;
    let called = written.value.map_err(|refusal| match refusal {
        CallRefusal::OtherContact => Problem::with_code(
            StatusCode::CONFLICT,
            "other_contact",
            "the conversation is with another contact than the one of that phone; take another name for it",
        ),
    })?;
    let over = tokio::time::timeout(call.api.turn_wait(), call.api.calls().over(organization, called)).await;
    let Ok(over) = over else {
        return Err(Problem::with_code(
            StatusCode::GATEWAY_TIMEOUT,
            "turn_not_over",
            "the turn takes long; it goes on, and the same request with the same `Idempotency-Key` gets its answer",
        )
        .retry_after(5));
    };
    let over = over?;
    let answer = TurnAnswer {
        reply: over.reply,
        outcome: match over.outcome.as_str() {
            "reply" => Outcome::Reply,
            "handoff" => Outcome::Handoff,
            _ => Outcome::Silence,
        },
        turn_id: over.turn.map(|turn| turn.to_string()),
        versions: over.versions.iter().map(ToString::to_string).collect(),
        conversation: asked.conversation,
        conversation_id: called.conversation.to_string(),
        contact_id: called.contact.to_string(),
    };
    Ok(Done::once(answer, written.repeated))
}

/// A number as a person writes it.
struct Reading(Phone);

impl std::str::FromStr for Reading {
    type Err = balcao_domain::phone::PhoneError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Phone::parse(text).map(Self)
    }
}
