//! What `generateContent` answers: whole answers and the pieces of a stream have one shape.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::partial_args::{PartialArg, PartialArgs};
use crate::failure;
use crate::failure::Failure;
use crate::{
    error::ModelErrorKind,
    message::FinishReason,
    provider::EventSink,
    providers::{
        count,
        draft::{Draft, name_of, unreadable},
        wire::Parser,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    prompt_feedback: Option<Value>,
    usage_metadata: Option<Value>,
    #[serde(borrow)]
    model_version: Option<&'a RawValue>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    thought: Option<bool>,
    thought_signature: Option<Value>,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    partial_args: Option<Vec<PartialArg>>,
    will_continue: Option<bool>,
}

/// Reads `generateContent` answers, whole or streamed.
#[derive(Debug, Default)]
pub(crate) struct GeminiParser {
    /// The call whose arguments are still coming.
    open: Option<(usize, PartialArgs)>,
}

impl Parser for GeminiParser {
    fn payload(&mut self, text: &str, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        if text.starts_with('[') {
            // A stream without `alt=sse` is one array of its pieces.
            let pieces: Vec<&RawValue> =
                balcao_json::read_as(text.as_bytes(), balcao_json::MOST_VALUES).map_err(|cause| unreadable(&cause))?;
            return pieces.into_iter().try_for_each(|piece| self.piece(piece.get(), draft, sink));
        }
        self.piece(text, draft, sink)
    }

    fn end(&mut self, draft: &mut Draft) -> Result<(), Failure> {
        if self.open.is_some() && draft.finish != Some(FinishReason::Length) {
            return Err(Failure::malformed("the answer ended inside a tool call"));
        }
        Ok(())
    }
}

impl GeminiParser {
    fn piece(&mut self, text: &str, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let chunk: Chunk<'_> =
            balcao_json::read_as(text.as_bytes(), balcao_json::MOST_VALUES).map_err(|cause| unreadable(&cause))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(failure::from_body(&json!({ "error": error })));
        }
        if let Some(model) = name_of(chunk.model_version) {
            draft.model = model;
        }
        if let Some(usage) = &chunk.usage_metadata {
            draft.usage.input_tokens =
                count(usage, "/promptTokenCount").saturating_add(count(usage, "/toolUsePromptTokenCount"));
            draft.usage.cached_input_tokens = count(usage, "/cachedContentTokenCount");
            draft.usage.output_tokens =
                count(usage, "/candidatesTokenCount").saturating_add(count(usage, "/thoughtsTokenCount"));
        }
        let blocked = chunk.prompt_feedback.as_ref().is_some_and(|feedback| feedback.get("blockReason").is_some());
        if blocked {
            draft.recognised = true;
            draft.finish = Some(FinishReason::Refusal);
        }
        for candidate in chunk.candidates.into_iter().flatten() {
            if candidate.index.unwrap_or(0) == 0 {
                self.candidate(candidate, draft, sink)?;
            }
        }
        Ok(())
    }

    fn candidate(
        &mut self,
        candidate: Candidate<'_>,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        draft.recognised |= candidate.content.is_some() || candidate.finish_reason.is_some();
        for part in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
            if let Some(call) = part.function_call {
                self.function_call(call, part.thought_signature, draft, sink)?;
            } else if !part.thought.unwrap_or(false)
                && let Some(text) = part.text
            {
                draft.push_raw_text(text, sink)?;
            }
        }
        if let Some(reason) = candidate.finish_reason.filter(|reason| reason != "FINISH_REASON_UNSPECIFIED") {
            draft.finish = Some(finish_reason(&reason)?);
        }
        Ok(())
    }

    /// A whole call, or one of the pieces of a call: its name, then arguments by path, then a piece that says no more come.
    fn function_call(
        &mut self,
        call: FunctionCall<'_>,
        signature: Option<Value>,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        let goes_on = call.will_continue.unwrap_or(false);
        if let Some(name) = name_of(call.name).filter(|name| !name.is_empty()) {
            if self.open.is_some() {
                return Err(Failure::malformed("a tool call began inside another"));
            }
            if call.id.is_some_and(|id| !id.get().starts_with('"')) {
                draft.mend("the id of a call was no text");
            }
            let position = draft.start_call(&name_of(call.id).unwrap_or_default(), &name, sink)?;
            if let (Some(signature), Some(begun)) = (signature, draft.call_mut(position)) {
                begun.vendor = Some(json!({ "thought_signature": signature }));
            }
            if let Some(args) = call.args {
                draft.push_arguments(position, args.get())?;
            }
            if goes_on || call.partial_args.is_some() {
                self.open = Some((position, PartialArgs::default()));
            }
        }
        let Some((position, args)) = &mut self.open else { return Ok(()) };
        for piece in call.partial_args.into_iter().flatten() {
            args.apply(piece)?;
        }
        if !goes_on {
            draft.push_arguments(*position, &args.text())?;
            self.open = None;
        }
        Ok(())
    }
}

fn finish_reason(reason: &str) -> Result<FinishReason, Failure> {
    Ok(match reason {
        "STOP" => FinishReason::Stop,
        "FUNCTION_CALL" | "TOOL_CALLS" => FinishReason::ToolCalls,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => FinishReason::Refusal,
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => {
            return Err(Failure::new(
                ModelErrorKind::ToolUseFailed,
                format!("the vendor refused its model's call: {reason}"),
            ));
        }
        _ => FinishReason::Unknown,
    })
}
