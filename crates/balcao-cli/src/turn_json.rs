//! A turn as JSON, for scripts and for reports of evaluations.

use balcao_agent::Ending;
use balcao_app::turns::TurnOutcome;
use serde_json::json;

/// A turn as data.
pub(crate) fn turn_json(text: &str, answered: &TurnOutcome) -> serde_json::Value {
    let state = &answered.state;
    let calls: Vec<_> = state
        .calls
        .iter()
        .map(|call| json!({"tool": call.tool, "arguments": call.args, "class": call.result.class, "repeated": call.repeated, "result": call.result.value}))
        .collect();
    let reason = match &answered.ending {
        Ending::Reply { .. } => None,
        Ending::Handoff { reason, .. } => Some(reason.code().to_owned()),
        Ending::Silence { reason } => Some(reason.clone()),
    };
    json!({
        "customer": text,
        "outcome": answered.ending.outcome(),
        "reason": reason,
        "reply": answered.ending.reply().map(|reply| reply.as_str()),
        "calls": calls,
        "model_calls": state.spent.model_calls,
        "tool_calls": state.spent.tool_calls,
        "input_tokens": state.spent.usage.input_tokens,
        "output_tokens": state.spent.usage.output_tokens,
    })
}
