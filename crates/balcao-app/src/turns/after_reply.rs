//! Steps after the reply (specification part 1 §10). They never delay it, and never run after a failure.

use balcao_agent::Ending;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::{ContactId, OrganizationId};
use balcao_llm::{ModelRequest, Purpose, ResponseFormat, ToolChoice};
use balcao_store::conversation;
use balcao_store::ledger::EffectKey;
use balcao_tool::{Receipt, ReceiptKind};

use super::{Agent, AnswerError, Answered};
use crate::desk::Desk;
use crate::follow_ups::{FollowUpRequest, FollowUps};
use crate::pipelines::Pipelines;

/// Longest summary that is kept, in characters.
const SUMMARY_CHARS: usize = 600;
/// The summary is renewed every so many turns.
const SUMMARY_EVERY: i64 = 4;

pub(super) async fn run(
    desk: &Desk,
    agent: &Agent,
    organization: OrganizationId,
    answered: &Answered,
) -> Result<(), AnswerError> {
    let Ending::Reply { .. } = answered.ending else { return Ok(()) };
    let steps = &agent.profile.after_reply;
    let receipts: Vec<&Receipt> = answered.state.calls.iter().flat_map(|call| &call.result.receipts).collect();
    let booked = receipts.iter().any(|receipt| matches!(receipt.kind, ReceiptKind::Booked | ReceiptKind::Rescheduled));
    let Ok(contact) = ContactId::try_from(answered.state.principal.contact) else { return Ok(()) };
    let key = |what: &str| EffectKey {
        key: format!("after/{}/{what}", answered.turn),
        args_hash: String::new(),
        turn: Some(answered.turn.to_string()),
        tool: what.to_owned(),
    };
    if booked && let Some(stage) = &steps.stage_after_booking {
        let moved =
            Pipelines::new(desk.clone()).place(organization, contact, key("stage"), stage.clone(), None).await?;
        if let Err(refusal) = moved.value {
            tracing::warn!(?refusal, stage, "the stage after booking does not exist");
        }
    }
    if let Some(minutes) = steps.followup_minutes
        && !booked
        && answered.state.memory.service.is_some()
        && answered.state.held.is_none()
    {
        let hint = answered.state.inbound.chars().take(200).collect();
        let request = FollowUpRequest {
            delay_min: minutes,
            allowed_delays_min: vec![minutes],
            hint,
            kind: FollowUpType::Value,
            episode: super::episode(desk, organization, answered.conversation).await?,
        };
        let planned = FollowUps::new(desk.clone()).schedule(organization, contact, key("followup"), request).await?;
        if let Err(refusal) = planned.value {
            tracing::debug!(?refusal, "no follow-up was planned");
        }
    }
    if steps.summary && i64::from(answered.turn).rem_euclid(SUMMARY_EVERY) == 0 {
        summarise(desk, agent, organization, answered).await?;
    }
    Ok(())
}

async fn summarise(
    desk: &Desk,
    agent: &Agent,
    organization: OrganizationId,
    answered: &Answered,
) -> Result<(), AnswerError> {
    let facts = balcao_llm::TurnFacts {
        now: answered.state.now.clone(),
        locale: agent.profile.language.tag().to_owned(),
        organization: String::new(),
        contact_name: None,
    };
    let mut messages = balcao_agent::history::repair(answered.state.transcript.clone());
    // A request ends with what is to be answered: the question is what the customer said, and our answer goes into words.
    if let Some(balcao_llm::Message::Assistant { text, .. }) = messages.pop() {
        messages.push(balcao_llm::Message::User { text: format!("[{text}]") });
    }
    let request = ModelRequest {
        system: balcao_agent::prompt::summary(agent.profile.language),
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        format: ResponseFormat::Text,
        max_output_tokens: 300,
        temperature_milli: Some(0),
        purpose: Purpose::Summary,
        facts,
    };
    match agent.model.complete(&request, &mut |_| {}).await {
        Ok(answer) if !answer.text.trim().is_empty() => {
            let text: String = answer.text.trim().chars().take(SUMMARY_CHARS).collect();
            let id = answered.conversation;
            desk.store
                .write(move |tx| conversation::set_summary(tx, organization, id, &text))
                .await
                .map_err(AnswerError::from)
        }
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::warn!(%error, "no summary: the model did not answer");
            Ok(())
        }
    }
}
