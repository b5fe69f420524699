//! Closing a turn: record, reply, conversation and handoff commit together, or nothing does (I-12).
//!
//! A turn is closed once (I-13). If a person took over meanwhile, its reply is kept as a draft and does not leave (I-17). The test G-01,
//! which kills the program at every commit, shows both. A conversation of a staff member is never handed off: the staff member reads that
//! the request failed, and the next question gets an answer.

mod seeded_bugs;

use std::sync::Arc;

use balcao_agent::guardrails::GuardEffect;
use balcao_agent::notice::{fill, notices};
use balcao_agent::{Ending, TurnState};
use balcao_domain::conversation::ConversationEvent;
use balcao_domain::{ContactId, OrganizationId};
use balcao_llm::Message;
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::handoff::{self, NewHandoff};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::turns::turn::{self, Closing, Spent};
use balcao_store::{Tx, crm::note, crm::tag, scheduling::follow_up, turns::event};
use balcao_tool::ReceiptKind;
use jiff::Timestamp;

use super::turn_control::{Restart, TurnControl};
use super::turn_lease::{self, TurnLease};
use super::{AnswerError, Opened, TurnOutcome};
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::handoff_alerts::{self, Handoff};
use crate::notifications::hot_leads::{self, HotLead};
use crate::turns::summaries;

/// Closes a turn. `turn_lease` is set if its conversation was leased; only then may the turn restart.
pub(super) async fn close(
    app: &AppContext,
    opened: Opened,
    mut state: TurnState,
    ending: Ending,
    turn_lease: Option<TurnLease>,
) -> Result<TurnControl, AnswerError> {
    let turn_lease = match turn_lease {
        Some(turn_lease) if seeded_bugs::enqueues_after_close() => {
            return Box::pin(seeded_bugs::close_then_enqueue(app, opened, state, ending, turn_lease)).await;
        }
        turn_lease => turn_lease,
    };
    let now = app.clock.now();
    let ending = reply_to_staff(&mut state, ending);
    let (conversation, turn) = (opened.conversation.id, opened.turn);
    let channel = opened.conversation.channel.clone();
    let state = Arc::new(state);
    let ended = EndedTurn::new(opened, Arc::clone(&state), ending, Arc::clone(&app.notices));
    let work = move |tx: &mut Tx<'_>| match &turn_lease {
        Some(turn_lease) => close_under_lease(tx, turn_lease, &ended, now),
        None => close_in_transaction(tx, &ended, now).map(ClosingResult::Closed),
    };
    Ok(match app.store.write::<_, UseCaseError, _>(work).await? {
        ClosingResult::Closed(ending) => {
            let state = Arc::unwrap_or_clone(state);
            TurnControl::Finished(Box::new(TurnOutcome { conversation, turn, ending, state, channel }))
        }
        ClosingResult::Restarted(restart) => TurnControl::Restarted(restart),
    })
}

/// What the closing transaction came to.
enum ClosingResult {
    /// The turn is closed. The stored ending is silence instead of a reply if a person took over.
    Closed(Ending),
    /// The turn stays open and starts over, because its messages ask for another answer.
    Restarted(Restart),
}

/// A turn that ran to its end, with everything that the closing transaction stores.
struct EndedTurn {
    opened: Opened,
    state: Arc<TurnState>,
    saved: SavedState,
    /// The ending that the turn decided.
    ending: Ending,
    accounts: Arc<NotificationAccounts>,
}

impl EndedTurn {
    /// Serialises the state here, so that the writer's thread has less to do while others wait for it.
    fn new(opened: Opened, state: Arc<TurnState>, ending: Ending, accounts: Arc<NotificationAccounts>) -> Self {
        let saved = SavedState::new(&state);
        Self { opened, state, saved, ending, accounts }
    }
}

/// Closes the turn and ends its lease, unless the turn must start over.
fn close_under_lease(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    ended: &EndedTurn,
    now: Timestamp,
) -> Result<ClosingResult, UseCaseError> {
    let EndedTurn { opened, state, ending, .. } = ended;
    if let Some(restart) = turn_lease::restart_before_close(tx, turn_lease, opened, ending, spent(state), now)? {
        return Ok(ClosingResult::Restarted(restart));
    }
    let stored = close_in_transaction(tx, ended, now)?;
    turn_lease::finish(tx, turn_lease, opened, state, ending, &stored, now)?;
    Ok(ClosingResult::Closed(stored))
}

/// Replaces an automatic handoff in a turn of a staff member by a plain sentence, in reply and transcript. The breaker starts
/// over, as after a resolved handoff. The record of the turn keeps the handoff that was decided.
fn reply_to_staff(state: &mut TurnState, ending: Ending) -> Ending {
    let Ending::Handoff { reason, .. } = &ending else { return ending };
    let told = if state.principal.staff_facing { reason.text_for_staff(state.principal.locale) } else { None };
    let Some(reply) = told else { return ending };
    tracing::warn!(turn = state.principal.turn, reason = reason.code(), "a question of staff got no answer");
    state.breaker.reset();
    if let Some(Message::Assistant { text, .. }) = state.transcript.last_mut() {
        reply.as_str().clone_into(text);
    }
    Ending::Reply { reply }
}

/// What a turn used up, for budgets and metrics.
pub(super) fn spent(state: &TurnState) -> Spent {
    let usage = state.spent.usage;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Spent {
        model_calls: i64::from(state.spent.model_calls),
        tool_calls: i64::from(state.spent.tool_calls),
        tokens: whole(usage.input_tokens.saturating_add(usage.output_tokens)),
        cost_micro_usd: whole(usage.cost_micro_usd.unwrap_or(0)),
    }
}

/// The state of a turn as the store keeps it, in JSON.
struct SavedState {
    machine: String,
    transcript: String,
}

impl SavedState {
    fn new(state: &TurnState) -> Self {
        Self { machine: to_json(state), transcript: to_json(&state.transcript) }
    }
}

/// Whether a person took over while the turn ran.
fn is_taken_over(conversation: &Conversation) -> bool {
    !seeded_bugs::ignores_takeover() && !conversation.state.agent_speaks()
}

/// Stores record, reply, conversation and handoff; returns the ending as stored.
fn close_in_transaction(tx: &mut Tx<'_>, ended: &EndedTurn, now: Timestamp) -> Result<Ending, UseCaseError> {
    let EndedTurn { opened, state, saved, ending, accounts } = ended;
    let organization = opened.organization.id;
    let mut conversation = conversation::get(tx, organization, opened.conversation.id)?;
    let taken_over = is_taken_over(&conversation) && ending.reply().is_some();
    let stored = if taken_over { Ending::Silence { reason: "a person took over".to_owned() } } else { ending.clone() };
    turn::close(
        tx,
        organization,
        &Closing {
            id: opened.turn,
            outcome: stored.outcome(),
            reason: reason(&stored).as_deref(),
            machine: &saved.machine,
            prompt_hash: &state.prompt_hash,
            transcript: &saved.transcript,
            spent: spent(state),
        },
        now,
    )?;
    if let Some(reply) = ending.reply() {
        let author = if taken_over { Author::Draft } else { Author::Agent };
        let text = reply.as_str();
        let new = NewMessage { conversation: conversation.id, turn: Some(opened.turn), author, text, subject: None };
        message::insert(tx, organization, &new, now)?;
    }
    conversation.breaker = Some(to_json(&state.breaker));
    conversation.memory = (!state.memory.is_empty()).then(|| to_json(&state.memory));
    // The customer cannot answer a question that never left.
    conversation.pending_confirmation =
        if taken_over { None } else { state.pending_confirmation.as_ref().map(to_json) };
    conversation.last_message_at = now;
    for effect in &state.effects {
        if let GuardEffect::HotLead { why } = effect {
            let is_handed_over = matches!(stored, Ending::Handoff { .. });
            let (organization, contact) = (&opened.organization, &opened.contact);
            let lead = HotLead { organization, conversation: conversation.id, contact, why, is_handed_over };
            hot_leads::enqueue(tx, accounts, &lead, now)?;
        } else {
            apply_guard_effect(tx, organization, opened.contact.id, &mut conversation, effect, now)?;
        }
    }
    if let Ending::Handoff { reason, note, .. } = &stored {
        hand_over(
            tx,
            accounts,
            opened,
            state,
            &mut conversation,
            &HandoffText { reason: &reason.for_staff(), note },
            now,
        )?;
    } else if stored.reply().is_some() && is_matter_ended(state) && conversation.pending_confirmation.is_none() {
        archive(tx, organization, &mut conversation, now)?;
    }
    conversation::update(tx, organization, &conversation)?;
    Ok(stored)
}

/// What staff read about a handoff.
struct HandoffText<'a> {
    reason: &'a str,
    note: &'a str,
}

/// Stores all parts of a handoff: state, assignment, note, record and alerts to staff. Cancels the planned follow-ups.
fn hand_over(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    opened: &Opened,
    state: &TurnState,
    conversation: &mut Conversation,
    text: &HandoffText<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let organization = opened.organization.id;
    if let Some(next) = conversation.state.after(ConversationEvent::HandOff) {
        conversation.state = next;
    }
    let assigned = conversation::least_loaded(tx, organization)?.map(|(id, _)| id);
    conversation.assigned_staff = assigned;
    let note = note::insert(tx, organization, opened.contact.id, "agent", text.note, now)?;
    let locale = state.principal.locale;
    let mut summary = summaries::compose(conversation.summary.as_deref(), &state.inbound, &state.memory, locale);
    let in_question = opened.answered_notification.as_ref().and_then(|context| context.about.as_ref());
    if let Some(about) = in_question.or(opened.sole_appointment.as_ref()) {
        let line = fill(&notices(locale).summary_appointment, "appointment", &about.line);
        summary = format!("{line}\n{summary}");
    }
    let new = NewHandoff {
        conversation: conversation.id,
        turn: Some(opened.turn),
        reason: text.reason,
        summary: Some(&summary),
        note: Some(note),
        assigned_staff: assigned,
    };
    handoff::insert(tx, organization, &new, now)?;
    follow_up::drop_open(tx, organization, opened.contact.id)?;
    event::push(
        tx,
        organization,
        "handoff",
        &conversation.id.to_string(),
        &serde_json::json!({"reason": text.reason}).to_string(),
        now,
    )?;
    let handed = Handoff {
        organization: &opened.organization,
        conversation: conversation.id,
        turn: opened.turn,
        contact: &opened.contact,
        assigned,
        reason: text.reason,
        summary: &summary,
    };
    handoff_alerts::enqueue(tx, accounts, &handed, now)
}

/// Whether a tool of the turn ended the matter.
fn is_matter_ended(state: &TurnState) -> bool {
    let mut receipts = state.calls.iter().flat_map(|call| &call.result.receipts);
    receipts.any(|receipt| receipt.kind == ReceiptKind::Ended)
}

/// Archives a settled conversation: the next message of the contact starts a new context, and no follow-up goes out.
fn archive(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &mut Conversation,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(next) = conversation.state.after(ConversationEvent::Close) else { return Ok(()) };
    conversation.state = next;
    follow_up::drop_open(tx, organization, conversation.contact)?;
    event::push(tx, organization, "conversation_closed", &conversation.id.to_string(), "{}", now)?;
    Ok(())
}

/// Applies an effect of a guardrail to contact and conversation.
fn apply_guard_effect(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    conversation: &mut Conversation,
    effect: &GuardEffect,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    match effect {
        GuardEffect::Tag { name } => {
            let known = tag::list(tx, organization)?.into_iter().find(|tag| tag.name == *name);
            let id = match known {
                Some(tag) => tag.id,
                None => tag::insert(tx, organization, name)?,
            };
            tag::attach(tx, organization, contact, id)?;
        }
        GuardEffect::Note { text } => {
            note::insert(tx, organization, contact, "agent", text, now)?;
        }
        GuardEffect::OptOut => {
            conversation.opted_out_at = Some(now);
            follow_up::drop_open(tx, organization, contact)?;
        }
        GuardEffect::OptIn => conversation.opted_out_at = None,
        // `hot_leads::enqueue` tells staff, because the message needs data of the contact.
        GuardEffect::HotLead { .. } => {}
    }
    Ok(())
}

fn reason(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Reply { .. } => None,
        Ending::Handoff { reason, .. } => Some(reason.for_staff()),
        Ending::Silence { reason } => Some(reason.clone()),
    }
}

/// Serialises one of our own types. Their maps have string keys, so this cannot fail; an empty record would show a failure.
fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
