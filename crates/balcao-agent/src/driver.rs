//! The only place of a turn that awaits: asks the model, runs the tools, saves the state after each step.
//!
//! Invariant: an answer is durable before a call of it runs (I-6), so that a successor runs the same calls under the same keys.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use balcao_llm::{ChatProvider, ModelError, ModelResponse};
use balcao_tool::{
    Agreed, CallResult, EffectClass, ErrorCode, Internal, Principal, RunMode, ToldPrices, ToolContext, ToolError,
    Toolbox, registry::error_result,
};
use futures::future::join_all;
use jiff::Zoned;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use crate::spans;
use crate::turn::{Ending, NextStep, QueuedCall, Turn, TurnState};

/// Keeps the state of a turn where a crash does not reach it.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Saves the state. When it returns, the state is durable.
    ///
    /// # Errors
    /// [`Interrupted`]: the turn then stops, because nothing may happen that is not on record, or that nobody wants any more.
    async fn save(&self, state: &TurnState) -> Result<(), Interrupted>;
}

/// Sees a turn as it goes on: for `--trace` and live views.
pub trait Observer: Send + Sync {
    /// A model call ended.
    fn model(&self, answer: &Result<ModelResponse, ModelError>, took: Duration);
    /// A tool call ended.
    fn tool(&self, call: &QueuedCall, result: &CallResult);
}

/// Why a turn stopped without an ending.
#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    /// Its journal could not be written; why, for staff. It can be resumed from its last saved state.
    #[error("the turn could not be saved: {0}")]
    NotSaved(String),
    /// It was about to act, and should not any more. Whoever keeps the journal knows why, and what becomes of the turn.
    #[error("the turn was stopped before it acted")]
    Stopped,
}

/// Drives a turn to its end. Dropping the future stops it between two steps at most.
///
/// # Errors
/// [`Interrupted`] if a step could not be saved, or must not be taken.
pub async fn drive(
    turn: &mut Turn,
    model: &dyn ChatProvider,
    journal: &dyn Journal,
    observer: Option<&dyn Observer>,
) -> Result<Ending, Interrupted> {
    let deadline = Instant::now() + Duration::from_secs(turn.setup().profile.limits.timeout_s);
    // A call that the customer agreed to runs first: its intent, too, is durable before it does.
    if turn.intend() {
        journal.save(turn.state()).await?;
    }
    loop {
        let must_save = match turn.next_step() {
            NextStep::CallModel(request) => {
                let started = Instant::now();
                match timeout_at(deadline, spans::ask(model, &request)).await {
                    Ok(answer) => {
                        if let Some(observer) = observer {
                            observer.model(&answer, started.elapsed());
                        }
                        turn.on_model(answer);
                        turn.note_model_time(millis(started.elapsed()));
                    }
                    Err(_elapsed) => turn.on_deadline(),
                }
                true // answer before action
            }
            NextStep::CallTools(batch) => {
                let toolbox = Arc::clone(&turn.setup().toolbox);
                let (principal, now) = (turn.state().principal, turn.state().now.clone());
                let told = |call| turn.told_prices(call);
                let runs = batch.iter().map(|call| run(&toolbox, call, told(call), principal, now.clone()));
                match timeout_at(deadline, join_all(runs)).await {
                    Ok(timed) => {
                        let (results, took): (Vec<_>, Vec<_>) = timed.into_iter().unzip();
                        if let Some(observer) = observer {
                            batch.iter().zip(&results).for_each(|(call, result)| observer.tool(call, result));
                        }
                        let calls = batch.iter().map(|call| call.call_id.clone()).zip(took).collect::<Vec<_>>();
                        turn.on_tools(results);
                        turn.note_call_times(&calls);
                    }
                    Err(_elapsed) => turn.on_deadline(),
                }
                batch.iter().any(|call| !can_run_again(&toolbox, call))
            }
            NextStep::Finish(ending) => return Ok(ending),
        };
        // The last step is saved by whoever closes the turn, together with the reply.
        let intends = turn.intend(); // intent before effect
        if (must_save || intends) && !turn.is_over() {
            journal.save(turn.state()).await?;
        }
    }
}

/// Whether running a call again after a crash gives the same and changes nothing more: reads do, and so do local effects,
/// whose key is in the ledger. Their results need no commit of their own; the next answer is saved with them.
fn can_run_again(toolbox: &Toolbox, call: &QueuedCall) -> bool {
    let class = toolbox.get(&call.planned.tool).map(|tool| tool.spec.behaviour.class);
    call.mode == RunMode::Ask || matches!(class, Some(EffectClass::Read | EffectClass::Local))
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Runs a call and tells how long it took, in milliseconds.
async fn run(
    toolbox: &Toolbox,
    call: &QueuedCall,
    told_prices: Vec<ToldPrices>,
    principal: Principal,
    now: Zoned,
) -> (CallResult, u64) {
    let started = Instant::now();
    let span = spans::of_tool(call);
    let result = execute(toolbox, call, told_prices, principal, now).instrument(span.clone()).await;
    spans::tool_ended(&span, call, &result);
    (result, millis(started.elapsed()))
}

async fn execute(
    toolbox: &Toolbox,
    call: &QueuedCall,
    told_prices: Vec<ToldPrices>,
    principal: Principal,
    now: Zoned,
) -> CallResult {
    let Some(tool) = toolbox.get(&call.planned.tool) else {
        let error = ToolError::new(ErrorCode::Unavailable, "the tool is not available now")
            .internal(Internal::note("gone since the call was planned"));
        return error_result(&error, None, principal.locale);
    };
    let (key, args_hash) = (call.key.clone(), call.planned.args_hash.clone());
    let asked_at = call.asked_at.unwrap_or_else(|| now.timestamp());
    let agreed = call.agreed.clone().map(|question| Agreed { question, asked_at });
    let cx = ToolContext { principal, key, args_hash, now, agreed, told_prices };
    tool.execute(&cx, call.planned.args.clone(), call.mode).await
}
