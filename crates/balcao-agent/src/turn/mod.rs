//! One turn as a state machine without I/O. [`Turn::next_step`] names the next step; [`Turn::on_model`] and [`Turn::on_tools`] take its
//! result.
//!
//! This module uses no clock, no randomness and no `await`. The driver awaits, and saves [`Turn::state`] after each step, so that after a
//! crash the turn resumes from the last saved state.
//!
//! Invariants: every call gets exactly one result; a turn has at most five rounds of tool calls; every path ends in one [`Ending`]; the
//! contact reads only a [`Reply`].

mod consent;
mod finish;
mod grounding;
mod intent;
mod plan;
mod request;
mod results;
mod selection;
mod service_message;
mod setup;
pub mod state;
mod step;
mod structured;
mod told_prices;

use balcao_language::Agreement;
use balcao_llm::{Message, ModelRequest};
use balcao_tool::{Principal, canonical};
use jiff::Zoned;

pub use selection::{SelectedTool, SelectionReason, ToolSelection};
pub use setup::{ContactCard, TurnSetup};
pub use state::{Ending, PendingConfirmation, Phase, QueuedCall, RequestKind, TurnState};

use crate::record::Spent;
use crate::{
    breaker::Breaker,
    guardrails::{self, GuardInput, Guarded},
    handoff::HandoffReason,
    limits,
    memory::WorkingMemory,
    reply_checks::sanitise::Reply,
    turn::state::{RetriesUsed, STATE_VERSION},
};

/// What the driver must do next. Exhaustive on purpose: a new variant has to break every driver.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// Ask the model; give the answer to [`Turn::on_model`].
    CallModel(Box<ModelRequest>),
    /// Run these calls, side by side; give one result each, in order, to [`Turn::on_tools`].
    CallTools(Vec<QueuedCall>),
    /// The turn is over.
    Finish(Ending),
}

/// What a turn starts from, beside its setup.
#[derive(Debug, Clone)]
pub struct TurnInput {
    /// For whom.
    pub principal: Principal,
    /// The organization's local time.
    pub now: Zoned,
    /// What the customer wrote; several messages are joined by line breaks.
    pub inbound: String,
    /// The messages of services, if the turn answers these and not the customer; `inbound` is not read then.
    pub service_messages: Vec<String>,
    /// The conversation's breaker, as saved.
    pub breaker: Breaker,
    /// The conversation's working memory, as saved.
    pub memory: WorkingMemory,
    /// A call that waits for the customer's word.
    pub pending_confirmation: Option<PendingConfirmation>,
    /// The contracts that it shows from its beginning beside those that are always in view.
    pub selection: ToolSelection,
    /// What the guardrails look at.
    pub guard: GuardInput,
}

/// A turn: its rules and its state.
#[derive(Debug, Clone)]
pub struct Turn {
    setup: TurnSetup,
    state: TurnState,
}

impl Turn {
    /// Begins a turn: guardrails first, then a held call that the customer now agrees to, then the model.
    #[must_use]
    pub fn begin(setup: TurnSetup, opening: TurnInput) -> Self {
        let now = opening.now.timestamp();
        let mut breaker = opening.breaker;
        breaker.wake(&setup.profile.breaker, now);
        let mut memory = opening.memory;
        memory.expire(now);
        let is_service = !opening.service_messages.is_empty();
        let (inbound, transcript) = if is_service {
            (String::new(), service_message::transcript(&opening.service_messages, &opening.principal))
        } else {
            let inbound = cut_inbound(&opening.inbound);
            (inbound.clone(), vec![Message::User { text: inbound }])
        };
        let state = TurnState {
            version: STATE_VERSION,
            principal: opening.principal,
            now: opening.now,
            prompt_hash: canonical::hash_text(&setup.system),
            phase: Phase::AwaitingModel { want: RequestKind::Step },
            transcript,
            inbound,
            is_service,
            steps: Vec::new(),
            calls: Vec::new(),
            rounds: 0,
            idle_rounds: 0,
            seen: std::collections::BTreeSet::new(),
            corrections: 0,
            breaker,
            spent: Spent::default(),
            output_budget: setup.profile.model.max_output_tokens,
            retried: RetriesUsed::default(),
            pending_confirmation: None,
            selection: opening.selection,
            declined: None,
            memory,
            results: std::collections::BTreeMap::new(),
            interim: Vec::new(),
            guards: Vec::new(),
            effects: Vec::new(),
            cleanings: Vec::new(),
        };
        let mut turn = Self { setup, state };
        turn.guard(&opening.guard);
        if is_service {
            // The question stays open: only the customer answers it.
            turn.state.pending_confirmation = opening.pending_confirmation.filter(|held| held.expires_at > now);
        } else if let Some(held) = opening.pending_confirmation
            && !turn.is_over()
        {
            turn.resume_pending(held);
        }
        turn
    }

    /// Takes a saved turn up again.
    ///
    /// # Errors
    /// If the state was saved by a newer program.
    pub fn resume(setup: TurnSetup, state: TurnState) -> Result<Self, String> {
        if state.version > STATE_VERSION {
            return Err(format!(
                "the turn was saved in version {}, and this program reads up to {STATE_VERSION}",
                state.version
            ));
        }
        let mut turn = Self { setup, state };
        turn.recover();
        Ok(turn)
    }

    /// What to do next. Asking twice without answering gives the same.
    #[must_use]
    pub fn next_step(&self) -> NextStep {
        match &self.state.phase {
            Phase::AwaitingModel { want } => NextStep::CallModel(Box::new(self.request(want))),
            Phase::RunningTools { queue, .. } => NextStep::CallTools(next_batch(queue)),
            Phase::Done { ending } => NextStep::Finish(ending.clone()),
        }
    }

    /// The whole turn took too long: whatever was going on has been stopped.
    pub fn on_deadline(&mut self) {
        if !self.is_over() {
            self.recover();
            self.settle_open_calls("stopped: the turn took too long");
            let unknown = self.state.calls.iter().find(|call| call.result.uncertain).map(|call| call.tool.clone());
            self.hand_off(unknown.map_or(HandoffReason::Deadline, HandoffReason::Uncertain));
        }
    }

    /// The turn cannot go on, for a reason outside of it: a person takes over.
    pub fn hand_over_failed(&mut self, why: &str) {
        if !self.is_over() {
            self.settle_open_calls("not run: the turn was given up");
            self.hand_off(HandoffReason::ModelFailure(why.to_owned()));
        }
    }

    /// The turn must not go on, and says nothing: somebody else has the conversation.
    pub fn end_in_silence(&mut self, why: &str) -> Ending {
        let ending = Ending::Silence { reason: why.to_owned() };
        if !self.is_over() {
            self.settle_open_calls("not run: a person has the conversation");
            self.state.phase = Phase::Done { ending: ending.clone() };
        }
        ending
    }

    /// The saved part, when the turn is over.
    #[must_use]
    pub fn into_state(self) -> TurnState {
        self.state
    }

    /// The saved part.
    #[must_use]
    pub const fn state(&self) -> &TurnState {
        &self.state
    }

    /// The rules and data that it runs under.
    #[must_use]
    pub const fn setup(&self) -> &TurnSetup {
        &self.setup
    }

    /// Whether it is over.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.state.phase, Phase::Done { .. })
    }

    fn guard(&mut self, input: &GuardInput) {
        let (verdict, records, effects) = guardrails::run(&self.setup.profile, &self.state.inbound, input);
        self.state.guards = records;
        self.state.effects = effects;
        match verdict {
            Guarded::Pass => {}
            Guarded::Silence(reason) => self.end(Ending::Silence { reason }),
            Guarded::Reply(text) => {
                self.state.transcript.push(Message::Assistant { text: text.clone(), tool_calls: Vec::new() });
                self.end(Ending::Reply { reply: Reply::written(&text) });
            }
            Guarded::Handoff { reason, reply } => self.hand_off_saying(reason, reply.as_deref()),
        }
    }

    /// A call was held for the customer's word: does this message give it?
    fn resume_pending(&mut self, held: PendingConfirmation) {
        let contract = self.setup.toolbox.get(&held.tool).map(|tool| tool.contract_hash.as_str());
        let lapsed = held.expires_at <= self.state.now.timestamp() || contract != Some(held.contract_hash.as_str());
        if lapsed || self.state.breaker.is_withdrawn(&held.tool) {
            return;
        }
        let act = self.setup.toolbox.get(&held.tool).and_then(|tool| tool.spec.act);
        let answer = consent::answer(&self.state.inbound, act, &held, self.state.now.date());
        // A yes that was written before the question answers something else.
        let is_too_early = answer == Agreement::Yes && self.setup.is_overtaken;
        let answer = if is_too_early { Agreement::Unclear } else { answer };
        match answer {
            Agreement::Yes => self.run_held(held),
            // What is no clear answer is asked once more, by us and not by a model.
            Agreement::Unclear if !held.asked_again => {
                self.state.pending_confirmation = Some(PendingConfirmation { asked_again: true, ..held })
            }
            // What agrees and declines at once is dropped, too: whoever goes on about it is asked again.
            Agreement::No | Agreement::Contested | Agreement::Unclear => self.state.declined = Some(held.question),
        }
    }

    fn end(&mut self, ending: Ending) {
        self.state.phase = Phase::Done { ending };
    }
}

/// The calls that may run now: all leading reads side by side, or one other call alone.
fn next_batch(queue: &[QueuedCall]) -> Vec<QueuedCall> {
    let reads = queue.iter().take_while(|call| call.planned.parallel).count();
    queue.iter().take(reads.max(1)).cloned().collect()
}

fn cut_inbound(text: &str) -> String {
    if text.trim().is_empty() {
        return "[…]".to_owned(); // no vendor takes an empty message
    }
    if text.chars().count() <= limits::MAX_INBOUND_CHARS {
        return text.to_owned();
    }
    format!("{} […]", text.chars().take(limits::MAX_INBOUND_CHARS).collect::<String>())
}
