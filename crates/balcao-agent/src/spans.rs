//! Spans of a turn by OpenTelemetry's conventions for generative AI (semantic conventions 1.41, `gen_ai.*`).
//!
//! What was said is not in them. It is told in events of a target of their own, [`CONTENT`], which nobody hears unless the
//! operator asked for it.

use balcao_llm::{ChatProvider, Message, ModelError, ModelRequest, ModelResponse, StreamEvent};
use balcao_tool::{CallResult, ResultClass};
use serde_json::{Value, json};
use tracing::{Instrument, Span, field};

use crate::turn::QueuedCall;

/// The target of events that hold what was said. A log must never show it.
pub const CONTENT: &str = "balcao::content";

/// Asks a model, in a span.
///
/// # Errors
/// [`ModelError`], as [`ChatProvider::complete`].
pub async fn ask(model: &dyn ChatProvider, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
    let span = tracing::info_span!(
        "chat",
        otel.name = %format_args!("chat {}", model.model()),
        otel.kind = "client",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = model.name(),
        gen_ai.request.model = model.model(),
        gen_ai.request.max_tokens = i64::from(request.max_output_tokens),
        gen_ai.response.model = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.usage.cache_read.input_tokens = field::Empty,
        error.r#type = field::Empty,
        balcao.purpose = ?request.purpose,
        balcao.finish = field::Empty,
    );
    let mut ignore = |_: StreamEvent<'_>| {};
    let answer = model.complete(request, &mut ignore).instrument(span.clone()).await;
    match &answer {
        Ok(response) => {
            span.record("gen_ai.response.model", response.model.as_str());
            span.record("gen_ai.usage.input_tokens", natural(response.usage.input_tokens));
            span.record("gen_ai.usage.output_tokens", natural(response.usage.output_tokens));
            span.record("gen_ai.usage.cache_read.input_tokens", natural(response.usage.cached_input_tokens));
            span.record("balcao.finish", field::debug(response.finish));
            tell_what_was_said(&span, request, response);
        }
        Err(error) => failed(&span, &format!("{:?}", error.kind)),
    }
    answer
}

/// The span of a tool call.
pub(crate) fn of_tool(call: &QueuedCall) -> Span {
    tracing::info_span!(
        "execute_tool",
        otel.name = %format_args!("execute_tool {}", call.planned.tool),
        otel.status_code = field::Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = call.planned.tool.as_str(),
        gen_ai.tool.r#type = "function",
        gen_ai.tool.call.id = call.call_id.as_str(),
        error.r#type = field::Empty,
        balcao.mode = ?call.mode,
        balcao.result = field::Empty,
    )
}

/// Writes what came of a tool call into its span.
pub(crate) fn tool_ended(span: &Span, call: &QueuedCall, result: &CallResult) {
    span.record("balcao.result", field::debug(result.class));
    if result.class == ResultClass::Fault {
        failed(span, result.code.map_or("fault", |code| code.as_str()));
    }
    if tracing::enabled!(target: CONTENT, tracing::Level::INFO) {
        span.in_scope(|| {
            tracing::info!(
                target: CONTENT,
                { gen_ai.tool.call.arguments = %call.planned.args, gen_ai.tool.call.result = %result.value },
                "gen_ai.tool.call.details"
            );
        });
    }
}

/// The span of a turn; `model_calls` and the rest go below it.
#[must_use]
pub fn of_turn(agent: &str, conversation: &str, turn: &str) -> Span {
    tracing::info_span!(
        "invoke_agent",
        otel.name = %format_args!("invoke_agent {agent}"),
        otel.status_code = field::Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.provider.name = "balcao",
        gen_ai.agent.id = agent,
        gen_ai.agent.name = agent,
        gen_ai.conversation.id = conversation,
        error.r#type = field::Empty,
        balcao.turn.id = turn,
        balcao.outcome = field::Empty,
    )
}

/// Marks a span as failed, for a reason in one word.
pub fn failed(span: &Span, reason: &str) {
    span.record("error.type", reason);
    span.record("otel.status_code", "ERROR");
}

fn tell_what_was_said(span: &Span, request: &ModelRequest, response: &ModelResponse) {
    if !tracing::enabled!(target: CONTENT, tracing::Level::INFO) {
        return;
    }
    let instructions = json!([{ "type": "text", "content": request.system }]);
    let input = Value::Array(request.messages.iter().map(message).collect());
    let written = Message::Assistant { text: response.text.clone(), tool_calls: response.tool_calls.clone() };
    let output = json!([message(&written)]);
    span.in_scope(|| {
        tracing::info!(
            target: CONTENT,
            {
                gen_ai.system_instructions = %instructions,
                gen_ai.input.messages = %input,
                gen_ai.output.messages = %output
            },
            "gen_ai.client.inference.operation.details"
        );
    });
}

/// A message in the conventions' form.
fn message(message: &Message) -> Value {
    match message {
        Message::User { text } => json!({ "role": "user", "parts": [{ "type": "text", "content": text }] }),
        Message::Assistant { text, tool_calls } => {
            let said = (!text.is_empty()).then(|| json!({ "type": "text", "content": text }));
            let calls = tool_calls.iter().map(
                |call| json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments }),
            );
            json!({ "role": "assistant", "parts": said.into_iter().chain(calls).collect::<Vec<_>>() })
        }
        Message::ToolResult { call_id, content, .. } => {
            json!({ "role": "tool", "parts": [{ "type": "tool_call_response", "id": call_id, "response": content }] })
        }
    }
}

fn natural(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
