//! From the calls of one step to their results: each gets exactly one, counted in the model's order.

use std::collections::BTreeSet;

use balcao_llm::{Message, ToolCallRequest};
use balcao_tool::{
    Act, CallDecision, CallResult, CommandSpec, Confirm, Effect, EffectClass, EffectKey, ErrorCode, FieldProblem,
    Locale, PlannedCall, Receipt, ReceiptKind, ResultClass, RunMode, ToolError, canonical, limits::MAX_CALLS_PER_STEP,
    registry::error_result, validate_call,
};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::record::CallRecord;
use crate::{
    breaker::Verdict,
    handoff::HandoffReason,
    limits, prompt,
    turn::{
        PendingConfirmation, Phase, QueuedCall, RequestKind, Turn,
        consent::{self, Consent},
        grounding::{self, DialogueHistory, Utterance},
        next_batch, results,
        step::recorded_name,
    },
};

impl Turn {
    /// Judges the calls of a step: some are answered at once, the rest wait to be run.
    pub(super) fn plan(&mut self, calls: &[ToolCallRequest]) {
        let (mut queue, mut done) = (Vec::new(), Vec::new());
        for (index, call) in (0u32..).zip(calls) {
            match self.judge_call(index, call, &queue) {
                Planned::Run(queued) => queue.push(*queued),
                Planned::Answered(record) => done.push(*record),
            }
        }
        self.state.phase = Phase::RunningTools { queue, done };
        self.settle();
    }

    /// The customer agreed: the held call runs before the model is asked anything.
    pub(super) fn run_held(&mut self, held: PendingConfirmation) {
        let (args_hash, asked_at) = (canonical::hash(&held.args), held.asked_at());
        let call_id = format!("t{}_0_0", self.state.principal.turn);
        let request = ToolCallRequest {
            id: call_id.clone(),
            name: held.tool.clone(),
            arguments: held.args.to_string(),
            vendor: None,
        };
        self.state.transcript.push(Message::Assistant { text: String::new(), tool_calls: vec![request] });
        let queued = QueuedCall {
            index: 0,
            call_id,
            key: EffectKey::derive(self.state.principal.turn, 0, 0, &held.tool, &args_hash),
            planned: PlannedCall {
                tool: held.tool,
                args: held.args,
                args_hash,
                contract_hash: held.contract_hash,
                confirm: Confirm::None,
                parallel: false,
                repairs: Vec::new(),
            },
            mode: RunMode::Execute,
            intended: false,
            agreed: Some(held.question),
            asked_at,
        };
        self.state.phase = Phase::RunningTools { queue: vec![queued], done: Vec::new() };
    }

    /// Takes the results of the calls that [`Turn::next_step`] named last, in that order. A missing one counts as a fault.
    pub fn on_tools(&mut self, results: Vec<CallResult>) {
        let Phase::RunningTools { queue, .. } = &mut self.state.phase else { return };
        let batch = next_batch(queue);
        queue.drain(..batch.len());
        let mut results = results.into_iter();
        let mut finished = Vec::with_capacity(batch.len());
        for queued in batch {
            let result = results.next().unwrap_or_else(|| {
                let error = ToolError::new(ErrorCode::Internal, "the tool gave no result");
                error_result(&error, None, self.state.principal.locale)
            });
            finished.push((queued, result));
        }
        for (queued, result) in finished {
            self.take_result(queued, result);
        }
        self.settle();
        self.check_budgets();
    }

    /// Notes how long the calls of the batch that has just come back took, in milliseconds.
    pub fn note_call_times(&mut self, took: &[(String, u64)]) {
        let waiting = match &mut self.state.phase {
            Phase::RunningTools { done, .. } => done.iter_mut(),
            Phase::AwaitingModel { .. } | Phase::Done { .. } => [].iter_mut(),
        };
        for record in waiting.chain(&mut self.state.calls) {
            if let Some((_, millis)) = took.iter().find(|(call, _)| *call == record.call_id) {
                record.took_ms = *millis;
            }
        }
    }

    /// Ends a step early: whatever has not run gets a result that says so.
    pub(super) fn settle_open_calls(&mut self, why: &'static str) {
        let step = self.step();
        let open = match &mut self.state.phase {
            Phase::RunningTools { queue, .. } => std::mem::take(queue),
            Phase::AwaitingModel { .. } | Phase::Done { .. } => Vec::new(),
        };
        for queued in open {
            let (result, ran) = (self.cut_short(&queued, why), queued.mode == RunMode::Recover);
            if let Phase::RunningTools { done, .. } = &mut self.state.phase {
                done.push(record(step, queued, result, ran));
            }
        }
        self.close_step();
    }

    fn judge_call(&self, index: u32, call: &ToolCallRequest, queue: &[QueuedCall]) -> Planned {
        let locale = self.state.principal.locale;
        let step = self.step();
        let answer = |args: Value, args_hash: &str, result: CallResult, repeated: bool| {
            Planned::Answered(Box::new(CallRecord {
                took_ms: 0,
                step,
                index,
                call_id: call.id.clone(),
                tool: recorded_name(&call.name).to_owned(),
                args,
                args_hash: args_hash.to_owned(),
                key: None,
                repeated,
                repairs: Vec::new(),
                result,
            }))
        };
        let refuse = |error: ToolError| answer(raw(call), "", error_result(&error, None, locale), false);
        if call.name == results::NAME && !self.state.results.is_empty() {
            let result = results::read(&self.state.results, &call.arguments, locale);
            return answer(raw(call), &canonical::hash_text(&call.arguments), result, false);
        }
        if self.state.breaker.is_withdrawn(&call.name) {
            return refuse(ToolError::new(
                ErrorCode::Blocked,
                "this tool failed repeatedly and is withdrawn for this conversation",
            ));
        }
        let planned = match validate_call::validate_call(&self.setup.toolbox, &call.name, &call.arguments, locale) {
            CallDecision::Run(planned) => planned,
            CallDecision::Answer(result) => return answer(raw(call), "", result, false),
        };
        let called = self.setup.toolbox.get(&planned.tool).map_or_else(Vec::new, |tool| tool.calls(&planned.args));
        if let Some(withdrawn) = called.iter().find(|name| self.state.breaker.is_withdrawn(name)) {
            let what = format!("`{withdrawn}` failed repeatedly and is withdrawn for this conversation; do without it");
            return refuse(ToolError::new(ErrorCode::Blocked, balcao_tool::ModelText::new(what)));
        }
        let problems = self.ungrounded_arguments(&planned);
        if !problems.is_empty() {
            let result = self.report_ungrounded(&planned, problems);
            return answer(planned.args, "", result, false);
        }
        if let Some(earlier) = self.earlier(&planned) {
            return answer(planned.args, &planned.args_hash, earlier.result.clone(), true);
        }
        if queue.iter().any(|other| other.planned.tool == planned.tool && other.planned.args_hash == planned.args_hash)
        {
            // The equal call stands before this one: when this one is counted, its result is there (see `settle`).
            return answer(planned.args, &planned.args_hash, waiting(), true);
        }
        let running = self.state.spent.tool_calls.saturating_add(u32::try_from(queue.len()).unwrap_or(u32::MAX));
        if queue.len() >= MAX_CALLS_PER_STEP || running >= self.setup.profile.limits.tool_calls {
            return refuse(ToolError::new(ErrorCode::Conflict, "too many calls; answer with what you know"));
        }
        let mode = match self.consented(&planned) {
            Ok(mode) => mode,
            Err(unwanted) => return answer(planned.args, "", refusal(unwanted, locale), false),
        };
        let key = self.key_of_failed(&planned).unwrap_or_else(|| {
            EffectKey::derive(self.state.principal.turn, step, index, &planned.tool, &planned.args_hash)
        });
        Planned::Run(Box::new(QueuedCall {
            index,
            call_id: call.id.clone(),
            key,
            planned,
            mode,
            intended: false,
            agreed: None,
            asked_at: None,
        }))
    }

    /// The key of an equal call that failed: what failed on the way back to us had happened all the same, and under its own
    /// key it cannot happen twice.
    fn key_of_failed(&self, planned: &PlannedCall) -> Option<EffectKey> {
        let equal = |call: &&CallRecord| call.tool == planned.tool && call.args_hash == planned.args_hash;
        let last = self.state.calls.iter().rev().find(equal)?;
        last.key.clone().filter(|_| last.result.class == ResultClass::Fault)
    }

    /// Whether a call runs, or is only asked about, by what the customer has said.
    fn consented(&self, planned: &PlannedCall) -> Result<RunMode, Unwanted> {
        let asked = matches!(planned.confirm, Confirm::Customer | Confirm::Staff);
        let usual = if asked { RunMode::Ask } else { RunMode::Execute };
        let Some(tool) = self.setup.toolbox.get(&planned.tool) else { return Ok(usual) };
        let records = &self.setup.profile.records;
        if tool.spec.act == Some(Act::Note) && !records.notes || tool.spec.act == Some(Act::Record) && !records.contact
        {
            return Err(Unwanted::Kept);
        }
        // Staff speak for themselves, and of what only staff approve the customer is not asked.
        if self.state.principal.staff_facing || planned.confirm == Confirm::Staff {
            return Ok(usual);
        }
        let called = tool.calls(&planned.args);
        let called = called.iter().filter_map(|name| self.setup.toolbox.get(name));
        let specs: Vec<&CommandSpec> = std::iter::once(tool).chain(called).map(|tool| &tool.spec).collect();
        let consent = specs.iter().map(|spec| self.consent(spec, &planned.args, specs.len() > 1)).min();
        match consent.unwrap_or(Consent::Given) {
            Consent::Given => Ok(usual),
            Consent::Open if asked || tool.confirmable() => Ok(RunMode::Ask),
            Consent::Open => Err(Unwanted::Open),
            Consent::Absent => Err(Unwanted::Absent),
        }
    }

    fn consent(&self, spec: &CommandSpec, args: &Value, is_one_of_several: bool) -> Consent {
        if spec.behaviour.effect == Effect::Read {
            return Consent::Given;
        }
        match spec.act {
            Some(act) => consent::deed(act)
                .map_or(Consent::Given, |deed| consent::of(deed, args, spec, &self.talk(), &self.services())),
            // What a tool that calls others does, those say; what else says nothing is asked about, unless the profile says.
            None if is_one_of_several || self.setup.toolbox.settles_confirm(&spec.name) => Consent::Given,
            None => Consent::Open,
        }
    }

    /// Whether a call books in the customer's name what they want for another person. A tool that calls others words its own question.
    fn is_for_unnamed(&self, planned: &PlannedCall) -> bool {
        let Some(tool) = self.setup.toolbox.get(&planned.tool).filter(|tool| tool.calls(&planned.args).is_empty())
        else {
            return false;
        };
        let is_of_customer = !self.state.principal.staff_facing && planned.confirm != Confirm::Staff;
        let deed = tool.spec.act.and_then(consent::deed).filter(|_| is_of_customer);
        deed.is_some_and(|deed| consent::is_for_unnamed(deed, &planned.args, &tool.spec.said, &self.talk()))
    }

    /// The result for a call whose arguments are not in the conversation.
    fn report_ungrounded(&self, planned: &PlannedCall, problems: Vec<FieldProblem>) -> CallResult {
        let locale = self.state.principal.locale;
        let act = self.setup.toolbox.get(&planned.tool).and_then(|tool| tool.spec.act);
        match act {
            // Whether something is kept is the profile's affair, and no mistake of the caller.
            Some(Act::Tag | Act::Stage) => refusal(Unwanted::Kept, locale),
            _ => error_result(&ToolError::invalid(problems), None, locale),
        }
    }

    /// The names of services in this conversation's tool results.
    fn services(&self) -> Vec<String> {
        let told =
            self.setup.history.messages.iter().chain(&self.state.transcript).filter_map(|message| match message {
                Message::ToolResult { content, .. } => Some(consent::services_in(content)),
                Message::User { .. } | Message::Assistant { .. } => None,
            });
        let all: BTreeSet<String> = told.flatten().collect();
        all.into_iter().collect()
    }

    /// What was said, the newest first.
    pub(super) fn talk(&self) -> DialogueHistory<'_> {
        // A message that we sent unasked (a free place, say) lies between two turns, so no transcript holds it.
        let unasked = self.setup.notification.iter().map(|text| Utterance::Us(text));
        let earlier = unasked.chain(self.setup.history.messages.iter().rev().flat_map(Utterance::in_message));
        // What was written before our last message neither answers it nor goes on with what was said since.
        let earlier = earlier.filter(|_| !self.setup.is_overtaken);
        let lines = self.state.transcript.iter().rev().flat_map(Utterance::in_message).chain(earlier);
        let unasked = self.setup.notification.as_deref();
        DialogueHistory::new(lines, self.state.now.date(), self.state.principal.locale, unasked)
    }

    /// What is wrong with the arguments that must come from the conversation.
    fn ungrounded_arguments(&self, planned: &PlannedCall) -> Vec<FieldProblem> {
        let Some(tool) = self.setup.toolbox.get(&planned.tool).filter(|tool| !tool.spec.said.is_empty()) else {
            return Vec::new();
        };
        let same = self.state.calls.iter().filter(|call| call.tool == planned.tool);
        let earlier: Vec<&Value> = same.map(|call| &call.args).collect();
        grounding::problems(planned, &tool.spec, &self.talk(), &earlier, &self.setup.profile.records)
    }

    /// An earlier equal call whose answer still stands. A fault may be tried again, unless its effect is unknown for good.
    fn earlier(&self, planned: &PlannedCall) -> Option<&CallRecord> {
        let behaviour = self.setup.toolbox.get(&planned.tool)?.spec.behaviour;
        let may_rerun = behaviour.effect == Effect::Read || behaviour.class != EffectClass::Blind;
        let equal = |call: &&CallRecord| call.tool == planned.tool && call.args_hash == planned.args_hash;
        let (place, last) = self.state.calls.iter().enumerate().rev().find(|(_, call)| equal(call))?;
        // What was read before something changed may not hold any more.
        let changed = |call: &CallRecord| {
            let effect = self.setup.toolbox.get(&call.tool).map(|tool| tool.spec.behaviour.effect);
            call.result.class == ResultClass::Success && effect != Some(Effect::Read)
        };
        if behaviour.effect == Effect::Read && self.state.calls.iter().skip(place).any(changed) {
            return None;
        }
        (last.result.class != ResultClass::Fault || !may_rerun).then_some(last)
    }

    fn take_result(&mut self, queued: QueuedCall, mut result: CallResult) {
        let now = self.state.now.timestamp();
        self.state.spent.tool_calls = self.state.spent.tool_calls.saturating_add(1);
        self.state.memory.learn(&queued.planned.args, &self.state.now);
        if let Some(question) = result.confirm.as_mut().filter(|_| self.is_for_unnamed(&queued.planned)) {
            *question = prompt::in_customers_name(question, self.state.principal.locale);
        }
        if let Some(question) = result.confirm.clone() {
            let expires_at =
                SignedDuration::try_from(limits::CONFIRMATION_EXPIRY).ok().and_then(|wait| now.checked_add(wait).ok());
            if self.state.pending_confirmation.as_ref().is_some_and(|held| !held.asked_again) {
                let error = ToolError::new(
                    ErrorCode::Conflict,
                    "another action already waits for the customer's word; one at a time",
                );
                result = error_result(&error, None, self.state.principal.locale);
            } else {
                self.state.pending_confirmation = Some(PendingConfirmation {
                    tool: queued.planned.tool.clone(),
                    args: queued.planned.args.clone(),
                    contract_hash: queued.planned.contract_hash.clone(),
                    question,
                    expires_at: expires_at.unwrap_or(now),
                    asked_again: false,
                });
            }
        }
        let record = record(self.step(), queued, result, true);
        if let Phase::RunningTools { done, .. } = &mut self.state.phase {
            done.push(record);
        }
    }

    /// Counts what can be counted, in the model's order, and moves on when the step is complete.
    fn settle(&mut self) {
        let Phase::RunningTools { queue, done } = &mut self.state.phase else { return };
        done.sort_by_key(|record| record.index);
        let waiting = queue.first().map_or(u32::MAX, |call| call.index);
        let complete = queue.is_empty();
        let ready: Vec<CallRecord> = done.iter().take_while(|record| record.index < waiting).cloned().collect();
        let step = self.step();
        let counted =
            u32::try_from(self.state.calls.iter().filter(|call| call.step == step).count()).unwrap_or(u32::MAX);
        for mut record in ready.into_iter().filter(|record| record.index >= counted) {
            self.fill_repeated(&mut record);
            let trouble = self.count(&record);
            self.state.calls.push(record);
            if let Some(reason) = trouble {
                self.settle_open_calls("not run: the turn had ended");
                return self.hand_off(reason);
            }
        }
        if complete {
            self.finish_step();
        }
    }

    /// A call that repeats one of its own step has that one's result.
    fn fill_repeated(&self, record: &mut CallRecord) {
        let equal = |call: &&CallRecord| call.tool == record.tool && call.args_hash == record.args_hash;
        if record.repeated
            && record.result.value.is_null()
            && let Some(first) = self.state.calls.iter().rev().find(equal)
        {
            record.result = first.result.clone();
        }
    }

    fn count(&mut self, record: &CallRecord) -> Option<HandoffReason> {
        // Nothing was executed: neither a new success nor a new fault. A mistake that is repeated is a mistake again.
        // Reading on in a result that we have says nothing of any system.
        if record.tool == results::NAME && record.result.class == ResultClass::Success {
            return None;
        }
        if record.repeated && matches!(record.result.class, ResultClass::Success | ResultClass::Fault) {
            return None;
        }
        if record.result.class == ResultClass::Correction {
            self.state.corrections = self.state.corrections.saturating_add(1);
        }
        if record.result.uncertain {
            return Some(HandoffReason::Uncertain(record.tool.clone()));
        }
        let now = self.state.now.timestamp();
        let verdict = self.state.breaker.record(&self.setup.profile.breaker, &record.tool, &record.result, now);
        if verdict == Verdict::Open {
            Some(HandoffReason::Breaker)
        } else if self.state.corrections > self.setup.profile.limits.corrections {
            Some(HandoffReason::Corrections)
        } else {
            None
        }
    }

    fn finish_step(&mut self) {
        let step = self.step();
        let records: Vec<CallRecord> = self.state.calls.iter().filter(|call| call.step == step).cloned().collect();
        let receipts: Vec<Receipt> = records.iter().flat_map(|record| record.result.receipts.clone()).collect();
        self.state.memory.settle(&receipts);
        let mut news = false;
        for record in records.iter().filter(|record| !record.repeated) {
            news |= self.state.seen.insert(canonical::hash_text(&format!("{}{}", record.tool, record.result.value)));
        }
        self.state.idle_rounds = if news { 0 } else { self.state.idle_rounds.saturating_add(1) };
        self.close_step();
        if let Some(reason) = records.iter().find_map(handed_off) {
            return self.hand_off(HandoffReason::Model(reason));
        }
        if let Some(tool) = self.waits_for_staff(&records) {
            return self.hand_off(HandoffReason::StaffApproval(tool));
        }
        let most = self.setup.profile.limits.max_tool_rounds.min(limits::MAX_TOOL_ROUNDS);
        let exhausted = self.state.rounds >= most || self.state.idle_rounds >= limits::MAX_IDLE_ROUNDS;
        self.state.phase =
            Phase::AwaitingModel { want: if exhausted { RequestKind::Final } else { RequestKind::Step } };
    }

    /// Writes the step's results into the transcript, in the model's order.
    fn close_step(&mut self) {
        let step = self.step();
        if let Phase::RunningTools { done, .. } = &self.state.phase {
            let counted =
                u32::try_from(self.state.calls.iter().filter(|call| call.step == step).count()).unwrap_or(u32::MAX);
            let mut rest: Vec<CallRecord> = done.iter().filter(|record| record.index >= counted).cloned().collect();
            rest.sort_by_key(|record| record.index);
            for mut record in rest {
                self.fill_repeated(&mut record);
                self.state.calls.push(record);
            }
        } else {
            return;
        }
        let records: Vec<CallRecord> = self.state.calls.iter().filter(|call| call.step == step).cloned().collect();
        for record in records {
            let content = results::shown(&mut self.state.results, &record);
            self.state.transcript.push(Message::ToolResult {
                call_id: record.call_id,
                name: record.tool,
                content,
                is_error: record.result.is_error(),
            });
        }
        self.state.phase = Phase::AwaitingModel { want: RequestKind::Step };
    }

    fn waits_for_staff(&self, records: &[CallRecord]) -> Option<String> {
        let asked = records.iter().find(|record| record.result.confirm.is_some())?;
        let tool = self.setup.toolbox.get(&asked.tool)?;
        (self.setup.toolbox.confirm_call(tool, &asked.args) == Confirm::Staff)
            .then(|| format!("{} {}", asked.tool, asked.args))
    }

    /// The step that is being acted on; 0 while a held call runs.
    fn step(&self) -> u32 {
        self.state.rounds
    }
}

/// Why a call does not run although nothing is wrong with it.
#[derive(Debug, Clone, Copy)]
enum Unwanted {
    /// The customer has not spoken of it.
    Absent,
    /// Whether they want it is open, and the tool has no question of its own.
    Open,
    /// The profile does not let it be kept.
    Kept,
}

/// The result for a refused call: a refusal, which the breaker does not count.
fn refusal(unwanted: Unwanted, locale: Locale) -> CallResult {
    let (reason, guidance) = match unwanted {
        Unwanted::Absent => ("NOT_ASKED_FOR", prompt::not_asked_for(locale)),
        Unwanted::Open => ("NOT_AGREED_TO", prompt::not_agreed_to(locale)),
        Unwanted::Kept => ("KEPT_BY_STAFF", prompt::kept_by_staff(locale)),
    };
    CallResult { value: json!({"success": false, "reason": reason, "_context": guidance}), ..waiting() }
}

enum Planned {
    Run(Box<QueuedCall>),
    Answered(Box<CallRecord>),
}

fn record(step: u32, queued: QueuedCall, result: CallResult, ran: bool) -> CallRecord {
    CallRecord {
        took_ms: 0,
        step,
        index: queued.index,
        call_id: queued.call_id,
        tool: queued.planned.tool,
        args: queued.planned.args,
        args_hash: queued.planned.args_hash,
        key: ran.then_some(queued.key),
        repeated: false,
        repairs: queued.planned.repairs,
        result,
    }
}

/// Stands for the result of an equal call of the same step until that has one. If the step ends before, it says so.
fn waiting() -> CallResult {
    CallResult {
        class: ResultClass::Refusal,
        code: None,
        value: Value::Null,
        receipts: Vec::new(),
        offers: Vec::new(),
        internal: None,
        confirm: None,
        uncertain: false,
        duration_ms: 0,
    }
}

fn handed_off(record: &CallRecord) -> Option<String> {
    let called = record.result.receipts.iter().any(|receipt| receipt.kind == ReceiptKind::HandedOff);
    called.then(|| record.args.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned())
}

fn raw(call: &ToolCallRequest) -> Value {
    Value::String(call.arguments.chars().take(2_000).collect())
}
