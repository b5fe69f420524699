//! The calls of a program: each as if the model had made it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use balcao_tool::{
    CallResult, Confirm, Effect, ErrorCode, ModelText, ResultClass, RunMode, Tool, ToolContext, ToolError,
    registry::error_result,
};
use serde_json::Value;
use tokio::time::Instant;

use super::{Callable, TIME};
use crate::kind::composite::{Answer, Calls, within};

/// Faults of one tool in a row after which a program gets no further calls of it.
const FAULTS: u32 = 2;

/// How a program is driven.
pub(super) enum Mode {
    /// Reads are real, and nothing is changed.
    Rehearsal,
    /// For real. What must be agreed to runs once for each entry (the tool, and the hash of its arguments) of what was.
    Real { agreed: Vec<(String, String)> },
}

/// What a program did, or would do.
#[derive(Debug, Default)]
pub(super) struct ProgramLog {
    /// In a rehearsal, what would be changed, in order.
    pub(super) would: Vec<Would>,
    /// The calls that were made, and how they ended.
    pub(super) calls: Vec<(String, &'static str)>,
}

/// A call that would change something.
#[derive(Debug)]
pub(super) struct Would {
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) args_hash: String,
    /// What its tool does, in a sentence of the conversation's language.
    pub(super) does: String,
}

/// Makes the calls of a program in the context of the program's caller.
pub(super) struct For<'a> {
    cx: &'a ToolContext,
    tools: BTreeMap<&'a String, &'a Callable>,
    mode: Mode,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    log: ProgramLog,
    /// Faults in a row, by tool.
    faults: BTreeMap<String, u32>,
    /// Which entries of what was agreed to have been used.
    used: Vec<usize>,
}

impl<'a> For<'a> {
    pub(super) fn new(cx: &'a ToolContext, tools: BTreeMap<&'a String, &'a Callable>, mode: Mode) -> Self {
        Self { cx, tools, mode, began: Instant::now(), state: Mutex::default() }
    }

    pub(super) fn into_log(self) -> ProgramLog {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).log
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, tool: Option<&Tool>, error: &ToolError) -> CallResult {
        let locale = self.cx.principal.locale;
        tool.map_or_else(|| error_result(error, None, locale), |tool| tool.fail(error, locale))
    }

    /// Whether this call may run without anybody else's word: what must be agreed to is used up once it has run.
    fn agreed(&self, one: &Callable, name: &str, args_hash: &str) -> bool {
        let Mode::Real { agreed } = &self.mode else { return false };
        if one.confirm < Confirm::Customer {
            return true;
        }
        let used = &mut self.state().used;
        let entries = agreed.iter().enumerate();
        let mut free =
            entries.filter(|(place, (tool, hash))| tool == name && hash == args_hash && !used.contains(place));
        let Some((place, _)) = free.next() else { return false };
        used.push(place);
        true
    }

    /// What a rehearsal makes of a change: it is noted, and not made. What would be refused is refused.
    async fn rehearse(&self, cx: &ToolContext, tool: &Tool, args: Value) -> Answer {
        if tool.confirmable() {
            let asked = tool.execute(cx, args.clone(), RunMode::Ask).await;
            if asked.confirm.is_none() {
                return Answer::Made(asked);
            }
        }
        let description = tool.spec.description.get(cx.principal.locale);
        let does = description.split_inclusive(['.', '\n']).next().unwrap_or_default();
        let does = does.trim().trim_end_matches('.').to_owned();
        let (name, args_hash) = (tool.spec.name.clone(), cx.args_hash.clone());
        self.state().log.would.push(Would { name, args, args_hash, does });
        Answer::Unmade
    }

    async fn make(&self, place: usize, name: &str, args: Value) -> Answer {
        let name_owned = name.to_owned();
        let Some(one) = self.tools.get(&name_owned) else {
            let error = ToolError::new(ErrorCode::UnknownTool, ModelText::new(format!("there is no tool `{name}`")));
            return Answer::Made(self.refuse(None, &error));
        };
        let tool = one.tool.as_ref();
        if self.began.elapsed() > TIME {
            let text = format!("the program's {} seconds are over; this was not done", TIME.as_secs());
            return Answer::Made(self.refuse(Some(tool), &ToolError::new(ErrorCode::Timeout, ModelText::new(text))));
        }
        if self.state().faults.get(name).is_some_and(|faults| *faults >= FAULTS) {
            let text = "this tool failed repeatedly and is withdrawn for this program";
            return Answer::Made(self.refuse(Some(tool), &ToolError::new(ErrorCode::Blocked, text)));
        }
        let checked = match tool.check_arguments(args) {
            Ok(checked) => checked,
            Err(problems) => return Answer::Made(self.refuse(Some(tool), &ToolError::invalid(problems))),
        };
        let cx = within(self.cx, place, name, &checked.args);
        if tool.spec.behaviour.effect != Effect::Read {
            if matches!(self.mode, Mode::Rehearsal) {
                return self.rehearse(&cx, tool, checked.args).await;
            }
            if !self.agreed(one, name, &cx.args_hash) {
                let text = "this must be agreed to first and was not on the list that was; it was not done";
                let error = ToolError::new(ErrorCode::ConfirmationRequired, text);
                return Answer::Made(self.refuse(Some(tool), &error));
            }
        }
        Answer::Made(tool.execute(&cx, checked.args, RunMode::Execute).await)
    }
}

#[async_trait]
impl Calls for For<'_> {
    async fn call(&self, place: usize, name: &str, args: Value) -> Answer {
        let answer = self.make(place, name, args).await;
        if let Answer::Made(result) = &answer {
            let mut state = self.state();
            let faults = state.faults.entry(name.to_owned()).or_default();
            *faults = if result.class == ResultClass::Fault { *faults + 1 } else { 0 };
            state.log.calls.push((name.to_owned(), ended(result)));
        }
        answer
    }
}

/// How a call ended, in a word: the error's code, or whether it worked.
fn ended(result: &CallResult) -> &'static str {
    match (result.code, result.class) {
        (Some(code), _) => code.as_str(),
        (None, ResultClass::Refusal) => "refused",
        (None, _) => "done",
    }
}
