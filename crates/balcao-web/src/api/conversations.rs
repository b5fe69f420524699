//! Conversations and handoffs as staff see them, and what staff do with them.

use balcao_app::UseCaseError;
use balcao_app::admin::keys::Scope;
use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::{
    self as app, Author, ConversationRefusal, ConversationView, Conversations, DeliveryStep,
};
use balcao_domain::ConversationId;
use balcao_domain::conversation::ConversationState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::attachments::Attachment;
use super::cursor::{self, Page, PageQuery};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// Who has a conversation.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "waiting_human"))]
enum State {
    /// The agent answers.
    Ai,
    /// Handed over; no staff member has taken it yet.
    WaitingHuman,
    /// A person of staff has it.
    Human,
    /// Over; a later message reopens it.
    Closed,
}

impl From<ConversationState> for State {
    fn from(state: ConversationState) -> Self {
        match state {
            ConversationState::Ai => Self::Ai,
            ConversationState::WaitingHuman => Self::WaitingHuman,
            ConversationState::Human => Self::Human,
            ConversationState::Closed => Self::Closed,
        }
    }
}

impl From<State> for ConversationState {
    fn from(state: State) -> Self {
        match state {
            State::Ai => Self::Ai,
            State::WaitingHuman => Self::WaitingHuman,
            State::Human => Self::Human,
            State::Closed => Self::Closed,
        }
    }
}

/// Which conversations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConversationQuery {
    /// Those of this state; all, if absent.
    state: Option<State>,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// Which handoffs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HandoffQuery {
    /// Only those that are not resolved.
    #[serde(default)]
    open: bool,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// A conversation.
#[derive(Debug, Serialize, JsonSchema)]
struct Conversation {
    /// Its id.
    id: String,
    /// The contact.
    contact_id: String,
    /// Their name, where it is known.
    contact_name: Option<String>,
    /// Their number in E.164, where it is known.
    phone: Option<String>,
    /// How messages travel: `whatsapp`, `api`, …
    channel: String,
    /// Who has it.
    state: State,
    /// The person of staff that it is assigned to.
    assigned_to: Option<String>,
    /// Why it was handed over, while that is open.
    reason: Option<String>,
    /// Since when the contact has waited for a person.
    #[schemars(extend("format" = "date-time"))]
    waiting_since: Option<String>,
    /// The last message that was said.
    last_message: Option<String>,
    /// Who wrote it.
    last_message_author: Option<Writer>,
    /// How far it came, if it is ours and a channel takes it: one that `failed` or is `unknown` may be no answer.
    last_message_delivery: Option<Delivery>,
    /// When the last message was written.
    #[schemars(extend("format" = "date-time"))]
    last_message_at: String,
}

/// A conversation with what was said.
#[derive(Debug, Serialize, JsonSchema)]
struct ConversationDetail {
    /// The conversation.
    conversation: Conversation,
    /// What it is about.
    summary: Option<String>,
    /// Notes of staff and agent about the contact, oldest first.
    notes: Vec<String>,
    /// The last hundred messages, oldest first.
    messages: Vec<Message>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Writer {
    /// The contact.
    Contact,
    /// The agent.
    Agent,
    /// A person of staff.
    Staff,
    /// The program: a reminder, an offer.
    System,
    /// The agent, but not sent: a person had taken over.
    Draft,
}

/// A message.
#[derive(Debug, Serialize, JsonSchema)]
struct Message {
    /// Its id.
    id: String,
    /// Who wrote it.
    author: Writer,
    /// What.
    text: String,
    /// When.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// Its files; `GET /v1/attachments/{id}` gives one.
    attachments: Vec<Attachment>,
    /// Whether it arrived; `null` of what came in, of drafts, and of what no channel takes.
    delivery: Option<Delivery>,
    /// The versions of business, knowledge and prompt that the agent wrote it under, such as `business_3` (`/v1/versions`).
    versions: Vec<String>,
}

/// How far a message came; of one that leaves in parts the part that came least far speaks.
#[derive(Debug, Serialize, JsonSchema)]
struct Delivery {
    /// How far.
    state: Step,
    /// Why it failed, or why it is tried again; for staff.
    failure: Option<String>,
    /// What the channel's provider bills it as, in its word: `service`, `utility`, `marketing`, …
    category: Option<String>,
    /// What it costs; `null` where no rates are configured, and of what did not arrive.
    price: Option<MessagePrice>,
}

/// What a message costs.
#[derive(Debug, Serialize, JsonSchema)]
struct MessagePrice {
    /// Millionths of the currency: a message costs less than a cent.
    micros: i64,
    /// ISO 4217: `BRL`, …
    currency: String,
}

/// How far a message came.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// It is on its way to the provider, or waits for its turn or for another attempt.
    Waiting,
    /// The channel's provider has it.
    Sent,
    /// It is on the customer's device.
    Delivered,
    /// The customer saw it, or heard it.
    Read,
    /// It may have left, or not: see `GET /v1/outbox`.
    Unknown,
    /// It did not arrive, and is not sent again by itself: see `GET /v1/outbox`.
    Failed,
}

/// A handoff.
#[derive(Debug, Serialize, JsonSchema)]
struct Handoff {
    /// Its number.
    id: i64,
    /// The conversation.
    conversation_id: String,
    /// The turn that ended in it.
    turn_id: Option<String>,
    /// Why, for staff.
    reason: String,
    /// What the conversation was about.
    summary: Option<String>,
    /// The staff member that it was assigned to.
    assigned_to: Option<String>,
    /// When it was made.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When the conversation was given back or closed.
    #[schemars(extend("format" = "date-time"))]
    resolved_at: Option<String>,
}

/// Who of staff acts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StaffAct {
    /// The e-mail address of the person of staff who acts.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
}

/// Who of staff gives a conversation back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StaffGives {
    /// The e-mail address of the person of staff who acts; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// The text that a staff member writes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StaffText {
    /// The e-mail address of the person of staff who writes.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
    /// What they write.
    #[schemars(length(min = 1, max = 4000), regex(pattern = r"^[^\u0000]*$"), example = &"Oi, aqui é o Davi.")]
    text: String,
}

/// The words, the file, or both that a staff member sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StaffReply {
    /// The e-mail address of the person of staff who writes.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: String,
    /// What they write; may be left out beside a file.
    #[serde(default)]
    #[schemars(length(max = 4000), regex(pattern = r"^[^\u0000]*$"), example = &"Oi, aqui é o Davi.")]
    text: String,
    /// A file that `POST /v1/conversations/{id}/attachments` took in; it is sent once.
    #[schemars(regex(pattern = r"^att_[1-9][0-9]{0,9}$"), example = &"att_9")]
    attachment_id: Option<String>,
}

/// A conversation that was taken over.
#[derive(Debug, Serialize, JsonSchema)]
struct Taken {
    /// The person of staff who had it before.
    taken_from: Option<String>,
}

/// It is done.
#[derive(Debug, Serialize, JsonSchema)]
struct Acted {
    /// The conversation.
    conversation_id: String,
}

/// It is the agent's again.
#[derive(Debug, Serialize, JsonSchema)]
struct GivenBack {
    /// The conversation.
    conversation_id: String,
    /// How many messages of the contact came while staff had it and have no answer: the agent answers what comes next.
    unanswered: u32,
}

fn conversation(view: ConversationView) -> Conversation {
    Conversation {
        id: view.id.to_string(),
        contact_id: view.contact_id.to_string(),
        contact_name: view.contact_name,
        phone: view.phone,
        channel: view.channel,
        state: view.state.into(),
        assigned_to: view.assigned_to,
        reason: view.reason,
        waiting_since: view.waiting_since.map(|at| at.to_string()),
        last_message: view.last_message,
        last_message_author: view.last_message_author.map(writer),
        last_message_delivery: view.last_message_delivery.map(delivery),
        last_message_at: view.last_message_at.to_string(),
    }
}

fn delivery(of: app::Delivery) -> Delivery {
    let app::Delivery { state, failure, category, price } = of;
    let state = match state {
        DeliveryStep::Waiting => Step::Waiting,
        DeliveryStep::Sent => Step::Sent,
        DeliveryStep::Delivered => Step::Delivered,
        DeliveryStep::Read => Step::Read,
        DeliveryStep::Unknown => Step::Unknown,
        DeliveryStep::Failed => Step::Failed,
    };
    let price = price.map(|price| MessagePrice { micros: price.micros, currency: price.currency.into() });
    Delivery { state, failure, category, price }
}

const fn writer(author: Author) -> Writer {
    match author {
        Author::Contact => Writer::Contact,
        Author::Agent => Writer::Agent,
        Author::Staff => Writer::Staff,
        Author::System => Writer::System,
        Author::Draft => Writer::Draft,
    }
}

fn message(said: app::Said) -> Message {
    let app::Said { message, attachments, delivery: arrived, versions } = said;
    Message {
        id: message.id.to_string(),
        author: writer(message.author),
        text: message.text,
        created_at: message.created_at.to_string(),
        attachments: attachments.into_iter().map(Attachment::from).collect(),
        delivery: arrived.map(delivery),
        versions,
    }
}

fn examples() -> (Value, Value) {
    let conversation = json!({ "id": "cnv_3", "contact_id": "con_12", "contact_name": "Ana Reis", "phone": "+5531988880001",
        "channel": "whatsapp", "state": "waiting_human", "assigned_to": "Davi Lopes", "reason": "asked_for_human",
        "waiting_since": "2026-11-23T12:00:00Z", "last_message": "quero falar com alguém",
        "last_message_author": "contact", "last_message_delivery": null, "last_message_at": "2026-11-23T12:00:00Z" });
    let message = json!({ "id": "msg_90", "author": "contact", "text": "quero falar com alguém",
        "created_at": "2026-11-23T12:00:00Z", "attachments": [], "delivery": null, "versions": [] });
    (conversation, message)
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let (one, said) = examples();
    let list = Route {
        method: Method::Get,
        path: "/v1/conversations",
        scope: Scope::Read,
        name: "list_conversations",
        group: "Conversations",
        summary: "Conversations, the latest first",
        description: "One that somebody writes in meanwhile moves to the front.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [one], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/conversations/{id}",
        name: "get_conversation",
        summary: "A conversation with what was said",
        description: "",
        id: Some(PathId { kind: "conversation", prefix: ConversationId::PREFIX }),
        answer: json!({ "conversation": one, "summary": "Quer falar com uma pessoa.", "notes": [], "messages": [said] }),
        ..list.clone()
    };
    let messages = Route {
        path: "/v1/conversations/{id}/messages",
        name: "list_messages",
        summary: "The messages of a conversation, the latest first",
        answer: json!({ "items": [said], "next_cursor": null }),
        ..show.clone()
    };
    let take = Route {
        method: Method::Post,
        path: "/v1/conversations/{id}/take",
        scope: Scope::Inbox,
        name: "take_conversation",
        summary: "Take a conversation over",
        description: "From then on the agent is silent in it.",
        body: Some(json!({ "staff": "davi@figueira.example" })),
        answer: json!({ "taken_from": null }),
        ..show.clone()
    };
    let reply = Route {
        path: "/v1/conversations/{id}/reply",
        name: "reply_to_conversation",
        summary: "Write to the contact",
        description: "By the channel that the conversation came by: words, a file that was added before, or both. Takes the \
                      conversation over.",
        body: Some(json!({ "staff": "davi@figueira.example", "text": "A tabela de preços.",
            "attachment_id": "att_9" })),
        answer: json!({ "conversation_id": "cnv_3" }),
        ..take.clone()
    };
    let note = Route {
        path: "/v1/conversations/{id}/notes",
        name: "add_note",
        summary: "Leave a note about the contact",
        description: "Only staff see it.",
        body: Some(json!({ "staff": "davi@figueira.example", "text": "Prefere ligação." })),
        ..reply.clone()
    };
    let back = Route {
        path: "/v1/conversations/{id}/give-back",
        name: "give_conversation_back",
        summary: "Give a conversation back to the agent",
        description: "Its handoff is resolved. The agent answers what the contact writes from now on; `unanswered` counts what came before \
                      and has no answer.",
        refusals: &[(409, "`with_agent`: the agent has it already.")],
        body: Some(json!({ "staff": "davi@figueira.example" })),
        answer: json!({ "conversation_id": "cnv_3", "unanswered": 0 }),
        ..reply.clone()
    };
    let handoffs = Route {
        path: "/v1/handoffs",
        name: "list_handoffs",
        group: "Handoffs",
        summary: "Handoffs, the latest first",
        description: "Who waits for a person, and why: `open=true`.",
        answer: json!({ "items": [{ "id": 4, "conversation_id": "cnv_3", "turn_id": "trn_7", "reason": "asked_for_human",
            "summary": null, "assigned_to": "Davi Lopes", "created_at": "2026-11-23T12:00:00Z", "resolved_at": null }],
            "next_cursor": null }),
        ..list.clone()
    };
    Ok(vec![
        Endpoint::new(list, page)?,
        Endpoint::new(show, get)?,
        Endpoint::new(messages, said_in)?,
        Endpoint::new(take, take_over)?,
        Endpoint::new(reply, write)?,
        Endpoint::new(note, leave_note)?,
        Endpoint::new(back, give_back)?,
        Endpoint::new(handoffs, handed_over)?,
    ])
}

fn staff(call: &Call) -> Conversations {
    Conversations::new(call.api.app()).once(call.key.clone())
}

fn granted<T>(answer: Result<Result<T, ConversationRefusal>, UseCaseError>) -> Result<T, Problem> {
    answer?.map_err(refusals::of_conversation)
}

async fn page(call: Call, query: ConversationQuery, _body: Nothing) -> Result<Done<Page<Conversation>>, Problem> {
    let after = query.cursor.as_deref().map(cursor::read_instant).transpose()?;
    let (state, limit) = (query.state.map(Into::into), cursor::limit(query.limit));
    let found = Conversations::new(call.api.app()).page(call.organization(), state, after, limit).await?;
    let next_cursor = found.next.map(|(at, id)| cursor::of_instant(at, id.into()));
    Ok(Page { items: found.items.into_iter().map(conversation).collect(), next_cursor }.into())
}

async fn get(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<ConversationDetail>, Problem> {
    let found = granted(Conversations::new(call.api.app()).show(call.organization(), call.id()?).await)?;
    Ok(ConversationDetail {
        conversation: conversation(found.conversation),
        summary: found.summary,
        notes: found.notes,
        messages: found.messages.into_iter().map(message).collect(),
    }
    .into())
}

async fn said_in(call: Call, query: PageQuery, _body: Nothing) -> Result<Done<Page<Message>>, Problem> {
    let (id, before) = (call.id()?, query.id()?);
    let conversations = Conversations::new(call.api.app());
    let found = granted(conversations.messages(call.organization(), id, before, query.limit()).await)?;
    let next_cursor = found.next.map(|id| cursor::of_id(id.into()));
    Ok(Page { items: found.items.into_iter().map(message).collect(), next_cursor }.into())
}

async fn take_over(call: Call, _query: Nothing, asked: StaffAct) -> Result<Done<Taken>, Problem> {
    let id = call.id()?;
    let taken_from = granted(staff(&call).take(call.organization(), id, asked.staff).await)?;
    Ok(Taken { taken_from }.into())
}

async fn write(call: Call, _query: Nothing, asked: StaffReply) -> Result<Done<Acted>, Problem> {
    let (id, organization) = (call.id()?, call.organization());
    let StaffReply { staff: email, text, attachment_id } = asked;
    let file = attachment_id.map(|file| field("/attachment_id", &file)).transpose()?;
    granted(match file {
        Some(file) => staff(&call).send_file(organization, id, email, file, text).await,
        None => staff(&call).reply(organization, id, email, text).await,
    })?;
    Ok(acted(id))
}

async fn leave_note(call: Call, _query: Nothing, asked: StaffText) -> Result<Done<Acted>, Problem> {
    let id = call.id()?;
    granted(staff(&call).note(call.organization(), id, asked.staff, asked.text).await)?;
    Ok(acted(id))
}

async fn give_back(call: Call, _query: Nothing, asked: StaffGives) -> Result<Done<GivenBack>, Problem> {
    let id = call.id()?;
    let by = asked.staff.map_or_else(|| Actor::Program(call.caller.actor()), Actor::Staff);
    let unanswered = granted(staff(&call).give_back(call.organization(), id, by).await)?;
    Ok(GivenBack { conversation_id: id.to_string(), unanswered }.into())
}

fn acted(id: ConversationId) -> Done<Acted> {
    Acted { conversation_id: id.to_string() }.into()
}

async fn handed_over(call: Call, query: HandoffQuery, _body: Nothing) -> Result<Done<Page<Handoff>>, Problem> {
    let before = query.cursor.as_deref().map(cursor::read_id).transpose()?;
    let conversations = Conversations::new(call.api.app());
    let (found, next) =
        conversations.handoffs(call.organization(), query.open, before, cursor::limit(query.limit)).await?;
    let shown = |one: app::HandoffView| Handoff {
        id: one.id,
        conversation_id: one.conversation.to_string(),
        turn_id: one.turn.map(|turn| turn.to_string()),
        reason: one.reason,
        summary: one.summary,
        assigned_to: one.assigned_to,
        created_at: one.created_at.to_string(),
        resolved_at: one.resolved_at.map(|at| at.to_string()),
    };
    Ok(Page { items: found.into_iter().map(shown).collect(), next_cursor: next.map(cursor::of_id) }.into())
}
