//! Commands that are made of others: `handler: {helper: id, calls: [ids]}`. The helper gets the arguments and an object `tools` with one
//! function for each command that it may call, and never more than those.
//!
//! The helper runs where helpers run and reaches nothing by itself: it ends at each call, the call is made here, and it runs again with the
//! answer (`driver.js`). Every call is judged by the command's schema and checks, and runs under its own limits and processors. Before
//! somebody agrees it is rehearsed as programs are ([`crate::program`]): reads are real, and what would be changed is listed.
//!
//! Invariants: a composite command says at least as much of its effect as what it may call, and is confirmed at least as strictly. Once
//! something was changed, whatever then fails leaves the outcome uncertain, and nothing is begun anew.

mod written;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use balcao_sandbox::{Call, Sandbox};
use balcao_tool::{
    CallResult, Effect, EffectKey, ErrorCode, Found, Internal, Locale, ModelText, Preview, ResultClass, RunMode, Tool,
    ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult, canonical,
};
use serde_json::{Value, json};

use super::script::{self, RunError, failed};
pub(crate) use written::{Composed, DRIVER, check, drivers, is_composite};

/// Whoever makes the calls of a composite command.
#[async_trait]
pub(crate) trait Calls: Send + Sync {
    /// What came of a call; `place` counts the calls of this run.
    async fn call(&self, place: usize, name: &str, args: Value) -> Answer;
}

/// What came of a call.
pub(crate) enum Answer {
    /// Its one result.
    Made(CallResult),
    /// It was not made, since it would change something. Whoever looks into what it gives ends the run.
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
    /// Nobody knows what came of its last call.
    Unknown,
}

impl Stopped {
    /// What the tool layer is told: after a change nobody may begin anew.
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
    /// What the code is told of its calls, in order.
    answers: Vec<Value>,
    results: Vec<Option<CallResult>>,
    changed: Vec<String>,
}

impl Run {
    /// Keeps what came of a call; true if nobody knows.
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
        self.answers.push(told(&result));
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

/// The failure of a call that the helper did not catch, as the composite command's own. What is wrong with the arguments of the call is
/// the helper's mistake: whoever called the composite command has never seen them.
fn passed_on(result: &CallResult) -> ToolError {
    let words = result.value.get("error").and_then(Value::as_str).unwrap_or_default();
    let note = result.internal.clone().unwrap_or_else(|| result.value.to_string());
    match result.code {
        Some(ErrorCode::InvalidArguments) | None => defect(note),
        Some(code) => ToolError::new(code, ModelText::new(words)).internal(Internal::note(note)),
    }
}

/// What the helper learns of a call: what a model would.
fn told(result: &CallResult) -> Value {
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

/// Calls for whom the composite command was called.
struct For<'a> {
    cx: &'a ToolContext,
    tools: &'a BTreeMap<String, Arc<Tool>>,
    /// A rehearsal: what would be changed is noted, and not made.
    dry: bool,
    rehearsed: Mutex<Rehearsed>,
}

/// What a rehearsal found.
#[derive(Default)]
struct Rehearsed {
    /// The changes, in order, each in the words of its own question.
    would: Vec<String>,
    /// Something was read behind a change that was not made, so that it may be otherwise by then.
    stale: bool,
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
        let plain = format!("{} {args}", tool.spec.name);
        let words = if tool.confirmable() {
            let asked = tool.execute(cx, args, RunMode::Ask).await;
            match asked.confirm.clone() {
                Some(words) => words,
                None => return Answer::Made(asked),
            }
        } else {
            plain
        };
        self.rehearsed().would.push(words);
        Answer::Unmade
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
        let checked = match tool.judge(args) {
            Ok(checked) => checked,
            Err(problems) => return Answer::Made(tool.fail(&ToolError::invalid(problems), locale)),
        };
        let cx = within(self.cx, place, name, &checked.args);
        if self.dry && tool.spec.behaviour.effect != Effect::Read {
            return self.rehearse(&cx, tool, checked.args).await;
        }
        self.read();
        Answer::Made(tool.execute(&cx, checked.args, RunMode::Execute).await)
    }
}

/// For whom a part of a call runs, and under which key: of the whole call's, so that every part has its own, and the same one whenever the
/// turn is replayed.
pub(crate) fn within(cx: &ToolContext, place: usize, name: &str, args: &Value) -> ToolContext {
    let args_hash = canonical::hash(args);
    let index = u32::try_from(place).unwrap_or(u32::MAX);
    let of_whole = canonical::hash_text(&format!("{}/{args_hash}", cx.key.as_str()));
    let key = EffectKey::derive(cx.principal.turn, 0, index, name, &of_whole);
    ToolContext { key, args_hash, agreed: None, ..cx.clone() }
}

impl Composite {
    fn calls<'a>(&'a self, cx: &'a ToolContext, dry: bool) -> For<'a> {
        For { cx, tools: &self.tools, dry, rehearsed: Mutex::default() }
    }

    async fn drive(&self, cx: &ToolContext, args: &Value, calls: &For<'_>) -> Result<Ran, Stopped> {
        let now_ms = cx.now.timestamp().as_millisecond();
        drive(&self.composed, self.sandbox.as_deref(), now_ms, args, calls).await
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

/// What is asked before anything is changed: all changes that can be foreseen, and whether there may be others.
fn question(would: &[String], more: bool, locale: Locale) -> String {
    let mut text = match (would, locale) {
        ([only], _) => only.clone(),
        (several, Locale::PtBr) => format!("São {} mudanças:", several.len()),
        (several, Locale::En) => format!("These are {} changes:", several.len()),
    };
    for (place, words) in would.iter().enumerate().filter(|_| would.len() > 1) {
        text.push_str(&format!("\n{}. {words}", place + 1));
    }
    if more {
        text.push_str(match locale {
            Locale::PtBr => "\nDepois disso pode haver outras mudanças, que dependem das respostas.",
            Locale::En => "\nMore changes may follow, which depend on the answers.",
        });
    }
    text
}

#[async_trait]
impl ToolHandler for Composite {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let ran = self.drive(cx, &args, &self.calls(cx, false)).await;
        ran.map(output).map_err(Stopped::into_error)
    }

    /// Reads for real and changes nothing: what would be changed is asked for, all of it at once as far as that can be known.
    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        let calls = self.calls(cx, true);
        let ran = self.drive(cx, &args, &calls).await;
        let Rehearsed { would, stale } = std::mem::take(&mut *calls.rehearsed());
        let locale = cx.principal.locale;
        match ran {
            Ok(ran) if would.is_empty() => Ok(Preview::Refused(output(ran))),
            Ok(ran) => Ok(Preview::Ask(question(&would, !ran.over, locale))),
            // What failed may have read what the changes before it would have made otherwise.
            Err(_) if stale => Ok(Preview::Ask(question(&would, true, locale))),
            Err(stopped) => Err(Box::new(stopped.error)),
        }
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

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }
}
