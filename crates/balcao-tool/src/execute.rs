//! Running a call so that its effect happens at most once.
//!
//! An attempt whose outcome is unknown (it ran out of time, its code broke down, the other side took the request and never
//! answered, a commit's answer was lost, the program died with it) is taken up as the command's class allows: a local effect
//! is run again, and the ledger knows its key; a keyed one is sent again under its key; a queryable one is looked for first; a
//! blind one is never repeated, and people decide.
//!
//! Invariant: a handler of a blind command is entered at most once per call, and one of a queryable command a second time
//! only after its marker was looked for, in vain, once it had had time to show.

use std::{panic::AssertUnwindSafe, time::Duration};

use balcao_seeded_bugs::{Bug, is_on};
use futures::FutureExt;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::call::RunMode;
use crate::class::ResultClass;
use crate::{
    context::{EffectKey, ToolContext},
    effect::{Effect, EffectClass},
    error::{ErrorCode, Internal, ToolError, ToolResult},
    handler::{Found, Preview},
    outcome::CallResult,
    registry::Tool,
};

/// How often a call of unknown outcome is taken up where that is safe.
const MAX_ATTEMPTS: u32 = 3;
/// Between two attempts: what did not answer is given a moment.
const PAUSE: Duration = Duration::from_millis(500);

impl Tool {
    /// Runs a call; `may_have_run` says that an earlier attempt left no outcome.
    pub(crate) async fn execute_at_most_once(
        &self,
        cx: &ToolContext,
        args: Value,
        mut may_have_run: bool,
    ) -> CallResult {
        let mut last = None;
        let mut cx = cx.clone();
        // What another program began may still be under way there, for as long as a call may take; what this one began is not.
        let mut settle = if may_have_run { self.spec.timeout + self.spec.settle } else { self.spec.settle };
        for _ in 0..MAX_ATTEMPTS {
            if may_have_run && is_on(Bug::NewKeyOnRetry) {
                cx.key = EffectKey::derive(0, 0, 0, "", cx.key.as_str());
            }
            let cx = &cx;
            let mut result = match (self.class(), may_have_run) {
                (EffectClass::Blind, true) if !is_on(Bug::BlindRepeated) => {
                    return last.unwrap_or_else(|| self.unknown(cx));
                }
                (EffectClass::Queryable, true) => self.look_up_or_run(cx, args.clone(), settle).await,
                _ => self.run_once(cx, args.clone(), RunMode::Execute).await,
            };
            // A failure says nothing about earlier attempts, which may have taken effect. After a look-up the earlier attempt is known, too.
            let unlooked = matches!(self.class(), EffectClass::Local | EffectClass::Keyed);
            result.uncertain |= unlooked && may_have_run && result.class == ResultClass::Fault;
            let repeated = self.class() == EffectClass::Keyed && self.handler.repeats();
            if !result.uncertain || repeated {
                return result;
            }
            may_have_run = true;
            settle = self.spec.settle;
            last = Some(result);
            sleep(PAUSE).await;
        }
        last.unwrap_or_else(|| self.unknown(&cx))
    }

    /// One attempt, within its time. Whatever happens becomes one result: a failure, a panic, a late answer.
    pub(crate) async fn run_once(&self, cx: &ToolContext, args: Value, mode: RunMode) -> CallResult {
        let run = async {
            match mode {
                RunMode::Execute | RunMode::Recover => self.handler.call(cx, args).await.map(Preview::Refused),
                RunMode::Ask => self.handler.preview(cx, args).await,
            }
        };
        let locale = cx.principal.locale;
        match self.bounded(run).await {
            Ok(Preview::Ask(question)) => self.ask(question, locale),
            Ok(Preview::Refused(output)) => {
                let result = self.finish(output, locale).await;
                // Outside of our tables something was answered, and cannot be read: it may well have been done.
                let uncertain = result.code.is_some() && mode != RunMode::Ask && self.is_external();
                CallResult { uncertain, ..result }
            }
            Err(error) if let Some(question) = error.question.clone() => self.ask(question, locale),
            Err(error) => {
                // Asking changes nothing, so nothing about it is uncertain.
                let uncertain = error.uncertain && mode != RunMode::Ask && self.class() != EffectClass::Read;
                CallResult { uncertain, ..self.fail(&error, locale) }
            }
        }
    }

    /// The class that counts: a command that changes nothing is a read, whatever else it says.
    pub(crate) fn class(&self) -> EffectClass {
        if self.spec.behaviour.effect == Effect::Read { EffectClass::Read } else { self.spec.behaviour.class }
    }

    /// Whether the call has an effect outside of our own tables: then its intent must be durable before it runs.
    #[must_use]
    pub fn is_external(&self) -> bool {
        match self.class() {
            EffectClass::Read | EffectClass::Local => false,
            EffectClass::Keyed | EffectClass::Queryable | EffectClass::Blind => true,
        }
    }

    async fn look_up_or_run(&self, cx: &ToolContext, args: Value, settle: Duration) -> CallResult {
        if !is_on(Bug::AbsentBeforeSettled) {
            sleep(settle).await;
        }
        match self.bounded(self.handler.find(cx, args.clone())).await {
            Ok(Found::There(output)) => self.finish(output, cx.principal.locale).await,
            Ok(Found::Absent) => self.run_once(cx, args, RunMode::Execute).await,
            // The outcome is not known: nothing is sent until it is.
            Err(error) => CallResult { uncertain: true, ..self.fail(&error, cx.principal.locale) },
        }
    }

    async fn bounded<T>(&self, run: impl Future<Output = ToolResult<T>>) -> ToolResult<T> {
        match timeout(self.spec.timeout, AssertUnwindSafe(run).catch_unwind()).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => {
                let note = Internal::note(panic_text(&*panic));
                Err(ToolError::new(ErrorCode::Internal, "the tool failed").internal(note).uncertain().into())
            }
            Err(_elapsed) => {
                let note = Internal::note(format!("stopped after {} ms", self.spec.timeout.as_millis()));
                let error = ToolError::new(ErrorCode::Timeout, "the tool took too long and was stopped");
                Err(error.internal(note).uncertain().into())
            }
        }
    }

    fn unknown(&self, cx: &ToolContext) -> CallResult {
        let note = Internal::note("the program ended while it was being done: it may have happened or not");
        let error = ToolError::new(ErrorCode::Timeout, "it is not known whether this was done").internal(note);
        CallResult { uncertain: true, ..self.fail(&error, cx.principal.locale) }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let words =
        panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", words.unwrap_or_else(|| "without a message".to_owned()))
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;
