//! What the Messages API answers: a `message` document, or its making as events.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::JsonWay;
use crate::failure;
use crate::failure::Failure;
use crate::{
    message::FinishReason,
    provider::EventSink,
    providers::{
        count,
        draft::{Draft, name_of, unreadable},
        wire::Parser,
    },
};

/// Every kind of payload; which fields it has depends on `type`.
#[derive(Deserialize)]
struct Payload<'a> {
    r#type: Option<String>,
    // message
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<Vec<Block<'a>>>,
    stop_reason: Option<String>,
    usage: Option<Value>,
    // message_start
    #[serde(borrow)]
    message: Option<Message<'a>>,
    // content_block_*
    index: Option<u64>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<Vec<Block<'a>>>,
    stop_reason: Option<String>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Block<'a> {
    r#type: String,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    r#type: Option<String>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    partial_json: Option<&'a RawValue>,
    stop_reason: Option<String>,
}

/// What a block of the answer is to us.
#[derive(Debug)]
enum Kind {
    Text,
    /// A call of the draft, and the input that it began with.
    Call {
        position: usize,
        input: String,
        pieces: bool,
    },
    /// The forced tool: its input is the answer.
    Answer {
        input: String,
        pieces: bool,
    },
    /// Reasoning, the vendor's own tools, and whatever comes next year.
    Other,
}

/// Reads Messages answers, whole or streamed.
#[derive(Debug)]
pub(crate) struct AnthropicParser {
    way: JsonWay,
    message: Option<String>,
    blocks: Vec<(Option<u64>, Kind)>,
    answered: bool,
}

impl AnthropicParser {
    pub(crate) const fn new(way: JsonWay) -> Self {
        Self { way, message: None, blocks: Vec::new(), answered: false }
    }

    fn begin(&mut self, message: Message<'_>, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let id = name_of(message.id).unwrap_or_default();
        if let Some(open) = &self.message {
            // A relay may repeat the beginning; another message in the middle of one is a mix of two answers.
            return if *open == id {
                Ok(())
            } else {
                Err(Failure::malformed("a second message began inside the first"))
            };
        }
        self.message = Some(id);
        draft.recognised = true;
        draft.model = name_of(message.model).unwrap_or_default();
        for block in message.content.into_iter().flatten() {
            self.start_block(None, block, draft, sink)?;
            self.stop_block(None, draft, sink)?;
        }
        if let Some(usage) = message.usage {
            read_usage(&usage, draft);
        }
        if let Some(reason) = message.stop_reason {
            draft.finish = Some(finish_reason(&reason));
        }
        Ok(())
    }

    fn start_block(
        &mut self,
        index: Option<u64>,
        block: Block<'_>,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        let input = block.input.map(|raw| raw.get().to_owned()).unwrap_or_default();
        let kind = match (block.r#type.as_str(), &self.way) {
            // Beside a forced tool, text is the model thinking aloud.
            ("text", JsonWay::ForcedTool(_)) => Kind::Other,
            ("text", _) => {
                if let Some(text) = block.text {
                    draft.push_raw_text(text, sink)?;
                }
                Kind::Text
            }
            ("tool_use", JsonWay::ForcedTool(name)) if name_of(block.name).as_ref() == Some(name) => {
                if std::mem::replace(&mut self.answered, true) {
                    return Err(Failure::malformed("two answers where one was asked for"));
                }
                Kind::Answer { input, pieces: false }
            }
            ("tool_use", _) => {
                if block.id.is_some_and(|id| !id.get().starts_with('"')) {
                    draft.mend("the id of a call was no text");
                }
                let (id, name) = (name_of(block.id).unwrap_or_default(), name_of(block.name).unwrap_or_default());
                let position = draft.start_call(&id, &name, sink)?;
                Kind::Call { position, input, pieces: false }
            }
            _ => Kind::Other,
        };
        self.blocks.push((index, kind));
        Ok(())
    }

    fn block_mut(&mut self, index: Option<u64>) -> Result<&mut Kind, Failure> {
        let found = self.blocks.iter_mut().rev().find(|(at, _)| *at == index);
        found.map(|(_, kind)| kind).ok_or_else(|| Failure::malformed("a piece of a block that did not begin"))
    }

    fn grow_block(
        &mut self,
        index: Option<u64>,
        delta: &Delta<'_>,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        let says_something = |piece: &RawValue| piece.get().len() > 2;
        match (self.block_mut(index)?, delta.r#type.as_deref()) {
            (Kind::Text, Some("text_delta")) => delta.text.map_or(Ok(()), |text| draft.push_raw_text(text, sink)),
            (Kind::Call { position, pieces, .. }, Some("input_json_delta")) => {
                let Some(piece) = delta.partial_json else { return Ok(()) };
                *pieces |= says_something(piece);
                draft.push_raw_arguments(*position, piece)
            }
            (Kind::Answer { pieces, .. }, Some("input_json_delta")) => {
                let Some(piece) = delta.partial_json else { return Ok(()) };
                *pieces |= says_something(piece);
                draft.push_raw_text(piece, sink)
            }
            (Kind::Text | Kind::Call { .. } | Kind::Answer { .. } | Kind::Other, _) => Ok(()),
        }
    }

    /// Ends a block: a call that came in no pieces has the input that it began with.
    fn stop_block(&mut self, index: Option<u64>, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        match self.block_mut(index)? {
            Kind::Call { position, input, pieces: false } => {
                let (position, input) = (*position, std::mem::take(input));
                draft.push_arguments(position, &input)
            }
            Kind::Answer { input, pieces: false } => draft.push_text(&std::mem::take(input), sink),
            Kind::Text | Kind::Call { .. } | Kind::Answer { .. } | Kind::Other => Ok(()),
        }
    }
}

impl Parser for AnthropicParser {
    fn payload(&mut self, text: &str, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let payload: Payload<'_> = match balcao_json::read_as(text.as_bytes(), balcao_json::MOST_VALUES) {
            Ok(payload) => payload,
            // What is JSON but no payload of ours (another vendor's) is skipped; it cannot complete an answer.
            Err(cause) if cause.is_data() && !names_known_type(text) => return Ok(()),
            Err(cause) => return Err(unreadable(&cause)),
        };
        match payload.r#type.as_deref() {
            Some("error") => {
                let text = balcao_json::mend_escapes(text.as_bytes());
                let body: Value =
                    balcao_json::read_as(&text, balcao_json::MOST_VALUES).map_err(|cause| unreadable(&cause))?;
                Err(failure::from_body(&body))
            }
            Some("message") => {
                let Payload { id, model, content, stop_reason, usage, .. } = payload;
                // Other vendors call things "message" too: ours has content and says why it stopped.
                if content.is_none() || stop_reason.is_none() {
                    return Ok(());
                }
                self.begin(Message { id, model, content, stop_reason, usage }, draft, sink)
            }
            Some("message_start") => {
                let message = payload.message.ok_or_else(|| Failure::malformed("a beginning without its message"))?;
                self.begin(message, draft, sink)
            }
            Some("content_block_start") => match payload.content_block {
                Some(block) if self.message.is_some() => self.start_block(payload.index, block, draft, sink),
                _ => Err(Failure::malformed("a block outside of a message")),
            },
            Some("content_block_delta") => match payload.delta {
                Some(delta) => self.grow_block(payload.index, &delta, draft, sink),
                None => Ok(()),
            },
            Some("content_block_stop") => self.stop_block(payload.index, draft, sink),
            Some("message_delta") => {
                if let Some(usage) = payload.usage {
                    read_usage(&usage, draft);
                }
                if let Some(reason) = payload.delta.and_then(|delta| delta.stop_reason) {
                    draft.finish = Some(finish_reason(&reason));
                }
                Ok(())
            }
            Some("message_stop") => {
                draft.ended = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, draft: &mut Draft) -> Result<(), Failure> {
        if draft.recognised
            && draft.finish == Some(FinishReason::ToolCalls)
            && self.answered
            && draft.calls().is_empty()
        {
            draft.finish = Some(FinishReason::Stop);
        }
        Ok(())
    }
}

fn names_known_type(text: &str) -> bool {
    const KNOWN: [&str; 7] = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
    ];
    let value: Option<Value> = balcao_json::read_as(text.as_bytes(), balcao_json::MOST_VALUES).ok();
    let name = value.as_ref().and_then(|value| value.get("type")?.as_str());
    name.is_some_and(|name| KNOWN.contains(&name))
}

/// Anthropic counts fresh, cached and newly cached input apart; figures of `message_delta` replace those of the start.
fn read_usage(usage: &Value, draft: &mut Draft) {
    if usage.get("input_tokens").is_some_and(Value::is_u64) {
        draft.usage.cached_input_tokens = count(usage, "/cache_read_input_tokens");
        draft.usage.input_tokens = count(usage, "/input_tokens")
            .saturating_add(draft.usage.cached_input_tokens)
            .saturating_add(count(usage, "/cache_creation_input_tokens"));
    }
    if usage.get("output_tokens").is_some_and(Value::is_u64) {
        draft.usage.output_tokens = count(usage, "/output_tokens");
    }
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Refusal,
        _ => FinishReason::Unknown,
    }
}
