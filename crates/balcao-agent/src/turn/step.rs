//! What a model's answer leads to.

use balcao_llm::{FinishReason, Message, ModelError, ModelResponse, Purpose, ToolCallRequest};
use balcao_tool::limits::MAX_ARGUMENT_BYTES;

use crate::record::StepRecord;
use crate::{
    handoff::HandoffReason,
    profile::Protocol,
    reply_checks::claims::{self, ClaimVerdict},
    reply_checks::sanitise::Verdict,
    turn::{Phase, RequestKind, Turn, structured},
};

impl Turn {
    /// Takes the model's answer, or the failure of all providers. Ignored if no answer was asked for.
    pub fn on_model(&mut self, answer: Result<ModelResponse, ModelError>) {
        let phase = self.state.phase.clone();
        self.state.spent.model_calls = self.state.spent.model_calls.saturating_add(1);
        let response = match answer {
            Ok(response) => response,
            Err(error) => {
                self.state.spent.usage.add(error.usage);
                return self.on_model_failure(&phase, &error);
            }
        };
        self.state.spent.usage.add(response.usage);
        self.record_step(&phase, &response);
        match phase {
            Phase::AwaitingModel { want } => self.on_answer(&want, response),
            Phase::RunningTools { .. } | Phase::Done { .. } => {}
        }
        self.check_budgets();
    }

    fn on_model_failure(&mut self, phase: &Phase, error: &ModelError) {
        self.state.steps.push(StepRecord {
            took_ms: 0,
            purpose: word(&purpose_of(phase)),
            model: error.to_string(),
            finish: "failed".to_owned(),
            usage: error.usage,
            calls: 0,
            text: String::new(),
            mended: Vec::new(),
        });
        match phase {
            Phase::AwaitingModel { .. } => self.hand_off(HandoffReason::ModelFailure(error.to_string())),
            Phase::RunningTools { .. } | Phase::Done { .. } => {}
        }
    }

    fn on_answer(&mut self, want: &RequestKind, response: ModelResponse) {
        if response.finish == FinishReason::Length {
            return self.on_cut_answer(want, &response);
        }
        let (text, calls) = match self.setup.profile.protocol {
            Protocol::Native => (response.text, response.tool_calls),
            Protocol::Structured => match structured::read(&response, self.state.steps.len()) {
                Ok(read) => read,
                Err(reason) => return self.on_unreadable_object(&reason),
            },
        };
        if response.finish == FinishReason::Refusal {
            return self.on_nothing(&text);
        }
        match want {
            RequestKind::Step | RequestKind::LookUp(_) if !calls.is_empty() => self.on_calls(&text, calls),
            RequestKind::Step | RequestKind::LookUp(_) | RequestKind::Final | RequestKind::Correction(_)
                if text.trim().is_empty() =>
            {
                self.on_nothing(&text);
            }
            RequestKind::Step | RequestKind::LookUp(_) | RequestKind::Final | RequestKind::Correction(_) => {
                self.on_text(&text)
            }
        }
    }

    /// Calls of a cut answer never run. One retry with a larger output budget; then what was whole of the text, or a person.
    fn on_cut_answer(&mut self, want: &RequestKind, response: &ModelResponse) {
        if !self.state.retried.length {
            self.state.retried.length = true;
            self.state.output_budget = self.state.output_budget.saturating_mul(2);
            self.state.phase = Phase::AwaitingModel { want: want.clone() };
            return;
        }
        let whole = match self.setup.profile.protocol {
            Protocol::Native if response.tool_calls.is_empty() => whole_sentences(&response.text),
            Protocol::Native | Protocol::Structured => None,
        };
        match whole {
            Some(text) => self.on_text(&text),
            None => self.hand_off(HandoffReason::ModelFailure("the answer was cut off twice".to_owned())),
        }
    }

    fn on_unreadable_object(&mut self, reason: &str) {
        if self.state.retried.format {
            self.hand_off(HandoffReason::ModelFailure(format!("no readable object twice: {reason}")));
        } else {
            self.state.retried.format = true;
            let again = self.again();
            self.state.phase = Phase::AwaitingModel { want: again };
        }
    }

    /// Nothing at all, or a refusal: one more try, then a person.
    fn on_nothing(&mut self, text: &str) {
        if self.state.retried.empty {
            let out_of_rounds = matches!(self.state.phase, Phase::AwaitingModel { want: RequestKind::Final });
            let what = if text.trim().is_empty() { "no answer twice" } else { "the model refused twice" };
            self.hand_off(if out_of_rounds {
                HandoffReason::Rounds
            } else {
                HandoffReason::ModelFailure(what.to_owned())
            });
        } else {
            self.state.retried.empty = true;
            let again = self.again();
            self.state.phase = Phase::AwaitingModel { want: again };
        }
    }

    /// What is asked for again after an answer that could not be used.
    fn again(&self) -> RequestKind {
        match &self.state.phase {
            Phase::AwaitingModel { want } => want.clone(),
            Phase::RunningTools { .. } | Phase::Done { .. } => RequestKind::Step,
        }
    }

    fn on_calls(&mut self, text: &str, mut calls: Vec<ToolCallRequest>) {
        if self.setup.profile.reply.interim_text
            && let Verdict::Send(clean) = self.clean(text)
            && claims::check(&clean, &self.evidence()) == ClaimVerdict::Proven
        {
            self.state.interim.push(clean);
        }
        let step = self.state.rounds.saturating_add(1);
        for (index, call) in calls.iter_mut().enumerate() {
            // Ids are ours: models repeat and omit them, and the transcript must not.
            call.id = format!("t{}_{step}_{index}", self.state.principal.turn);
        }
        let told = calls.iter().map(as_recorded).collect();
        self.state.transcript.push(Message::Assistant { text: text.to_owned(), tool_calls: told });
        self.state.rounds = step;
        self.plan(&calls);
    }

    /// Notes how long the model call that has just come back took, in milliseconds.
    pub fn note_model_time(&mut self, millis: u64) {
        if let Some(step) = self.state.steps.last_mut() {
            step.took_ms = millis;
        }
    }

    fn record_step(&mut self, phase: &Phase, response: &ModelResponse) {
        self.state.steps.push(StepRecord {
            took_ms: 0,
            purpose: word(&purpose_of(phase)),
            model: response.model.clone(),
            finish: word(&response.finish),
            usage: response.usage,
            calls: u32::try_from(response.tool_calls.len()).unwrap_or(u32::MAX),
            text: response.text.chars().take(4_000).collect(),
            mended: response.mended.clone(),
        });
    }

    /// Ends the turn if it has used up a budget and would have to ask the model again.
    pub(super) fn check_budgets(&mut self) {
        if self.is_over() {
            return;
        }
        let (limits, spent) = (&self.setup.profile.limits, &self.state.spent);
        let tokens = spent.usage.input_tokens.saturating_add(spent.usage.output_tokens);
        let over = if spent.model_calls >= limits.model_calls {
            Some("turn.model_calls")
        } else if spent.tool_calls >= limits.tool_calls {
            Some("turn.tool_calls")
        } else if tokens >= limits.tokens {
            Some("turn.tokens")
        } else if limits.cost_micro_usd.is_some_and(|most| spent.usage.cost_micro_usd.unwrap_or(0) >= most) {
            Some("turn.cost")
        } else {
            None
        };
        // A step that only needs its calls answered may still act: the budget stops the next model call, not the effect.
        if let (Some(name), Phase::AwaitingModel { .. }) = (over, &self.state.phase) {
            self.hand_off(HandoffReason::Budget(name.to_owned()));
        }
    }
}

/// What a model call in this phase is for.
const fn purpose_of(phase: &Phase) -> Purpose {
    match phase {
        Phase::AwaitingModel { want: RequestKind::Correction(_) | RequestKind::LookUp(_) } => Purpose::Correction,
        Phase::AwaitingModel { .. } | Phase::RunningTools { .. } | Phase::Done { .. } => Purpose::Step,
    }
}

/// The text up to its last whole sentence, if there is one.
fn whole_sentences(text: &str) -> Option<String> {
    let end = text.rfind(['.', '!', '?'])?;
    text.get(..=end).map(str::trim).filter(|whole| whole.len() > 1).map(str::to_owned)
}

/// A call as the transcript keeps it: with a name that every vendor takes back, and without arguments that nobody reads.
fn as_recorded(call: &ToolCallRequest) -> ToolCallRequest {
    let arguments = if call.arguments.len() > MAX_ARGUMENT_BYTES { "{}".to_owned() } else { call.arguments.clone() };
    ToolCallRequest { name: recorded_name(&call.name).to_owned(), arguments, ..call.clone() }
}

/// The name itself if it could be a tool's (snake_case, at most 64 characters), else a stand-in.
pub(super) fn recorded_name(name: &str) -> &str {
    let sound = (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if sound { name } else { "unknown_tool" }
}

/// The snake_case word of a unit variant.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
