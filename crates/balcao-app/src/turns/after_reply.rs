//! Steps that a profile asks for after a reply or a handoff, such as a summary. They never delay either, and never run after a failure.

use balcao_agent::Ending;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::{ContactId, ConversationId, OrganizationId};
use balcao_llm::{Message, ModelRequest, Purpose, ResponseFormat, ToolChoice, TurnFacts};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{crm::tag, messaging::conversation, scheduling::follow_up, turns::turn};
use balcao_tool::{Receipt, ReceiptKind, ResultClass, RunMode, ToolContext, canonical, repair};
use serde_json::{Value, json};

use super::{Agent, AnswerError, TurnOutcome, side_request};
use crate::context::app_context::AppContext;
use crate::crm::contacts::{ContactUpdate, Contacts};
use crate::crm::pipelines::Pipelines;
use crate::scheduling::follow_ups::{FollowUpRequest, FollowUps};
use crate::turns::summaries;

/// Longest summary that is kept, in characters.
const SUMMARY_CHARS: usize = 600;
/// Turns between two renewals of the summary.
const SUMMARY_EVERY: i64 = 4;
/// Turns that the model reads for a summary, in addition to the earlier summary.
const SUMMARY_TURNS: u32 = 12;

pub(super) async fn run(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
) -> Result<(), AnswerError> {
    match &outcome.ending {
        Ending::Reply { .. } => {}
        Ending::Handoff { reason, .. } if !reason.is_failure() => {
            return handed_over(app, agent, organization, outcome).await;
        }
        Ending::Handoff { .. } | Ending::Silence { .. } => return Ok(()),
    }
    // In a turn for a service the contact wrote nothing, so the turn has no facts of the contact.
    if outcome.state.is_service {
        return Ok(());
    }
    let steps = &agent.profile.after_reply;
    let receipts: Vec<&Receipt> = outcome.state.calls.iter().flat_map(|call| &call.result.receipts).collect();
    let booked = receipts.iter().any(|receipt| matches!(receipt.kind, ReceiptKind::Booked | ReceiptKind::Rescheduled));
    let Ok(contact) = ContactId::try_from(outcome.state.principal.contact) else { return Ok(()) };
    let key = |what: &str| EffectKey {
        key: format!("after/{}/{what}", outcome.turn),
        args_hash: String::new(),
        // The turn is closed, so this effect does not belong to it.
        turn: None,
        tool: what.to_owned(),
    };
    if booked {
        // The contact has booked, so no follow-up may ask whether the contact is still interested.
        FollowUps::new(app.clone()).cancel(organization, contact, key("settled"), None).await?;
    }
    if booked && let Some(stage) = &steps.stage_after_booking {
        let moved = Pipelines::new(app.clone()).place(organization, contact, key("stage"), stage.clone(), None).await?;
        if let Err(refusal) = moved.value {
            tracing::warn!(?refusal, stage, "the stage after booking does not exist");
        }
    }
    if let Some(minutes) = steps.followup_minutes
        && !booked
        && outcome.state.memory.service.is_some()
        && outcome.state.pending_confirmation.is_none()
        && may_follow_up(app, organization, contact, outcome.conversation).await?
    {
        let hint = outcome.state.inbound.chars().take(200).collect();
        let request = FollowUpRequest {
            delay_min: minutes,
            allowed_delays_min: vec![minutes],
            hint,
            kind: FollowUpType::Value,
            episode: super::episode(app, organization, outcome.conversation).await?,
        };
        let planned = FollowUps::new(app.clone()).schedule(organization, contact, key("followup"), request).await?;
        if let Err(refusal) = planned.value {
            tracing::debug!(?refusal, "no follow-up was planned");
        }
    }
    if steps.contact_facts {
        keep_facts(app, agent, organization, contact, outcome, key).await?;
    }
    if steps.summary {
        summarise(app, agent, organization, outcome).await?;
    }
    Ok(())
}

/// After a handoff without a failure: runs the model's summary for the staff member who takes over, then the profile's own tools.
/// Until then the summary of the closing transaction is in place; it stays if no model answers.
async fn handed_over(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
) -> Result<(), AnswerError> {
    if agent.profile.after_reply.summary
        && let Some(text) = summary(app, agent, organization, outcome, 1).await?
    {
        let id = outcome.conversation;
        app.store.write(move |tx| summaries::store(tx, organization, id, &text)).await?;
    }
    for tool in &agent.on_handoff {
        let (principal, args) = (outcome.state.principal, json!({}));
        let args_hash = canonical::hash(&args);
        let name = &tool.spec.name;
        let key = balcao_tool::EffectKey::derive(principal.turn, u32::MAX, 0, name, &args_hash);
        let cx = ToolContext {
            principal,
            key,
            args_hash,
            now: outcome.state.now.clone(),
            agreed: None,
            told_prices: Vec::new(),
        };
        let result = tool.execute(&cx, args, RunMode::Execute).await;
        if result.class != ResultClass::Success {
            tracing::warn!(tool = name, value = %result.value, internal = result.internal, "a tool after the handoff failed");
        }
    }
    Ok(())
}

async fn summarise(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
) -> Result<(), AnswerError> {
    let Some(text) = summary(app, agent, organization, outcome, SUMMARY_EVERY).await? else { return Ok(()) };
    let id = outcome.conversation;
    app.store.write(move |tx| conversation::set_summary(tx, organization, id, &text)).await.map_err(AnswerError::from)
}

/// Returns the model's summary; `None` if there is none, or if the count of turns is not a multiple of `every`.
async fn summary(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
    every: i64,
) -> Result<Option<String>, AnswerError> {
    let id = outcome.conversation;
    let found = app
        .look(move |tx, _now| {
            let found = conversation::get(tx, organization, id)?;
            if turn::count_transcripts(tx, organization, id, found.context_from)? % every != 0 {
                return Ok(None);
            }
            let turns = turn::transcripts(tx, organization, id, found.context_from, SUMMARY_TURNS)?;
            Ok(Some((turns, found.summary.unwrap_or_default())))
        })
        .await?;
    let Some((turns, before)) = found else { return Ok(None) };
    let earlier: Vec<Vec<Message>> =
        turns.iter().filter_map(|turn| serde_json::from_str(&turn.messages).ok()).collect();
    let said: Vec<String> = earlier.iter().flatten().filter_map(transcript_line).collect();
    let system =
        format!("{}\n\n{before}\n\n{}", balcao_agent::prompt::summary(agent.profile.language), said.join("\n"));
    let text = ask(app, agent, organization, outcome, system, ResponseFormat::Text, Purpose::Summary).await;
    Ok(text.map(|text| text.chars().take(SUMMARY_CHARS).collect()))
}

/// What was said, without the tools.
fn transcript_line(message: &Message) -> Option<String> {
    match message {
        Message::User { text } => Some(format!("> {text}")),
        Message::Assistant { text, .. } if !text.is_empty() => Some(format!("< {text}")),
        Message::Assistant { .. } | Message::ToolResult { .. } => None,
    }
}

/// Returns whether a follow-up may be planned: no other one is open, the contact did not opt out, and the agent has the conversation.
async fn may_follow_up(
    app: &AppContext,
    organization: OrganizationId,
    contact: ContactId,
    id: ConversationId,
) -> Result<bool, AnswerError> {
    let look = app.look(move |tx, _now| {
        let open = follow_up::open_of_contact(tx, organization, contact)?;
        let found = conversation::get(tx, organization, id)?;
        Ok(open.is_empty() && found.opted_out_at.is_none() && found.state.agent_speaks())
    });
    Ok(look.await?)
}

/// Stores facts that the contact stated about themselves. The checks of the tools apply, and a known name is never replaced.
async fn keep_facts(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    contact: ContactId,
    outcome: &TurnOutcome,
    key: impl Fn(&str) -> EffectKey,
) -> Result<(), AnswerError> {
    let contacts = Contacts::new(app.clone());
    let known = contacts.info(organization, contact).await?;
    let tags = app.look(move |tx, _now| Ok(tag::list(tx, organization)?)).await?;
    let tags: Vec<String> = tags.into_iter().map(|tag| tag.name).filter(|name| !known.tags.contains(name)).collect();
    let system = balcao_agent::prompt::contact_facts(&tags, agent.profile.language);
    let format = ResponseFormat::Json { name: "contact_facts".to_owned(), schema: facts_schema(&tags) };
    let Some(text) = ask(app, agent, organization, outcome, system, format, Purpose::ContactFacts).await else {
        return Ok(());
    };
    let Ok(facts) = repair::parse_arguments(&text).map(|parsed| parsed.value) else { return Ok(()) };
    let fact = |name: &str| facts.get(name).and_then(Value::as_str).map(str::to_owned);
    // A model may invent; only what the customer wrote in this very message is kept, and not what they forwarded.
    let own = balcao_language::normalize(&balcao_agent::prompt::own_words(&outcome.state.inbound));
    let said = |text: &String| own.contains(&balcao_language::normalize(text));
    let update = ContactUpdate {
        name: fact("name").filter(|name| known.name.is_none() && said(name)),
        email: fact("email").filter(|email| known.email.is_none() && said(email)),
        ..ContactUpdate::default()
    };
    if update.name.is_some() || update.email.is_some() {
        let done = contacts.update(organization, contact, key("facts"), "agent".to_owned(), update).await?;
        if let Err(refusal) = done.value {
            tracing::debug!(?refusal, "a fact of the contact was not kept");
        }
    }
    let suggested = facts.get("tags").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in suggested.iter().filter_map(Value::as_str).filter(|name| tags.iter().any(|tag| tag == name)) {
        contacts.add_tag(organization, contact, key(&format!("tag/{name}")), name.to_owned(), false).await?;
    }
    Ok(())
}

fn facts_schema(tags: &[String]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": ["string", "null"]},
            "email": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"enum": tags}}
        }
    })
}

/// Sends a side request about the turn, whose usage counts for the turn; `None` if the model did not answer.
async fn ask(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
    system: String,
    format: ResponseFormat,
    purpose: Purpose,
) -> Option<String> {
    let facts = TurnFacts {
        now: outcome.state.now.clone(),
        locale: agent.profile.language.tag().to_owned(),
        organization: String::new(),
        address: None,
        opens: None,
        contact_name: None,
        appointment: None,
        written: None,
        outdated: 0,
    };
    // The last message of a request must not be ours, but the transcript ends with our reply. So the reply moves into the prompt.
    let mut messages = outcome.state.transcript.clone();
    let ours = matches!(messages.last(), Some(Message::Assistant { .. })).then(|| messages.pop()).flatten();
    let system = match ours {
        Some(Message::Assistant { text, .. }) => format!("{system}\n\n«{text}»"),
        _ => system,
    };
    let request = ModelRequest {
        system,
        messages: balcao_agent::history::repair(messages),
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        format,
        max_output_tokens: 300,
        temperature_milli: Some(0),
        purpose,
        facts,
    };
    match side_request::complete(app, agent, organization, Some(outcome.turn), &request).await {
        Ok(answer) => Some(answer.text.trim().to_owned()).filter(|text| !text.is_empty()),
        Err(error) => {
            tracing::warn!(%error, ?purpose, "a step after the reply got no answer");
            None
        }
    }
}
