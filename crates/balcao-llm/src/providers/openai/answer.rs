//! What chat completions answer: whole and streamed answers share one shape, `message` in the one being `delta` in the other.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    error::ModelErrorKind,
    message::FinishReason,
    provider::EventSink,
    providers::{
        count,
        draft::{Draft, unreadable},
        failure::{self, Failure},
        wire::Parser,
    },
};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    object: Option<Value>,
    model: Option<String>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Written<'a>>,
    #[serde(borrow)]
    message: Option<Written<'a>>,
    finish_reason: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    refusal: Option<Value>,
    #[serde(borrow)]
    tool_calls: Option<Vec<WireCall<'a>>>,
}

#[derive(Deserialize)]
struct WireCall<'a> {
    index: Option<u64>,
    id: Option<String>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
    extra_content: Option<Value>,
}

#[derive(Deserialize)]
struct Function<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads chat completions, whole or streamed.
#[derive(Debug, Default)]
pub(crate) struct OpenAiParser {
    /// The stream's index of each call of the draft, in the draft's order.
    indices: Vec<Option<u64>>,
    refused: bool,
}

impl Parser for OpenAiParser {
    fn payload(&mut self, text: &str, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let chunk: Chunk<'_> = serde_json::from_str(text).map_err(|cause| unreadable(&cause))?;
        if chunk.error.is_some() || chunk.object.as_ref().is_some_and(|object| object == "error") {
            let body: Value = serde_json::from_str(text).map_err(|cause| unreadable(&cause))?;
            return Err(failure::from_body(&body));
        }
        let Some(choices) = chunk.choices else { return Ok(()) };
        if let Some(model) = chunk.model {
            draft.model = model;
        }
        if let Some(usage) = chunk.usage.filter(|usage| !usage.is_null()) {
            draft.usage.input_tokens = count(&usage, "/prompt_tokens");
            draft.usage.cached_input_tokens =
                count(&usage, "/prompt_tokens_details/cached_tokens").max(count(&usage, "/cached_tokens"));
            draft.usage.output_tokens = output_tokens(&usage);
        }
        for choice in choices {
            if choice.index.unwrap_or(0) == 0 {
                self.choice(choice, draft, sink)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, draft: &mut Draft) -> Result<(), Failure> {
        if self.refused {
            draft.finish = Some(FinishReason::Refusal);
        }
        Ok(())
    }
}

impl OpenAiParser {
    fn choice(&mut self, choice: Choice<'_>, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        if let Some(error) = choice.error {
            return Err(failure::from_body(&json!({ "error": error })));
        }
        let whole = choice.message.is_some();
        if let Some(written) = choice.message.or(choice.delta) {
            draft.recognised = true;
            self.refused |= written.refusal.as_ref().and_then(Value::as_str).is_some_and(|words| !words.is_empty());
            if let Some(content) = written.content {
                for piece in visible(content)? {
                    draft.push_text(&piece, sink)?;
                }
            }
            for call in written.tool_calls.into_iter().flatten() {
                self.tool_call(call, whole, draft, sink)?;
            }
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            draft.finish = Some(finish_reason(&reason)?);
        }
        Ok(())
    }

    fn tool_call(
        &mut self,
        call: WireCall<'_>,
        whole: bool,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        let id = call.id.unwrap_or_default();
        let name = call.function.as_ref().and_then(|function| function.name.clone()).unwrap_or_default();
        let known = if whole { None } else { self.known(call.index, &id, &name, draft) };
        let position = match known {
            Some(position) => {
                draft.name_call(position, &name, sink)?;
                position
            }
            None => {
                self.indices.push(call.index);
                draft.start_call(&id, &name, sink)?
            }
        };
        if let Some(arguments) = call.function.and_then(|function| function.arguments) {
            draft.push_arguments(position, &text_or_raw(arguments)?)?;
        }
        if let Some(draft_call) = draft.call_mut(position) {
            if draft_call.id.is_empty() {
                draft_call.id = id;
            }
            if let Some(extra) = call.extra_content.filter(|extra| !extra.is_null()) {
                draft_call.vendor = Some(json!({ "extra_content": extra }));
            }
        }
        Ok(())
    }

    /// The call that a piece belongs to, if it was begun. Services are careless with `index` (absent, or 0 for all) and
    /// with `id` (empty in later pieces), so a piece that names a tool and does not fit begins a call.
    fn known(&self, index: Option<u64>, id: &str, name: &str, draft: &Draft) -> Option<usize> {
        let last_with = |fits: &dyn Fn(usize) -> bool| (0..draft.calls().len()).rev().find(|position| fits(*position));
        if !id.is_empty()
            && let Some(position) = last_with(&|position| draft.call(position).is_some_and(|call| call.id == id))
        {
            let same_index = index.is_none() || self.indices.get(position).copied().flatten() == index;
            if same_index {
                return Some(position);
            }
        }
        let position = if index.is_some() {
            last_with(&|position| self.indices.get(position).copied() == Some(index))
        } else {
            draft.calls().len().checked_sub(1)
        }?;
        if name.is_empty() {
            return Some(position);
        }
        let call = draft.call(position)?;
        let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
        let is_done = serde_json::from_str::<serde::de::IgnoredAny>(&call.arguments).is_ok();
        let begins = other_id || (index.is_none() && !call.name.is_empty()) || is_done;
        (!begins).then_some(position)
    }
}

/// The visible text of `content`: a string, or parts of which only those of type `text` are meant to be read.
fn visible(content: &RawValue) -> Result<Vec<String>, Failure> {
    #[derive(Deserialize)]
    struct Part {
        r#type: Option<String>,
        text: Option<Value>,
    }
    let raw = content.get();
    if raw.starts_with('[') {
        let parts: Vec<Part> = serde_json::from_str(raw).map_err(|cause| unreadable(&cause))?;
        let texts = parts.into_iter().filter(|part| part.r#type.as_deref() == Some("text"));
        return Ok(texts.filter_map(|part| part.text?.as_str().map(str::to_owned)).collect());
    }
    if raw.starts_with('"') {
        return Ok(vec![serde_json::from_str(raw).map_err(|cause| unreadable(&cause))?]);
    }
    Err(Failure::malformed("the content is neither text nor parts"))
}

/// Arguments as text: what the string holds, or the JSON itself where a service forgot to make a string of it.
fn text_or_raw(raw: &RawValue) -> Result<String, Failure> {
    if raw.get().starts_with('"') {
        return serde_json::from_str(raw.get()).map_err(|cause| unreadable(&cause));
    }
    Ok(raw.get().to_owned())
}

/// OpenAI counts reasoning inside `completion_tokens`, xAI beside it; the total tells which.
fn output_tokens(usage: &Value) -> u64 {
    let written = count(usage, "/completion_tokens");
    let reasoning = count(usage, "/completion_tokens_details/reasoning_tokens");
    let all = count(usage, "/total_tokens").saturating_sub(count(usage, "/prompt_tokens"));
    if all == written.saturating_add(reasoning) { all } else { written }
}

fn finish_reason(reason: &str) -> Result<FinishReason, Failure> {
    Ok(match reason {
        "stop" | "eos" | "end_turn" => FinishReason::Stop,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "length" | "max_tokens" | "model_length" => FinishReason::Length,
        "content_filter" | "refusal" => FinishReason::Refusal,
        "error" | "insufficient_system_resource" => {
            return Err(Failure::new(ModelErrorKind::Upstream, format!("the vendor gave up: {reason}")));
        }
        _ => FinishReason::Unknown,
    })
}
