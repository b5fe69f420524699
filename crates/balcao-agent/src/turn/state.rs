//! The saved part of a turn: everything that a crash must not lose.

use std::collections::{BTreeMap, BTreeSet};

use balcao_llm::Message;
use balcao_tool::{PlannedCall, Principal, RunMode};
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::CallRecord;
use crate::record::CleaningRecord;
use crate::record::GuardRecord;
use crate::record::Spent;
use crate::record::StepRecord;
use crate::{
    breaker::Breaker, guardrails::GuardEffect, handoff::HandoffReason, limits, memory::WorkingMemory,
    reply_checks::sanitise::Reply, turn::ToolSelection,
};

/// The version of [`TurnState`]'s JSON. A program refuses to resume a newer one.
pub const STATE_VERSION: u32 = 1;

/// A turn between two steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnState {
    /// See [`STATE_VERSION`].
    pub version: u32,
    /// For whom the turn runs.
    pub principal: Principal,
    /// The organization's local time when it began. All rules of the turn read this clock.
    pub now: Zoned,
    /// Hash of the prompt that it was answered from.
    #[serde(default)]
    pub prompt_hash: String,
    /// What the customer wrote.
    pub inbound: String,
    /// Whether it answers a service's message. The customer wrote nothing then, and `inbound` is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_service: bool,
    /// What happens next.
    pub phase: Phase,
    /// This turn's part of the transcript, in neutral form.
    pub transcript: Vec<Message>,
    /// Model calls.
    pub steps: Vec<StepRecord>,
    /// Tool calls.
    pub calls: Vec<CallRecord>,
    /// Rounds of tool calls so far.
    pub rounds: u32,
    /// Rounds in a row that brought nothing new.
    pub idle_rounds: u32,
    /// Hashes of results that were already seen.
    pub seen: BTreeSet<String>,
    /// Corrections of the model's mistakes so far.
    pub corrections: u32,
    /// The conversation's breaker.
    pub breaker: Breaker,
    /// What was used up.
    pub spent: Spent,
    /// Output tokens of the next call.
    pub output_budget: u32,
    /// Second chances that were taken.
    pub retried: RetriesUsed,
    /// A call that waits for the customer's word.
    #[serde(rename = "held")]
    pub pending_confirmation: Option<PendingConfirmation>,
    /// The contracts that the turn shows from its beginning beside those that are always in view.
    #[serde(default, skip_serializing_if = "ToolSelection::is_empty")]
    pub selection: ToolSelection,
    /// A question that was asked before and not agreed to.
    pub declined: Option<String>,
    /// What is under discussion.
    pub memory: WorkingMemory,
    /// Large results by handle.
    pub results: BTreeMap<String, Value>,
    /// Text written beside tool calls, cleaned, if the profile sends it.
    pub interim: Vec<String>,
    /// Guardrail decisions.
    pub guards: Vec<GuardRecord>,
    /// Side effects that guardrails ask for, to be stored when the turn closes.
    pub effects: Vec<GuardEffect>,
    /// What sanitising removed.
    pub cleanings: Vec<CleaningRecord>,
}

/// What happens next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The turn waits for the response of the model.
    #[serde(rename = "thinking")]
    AwaitingModel {
        /// For what.
        want: RequestKind,
    },
    /// Calls of one step wait to be run, in order.
    #[serde(rename = "acting")]
    RunningTools {
        /// The calls that have no result yet.
        queue: Vec<QueuedCall>,
        /// Results of this step so far, by position.
        done: Vec<CallRecord>,
    },
    /// The turn is over. Nothing goes on from here, so a record of it is never read back.
    #[serde(skip_deserializing)]
    Done {
        /// How.
        ending: Ending,
    },
}

/// What the model is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// The next step.
    Step,
    /// The final text, tools off.
    Final,
    /// Another wording: why the last one could not be sent. Tools off.
    Correction(String),
    /// The next step once more, because the last text had a figure from nowhere. Tools stay on, to look it up.
    LookUp(String),
}

/// A call that passed its checks and waits for its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueuedCall {
    /// Its place within the step.
    pub index: u32,
    /// The id that the transcript knows it by.
    pub call_id: String,
    /// The idempotency key.
    pub key: balcao_tool::EffectKey,
    /// The call.
    pub planned: PlannedCall,
    /// For real, or only to ask.
    pub mode: RunMode,
    /// Whether it may have begun: set and saved before an effect that leaves our own tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intended: bool,
    /// The question that somebody said yes to, if the call was held for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<String>,
    /// When it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Timestamp>,
}

/// A call that somebody has to agree to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingConfirmation {
    /// The tool.
    pub tool: String,
    /// The arguments, as checked.
    pub args: Value,
    /// The contract that they were checked against.
    pub contract_hash: String,
    /// The question that was asked.
    pub question: String,
    /// When it lapses.
    pub expires_at: Timestamp,
    /// Whether the answer to it was unclear, so that it is asked once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_again: bool,
}

impl PendingConfirmation {
    /// When it was asked.
    pub(super) fn asked_at(&self) -> Option<Timestamp> {
        self.expires_at.checked_sub(SignedDuration::try_from(limits::CONFIRMATION_EXPIRY).ok()?).ok()
    }
}

/// Second chances, each given once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "five independent one-way flags")]
pub struct RetriesUsed {
    /// A larger output budget after a cut answer.
    pub length: bool,
    /// Another try after an empty answer or a refusal.
    pub empty: bool,
    /// Another wording after the sanitiser.
    pub leak: bool,
    /// Another wording after the claim check.
    pub claim: bool,
    /// Another object after an unreadable one (structured protocol).
    pub format: bool,
}

/// How a turn ends. There is no other way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Ending {
    /// The customer is answered.
    Reply {
        /// The words.
        reply: Reply,
    },
    /// A person takes over; the customer is told.
    Handoff {
        /// Why.
        reason: HandoffReason,
        /// What the customer is told.
        reply: Reply,
        /// The note to staff.
        note: String,
    },
    /// Nothing is sent: a person has the conversation, or a guardrail says so.
    Silence {
        /// Why.
        reason: String,
    },
}

impl Ending {
    /// The outcome's word.
    #[must_use]
    pub const fn outcome(&self) -> &'static str {
        match self {
            Self::Reply { .. } => "reply",
            Self::Handoff { .. } => "handoff",
            Self::Silence { .. } => "silence",
        }
    }

    /// What the customer is told, if anything.
    #[must_use]
    pub const fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply { reply } | Self::Handoff { reply, .. } => Some(reply),
            Self::Silence { .. } => None,
        }
    }
}
