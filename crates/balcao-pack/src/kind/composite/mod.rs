//! Commands that call other commands: `handler: {helper: id, calls: [ids]}`. The helper gets the arguments and an object `tools` with one
//! function for each command that it may call, and no others.
//!
//! The helper runs in a worker of helpers and reaches nothing by itself. It ends at each call, this module makes the call, and the helper
//! runs again with the answer (`driver.js`). Every call passes the schema and the checks of its command, and runs under its own limits and
//! processors. Before a person confirms, the command is rehearsed as programs are ([`crate::program`]): it really reads, and lists what it
//! would change. After the yes it is rehearsed again, and runs only if the list is the same. A change that is not the next one of the list
//! is not made ([`agreed`]).
//!
//! Invariants: the effect and the confirmation of a composite command are at least as strict as those of the commands that it may call. A
//! failure after the first change leaves the outcome uncertain, and the command does not start again.

mod agreed;
mod written;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use balcao_sandbox::{Call, Sandbox};
use balcao_tool::{
    CallResult, Effect, EffectKey, ErrorCode, Found, Internal, ModelText, Preview, ResultClass, RunMode, Tool,
    ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult, canonical,
};
use serde_json::{Value, json};

use super::script::{self, RunError, failed};
use agreed::{Agreement, Change, Rehearsal, Rehearsed, question};
pub(crate) use written::{Composed, DRIVER, camel, check, drivers, is_composite};

/// Makes the calls of a composite command.
#[async_trait]
pub(crate) trait Calls: Send + Sync {
    /// What came of a call; `place` counts the calls of this run.
    async fn call(&self, place: usize, name: &str, args: Value) -> Answer;
}

/// What came of a call.
pub(crate) enum Answer {
    /// Its one result.
    Made(CallResult),
    /// The call was not made, because it would change something. If the helper reads its result, the run ends.
    Unmade,
}

/// What came of a run.
pub(crate) struct Ran {
    /// What the helper gives.
    pub(crate) value: Value,
    /// What may be said of the calls that were made.
    pub(crate) results: Vec<CallResult>,
    /// It ended because it looked into what an unmade call would give.
    pub(crate) peeked: bool,
    /// It had made its last call by then: it only gives back what is not known yet.
    pub(crate) over: bool,
}

/// Why a run gave nothing, and what it had changed by then.
pub(crate) struct Stopped {
    pub(crate) error: ToolError,
    pub(crate) why: Why,
    pub(crate) changed: Vec<String>,
    /// The calls that were made until then.
    pub(crate) results: Vec<CallResult>,
}

/// What ended a run before its time.
pub(crate) enum Why {
    /// The code broke, or what runs it.
    Broke(RunError),
    /// A call failed, and the code did not catch it: the call's result, and the engine's trace of the place.
    Uncaught(Box<CallResult>, String),
    /// It made too many calls, or one that it may not make.
    Overstepped(String),
    /// The outcome of the last call is unknown.
    Unknown,
}

impl Stopped {
    /// The error for the tool layer. After a change its outcome is uncertain, so the command must not start again.
    pub(crate) fn into_error(self) -> Box<ToolError> {
        if self.changed.is_empty() {
            return Box::new(self.error);
        }
        Box::new(self.error.detail("done_before", json!(self.changed)).uncertain())
    }
}

/// Runs the helper to its end, call by call.
pub(crate) async fn drive(
    composed: &Composed,
    sandbox: Option<&Sandbox>,
    now_ms: i64,
    args: &Value,
    calls: &dyn Calls,
) -> Result<Ran, Stopped> {
    let mut run = Run::default();
    let names: Vec<&String> = composed.calls.keys().collect();
    loop {
        let told = Value::Array(run.answers.clone());
        let arguments = [json!(composed.target), args.clone(), json!(names), told, json!(composed.promises)];
        let call = Call { now_ms, limits: composed.limits, ..Call::new(&composed.driver, &arguments) };
        let said = match script::run(sandbox, &call).await {
            Ok(said) => said,
            Err(error) => return Err(run.stopped(failed(&error), Why::Broke(error))),
        };
        if let Some(place) = said.get("failed").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok()) {
            return Err(run.uncaught(place, &said));
        }
        let peeked = said.get("peeked").is_some();
        let Some(name) = said.get("tool").and_then(Value::as_str).filter(|_| !peeked) else {
            let value = said.get("value").cloned().unwrap_or_default();
            let over = !peeked || said.get("over") == Some(&Value::Bool(true));
            return Ok(Ran { value, results: run.results.into_iter().flatten().collect(), peeked, over });
        };
        // The helper's words: that it may call what it names is looked at here.
        let Some(effect) = composed.calls.get(name) else {
            return Err(run.overstepped(format!("it calls `{name}`, which `calls` does not list")));
        };
        if run.answers.len() >= composed.max_calls {
            return Err(run.overstepped(format!("it makes more than {} calls", composed.max_calls)));
        }
        let given = said.get("arguments").cloned().unwrap_or_default();
        let answer = calls.call(run.answers.len(), name, given).await;
        if run.take(name, *effect, answer) {
            let error = ToolError::new(ErrorCode::Timeout, "it is not known whether a part of this was done");
            let note = run.results.last().and_then(|last| last.as_ref()?.internal.clone()).unwrap_or_default();
            return Err(run.stopped(error.internal(Internal::note(note)), Why::Unknown));
        }
    }
}

/// A run so far.
#[derive(Default)]
struct Run {
    /// The answers that the code receives for its calls, in order.
    answers: Vec<Value>,
    results: Vec<Option<CallResult>>,
    changed: Vec<String>,
}

impl Run {
    /// Stores the answer of a call; returns true if the outcome of the call is unknown.
    fn take(&mut self, name: &str, effect: Effect, answer: Answer) -> bool {
        let Answer::Made(result) = answer else {
            self.answers.push(json!({ "unmade": true }));
            self.results.push(None);
            return false;
        };
        if effect != Effect::Read && (result.uncertain || result.class == ResultClass::Success) {
            self.changed.push(name.to_owned());
        }
        let unknown = result.uncertain;
        self.answers.push(result_for_helper(&result));
        self.results.push(Some(result));
        unknown
    }

    fn uncaught(self, place: usize, said: &Value) -> Stopped {
        let Some(result) = self.results.get(place).cloned().flatten() else {
            return self.overstepped("a call failed that was not made".to_owned());
        };
        let trace = said.get("trace").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.stopped(passed_on(&result), Why::Uncaught(Box::new(result), trace))
    }

    fn overstepped(self, how: String) -> Stopped {
        self.stopped(defect(how.clone()), Why::Overstepped(how))
    }

    fn stopped(self, error: ToolError, why: Why) -> Stopped {
        Stopped { error, why, changed: self.changed, results: self.results.into_iter().flatten().collect() }
    }
}

/// The failure of a call that the helper did not catch, as the composite command's own. Invalid arguments of the call are a mistake of
/// the helper, because the caller of the composite command has never seen them.
fn passed_on(result: &CallResult) -> ToolError {
    let words = result.value.get("error").and_then(Value::as_str).unwrap_or_default();
    let note = result.internal.clone().unwrap_or_else(|| result.value.to_string());
    match result.code {
        Some(ErrorCode::InvalidArguments) | None => defect(note),
        Some(code) => ToolError::new(code, ModelText::new(words)).internal(Internal::note(note)),
    }
}

/// What the helper learns of a call: what a model would.
fn result_for_helper(result: &CallResult) -> Value {
    if result.is_error() { json!({ "error": result.value }) } else { json!({ "value": result.value }) }
}

fn defect(why: String) -> ToolError {
    ToolError::new(ErrorCode::Internal, "the tool failed").internal(Internal::note(why))
}

/// A composite command as a tool.
pub(crate) struct Composite {
    pub(crate) id: String,
    pub(crate) composed: Composed,
    pub(crate) tools: BTreeMap<String, Arc<Tool>>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) schema: Value,
}

/// Makes the calls in the context of the caller of the composite command.
struct For<'a> {
    cx: &'a ToolContext,
    tools: &'a BTreeMap<String, Arc<Tool>>,
    mode: Mode,
    rehearsed: Mutex<Rehearsed>,
}

/// How a composite command is driven.
enum Mode {
    /// Reads are real; what would be changed is noted, and not made.
    Rehearsal,
    /// For real; of changes that were agreed to, those alone.
    Real(Option<Agreement>),
}

impl For<'_> {
    fn rehearsed(&self) -> MutexGuard<'_, Rehearsed> {
        self.rehearsed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something is read.
    fn read(&self) {
        let mut rehearsed = self.rehearsed();
        rehearsed.stale |= !rehearsed.would.is_empty();
    }

    /// What a rehearsal makes of a change. What would be refused is refused.
    async fn rehearse(&self, cx: &ToolContext, tool: &Tool, args: Value) -> Answer {
        let (name, args_hash) = (tool.spec.name.clone(), cx.args_hash.clone());
        let plain = format!("{name} {args}");
        let words = if tool.confirmable() {
            let asked = tool.execute(cx, args, RunMode::Ask).await;
            match asked.confirm.clone() {
                Some(words) => words,
                None => return Answer::Made(asked),
            }
        } else {
            plain
        };
        self.rehearsed().would.push(Change { name, args_hash, words });
        Answer::Unmade
    }

    /// The answer to a change that no person confirmed: the command's own refusal, if the command would refuse it anyway.
    async fn refuse(&self, cx: &ToolContext, tool: &Tool, args: Value) -> Answer {
        if tool.confirmable() {
            let asked = tool.execute(cx, args, RunMode::Ask).await;
            if asked.confirm.is_none() {
                return Answer::Made(asked);
            }
        }
        Answer::Made(tool.fail(&agreed::not_on_the_list(), cx.principal.locale))
    }
}

#[async_trait]
impl Calls for For<'_> {
    async fn call(&self, place: usize, name: &str, args: Value) -> Answer {
        let locale = self.cx.principal.locale;
        let Some(tool) = self.tools.get(name) else {
            let error = defect(format!("`{name}` cannot be run here"));
            return Answer::Made(balcao_tool::registry::error_result(&error, None, locale));
        };
        let checked = match tool.check_arguments(args) {
            Ok(checked) => checked,
            Err(problems) => return Answer::Made(tool.fail(&ToolError::invalid(problems), locale)),
        };
        let cx = within(self.cx, place, name, &checked.args);
        if tool.spec.behaviour.effect != Effect::Read {
            match &self.mode {
                Mode::Rehearsal => return self.rehearse(&cx, tool, checked.args).await,
                Mode::Real(Some(agreement)) if !agreement.covers(name, &cx.args_hash) => {
                    return self.refuse(&cx, tool, checked.args).await;
                }
                Mode::Real(_) => {}
            }
        }
        self.read();
        Answer::Made(tool.execute(&cx, checked.args, RunMode::Execute).await)
    }
}

/// The context of one part of a call. Its key derives from the key of the whole call, so every part has its own key, and a replay of the
/// turn gives an equal one.
pub(crate) fn within(cx: &ToolContext, place: usize, name: &str, args: &Value) -> ToolContext {
    let args_hash = canonical::hash(args);
    let index = u32::try_from(place).unwrap_or(u32::MAX);
    let of_whole = canonical::hash_text(&format!("{}/{args_hash}", cx.key.as_str()));
    let key = EffectKey::derive(cx.principal.turn, 0, index, name, &of_whole);
    // The parts of a confirmed command use the instant of the question as the current time, because otherwise two runs would differ.
    let now = cx
        .agreed
        .as_ref()
        .map_or_else(|| cx.now.clone(), |agreed| agreed.asked_at.to_zoned(cx.now.time_zone().clone()));
    ToolContext { key, args_hash, now, agreed: None, ..cx.clone() }
}

impl Composite {
    async fn drive(&self, cx: &ToolContext, args: &Value, mode: Mode) -> (Result<Ran, Stopped>, Rehearsed) {
        let calls = For { cx, tools: &self.tools, mode, rehearsed: Mutex::default() };
        let ran = drive(&self.composed, self.sandbox.as_deref(), cx.helpers_now(), args, &calls).await;
        (ran, calls.rehearsed.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads for real and changes nothing.
    async fn rehearse(&self, cx: &ToolContext, args: &Value) -> ToolResult<Rehearsal> {
        let (ran, Rehearsed { would, stale }) = self.drive(cx, args, Mode::Rehearsal).await;
        match ran {
            Ok(ran) if would.is_empty() => Ok(Rehearsal::Nothing(output(ran))),
            Ok(ran) => Ok(Rehearsal::Changes { would, more: !ran.over }),
            // What failed may have read what the changes before it would have made otherwise.
            Err(_) if stale => Ok(Rehearsal::Changes { would, more: true }),
            Err(stopped) => Err(Box::new(stopped.error)),
        }
    }

    async fn run(&self, cx: &ToolContext, args: &Value, agreement: Option<Agreement>) -> ToolResult<ToolOutput> {
        let (ran, _) = self.drive(cx, args, Mode::Real(agreement)).await;
        ran.map(output).map_err(Stopped::into_error)
    }
}

fn output(ran: Ran) -> ToolOutput {
    gathered(ToolOutput::success(ran.value), ran.results)
}

/// With what may be said of the calls.
pub(crate) fn gathered(mut output: ToolOutput, results: Vec<CallResult>) -> ToolOutput {
    for result in results {
        output.receipts.extend(result.receipts);
        output.offers.extend(result.offers);
    }
    output
}

#[async_trait]
impl ToolHandler for Composite {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let Some(agreed) = &cx.agreed else { return self.run(cx, &args, None).await };
        match self.rehearse(cx, &args).await? {
            // There is nothing left to be changed, and that is its answer.
            Rehearsal::Nothing(output) => Ok(output),
            Rehearsal::Changes { would, more } if question(&would, more, cx.principal.locale) == agreed.question => {
                self.run(cx, &args, Some(Agreement::to(would, more))).await
            }
            Rehearsal::Changes { would, .. } => Err(agreed::changed_meanwhile(&would).into()),
        }
    }

    /// Reads for real and changes nothing: what would be changed is asked for, all of it at once as far as that can be known.
    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        Ok(match self.rehearse(cx, &args).await? {
            Rehearsal::Nothing(output) => Preview::Refused(output),
            Rehearsal::Changes { would, more } => Preview::Ask(question(&would, more, cx.principal.locale)),
        })
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        let note = Internal::note(format!("`{}` is made of several calls and cannot be looked up", self.id));
        Err(ToolError::new(ErrorCode::Internal, ModelText::from("it is not known whether this was done"))
            .internal(note)
            .into())
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn is_safe(&self) -> bool {
        self.tools.values().all(|tool| tool.is_safe())
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }
}

#[cfg(test)]
#[path = "within_tests.rs"]
mod tests;
