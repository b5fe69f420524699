//! Measures one turn.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use balcao_agent::Ending;
use balcao_agent::driver::Observer;
use balcao_agent::handoff::HandoffReason;
use balcao_agent::turn::QueuedCall;
use balcao_llm::{ModelError, ModelResponse};
use balcao_tool::{CallResult, ResultClass, Toolbox};
use metrics::{counter, histogram};
use tokio::time::Instant;

use super::TurnOutcome;
use crate::context::metrics::model_call;

/// Measures one turn in this process, and passes each event on to `inner`. A model call counts when it ends, even if its turn never ends.
pub(crate) struct Meter<'a> {
    inner: Option<&'a dyn Observer>,
    /// The model that is configured.
    model_name: String,
    started: Instant,
    in_models: Mutex<Duration>,
}

impl<'a> Meter<'a> {
    /// Begins to measure.
    pub(crate) fn start(model_name: &str, inner: Option<&'a dyn Observer>) -> Self {
        Self { inner, model_name: model_name.to_owned(), started: Instant::now(), in_models: Mutex::default() }
    }

    /// Counts the tool calls and the outcome of a turn that ended. Call it once.
    pub(crate) fn ended(&self, answered: &TurnOutcome, toolbox: &Toolbox) {
        let took = self.started.elapsed();
        let overhead = took.saturating_sub(*self.in_models.lock().unwrap_or_else(PoisonError::into_inner));
        histogram!("balcao_turn_duration_seconds", "outcome" => answered.ending.outcome()).record(took);
        histogram!("balcao_turn_overhead_seconds").record(overhead);
        for call in &answered.state.calls {
            // A model may write any name, but a metric has a limited number of labels.
            let tool = if toolbox.get(&call.tool).is_some() { call.tool.clone() } else { "unknown".to_owned() };
            counter!("balcao_tool_calls_total", "tool" => tool, "result" => result_label(&call.result)).increment(1);
        }
        if let Ending::Handoff { reason, .. } = &answered.ending {
            counter!("balcao_handoffs_total", "reason" => reason.code()).increment(1);
            if *reason == HandoffReason::Breaker {
                counter!("balcao_breaker_openings_total").increment(1);
            }
        }
    }
}

impl Observer for Meter<'_> {
    fn model(&self, answer: &Result<ModelResponse, ModelError>, took: Duration) {
        model_call(&self.model_name, answer, took);
        let mut spent = self.in_models.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.saturating_add(took);
        drop(spent);
        if let Some(inner) = self.inner {
            inner.model(answer, took);
        }
    }

    fn tool(&self, call: &QueuedCall, result: &CallResult) {
        let took = Duration::from_millis(result.duration_ms);
        histogram!("balcao_tool_call_duration_seconds", "tool" => call.planned.tool.clone()).record(took);
        if let Some(inner) = self.inner {
            inner.tool(call, result);
        }
    }
}

/// The code of the error, or the class of the result.
const fn result_label(result: &CallResult) -> &'static str {
    match (result.code, result.class) {
        (Some(code), _) => code.as_str(),
        (None, ResultClass::Success) => "success",
        (None, ResultClass::Refusal) => "refusal",
        (None, ResultClass::Correction) => "correction",
        (None, ResultClass::Fault) => "fault",
    }
}
