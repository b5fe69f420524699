//! What chat completions answer: whole and streamed answers share one shape, `message` in the one being `delta` in the other.
//!
//! Services are careless with what they call OpenAI's API. What can mean one thing only is read, and [`Draft::mend`] notes it; the
//! table of what was seen, service by service, is `docs/MODEL-SERVICES.md`, each row with its test.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::{Value, json, value::RawValue};

use crate::failure;
use crate::failure::Failure;
use crate::{
    error::ModelErrorKind,
    message::FinishReason,
    provider::EventSink,
    providers::{
        count,
        draft::{Draft, DraftCall, Progress, name_of, unreadable},
        repeats::without_repeats,
        wire::Parser,
    },
};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    object: Option<Value>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    usage: Option<Value>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<Value>,
    #[serde(borrow)]
    delta: Option<Written<'a>>,
    #[serde(borrow)]
    message: Option<Written<'a>>,
    #[serde(borrow)]
    finish_reason: Option<&'a RawValue>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Calls<'a>>,
    /// What calls were before there could be several.
    #[serde(borrow)]
    function_call: Option<&'a RawValue>,
}

/// What stands in the place of the list of calls.
enum Calls<'a> {
    List(Vec<Option<WireCall<'a>>>),
    /// One call without the list around it.
    One(Box<WireCall<'a>>),
    /// A value that says nothing.
    Nothing,
}

impl<'de: 'a, 'a> Deserialize<'de> for Calls<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Calls<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of calls")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(items)).map(Calls::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(fields)).map(Calls::One)
            }

            fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
                if truth { Err(E::invalid_type(Unexpected::Bool(truth), &self)) } else { Ok(Calls::Nothing) }
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                if text.trim().is_empty() {
                    Ok(Calls::Nothing)
                } else {
                    Err(E::invalid_type(Unexpected::Str(text), &self))
                }
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[derive(Default, Deserialize)]
struct WireCall<'a> {
    index: Option<Value>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
    /// Beside `id` in place of within `function`.
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    extra_content: Option<Value>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
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
        let read = balcao_json::read_as::<Chunk<'_>>(text.as_bytes(), balcao_json::MOST_VALUES);
        let cause = match read {
            Ok(chunk) => return self.chunk(chunk, text, draft, sink),
            Err(cause) => unreadable(&cause),
        };
        let once = without_repeats(text).ok_or_else(|| cause.clone())?;
        let chunk =
            balcao_json::read_as(once.as_bytes(), balcao_json::MOST_VALUES).map_err(|_still_unreadable| cause)?;
        draft.mend("a field stood twice with one value");
        self.chunk(chunk, &once, draft, sink)
    }

    fn end(&mut self, draft: &mut Draft) -> Result<(), Failure> {
        if self.refused {
            draft.finish = Some(FinishReason::Refusal);
        }
        Ok(())
    }
}

impl OpenAiParser {
    fn chunk(
        &mut self,
        chunk: Chunk<'_>,
        text: &str,
        draft: &mut Draft,
        sink: &mut EventSink<'_>,
    ) -> Result<(), Failure> {
        let answers = chunk.choices.is_some() || chunk.usage.as_ref().is_some_and(|usage| !usage.is_null());
        let is_error = match chunk.error {
            Some(error) if answers && says_nothing(error) => {
                draft.mend("an error that says nothing stood beside the answer");
                false
            }
            Some(_) => true,
            None => false,
        };
        if is_error || chunk.object.as_ref().is_some_and(|object| object == "error") {
            let text = balcao_json::mend_escapes(text.as_bytes());
            let body: Value =
                balcao_json::read_as(&text, balcao_json::MOST_VALUES).map_err(|cause| unreadable(&cause))?;
            return Err(failure::from_body(&body));
        }
        // The last piece of a stream may have the usage alone.
        if let Some(usage) = chunk.usage.filter(|usage| !usage.is_null()) {
            draft.usage.input_tokens = count(&usage, "/prompt_tokens");
            draft.usage.cached_input_tokens =
                count(&usage, "/prompt_tokens_details/cached_tokens").max(count(&usage, "/cached_tokens"));
            draft.usage.output_tokens = output_tokens(&usage);
        }
        let Some(choices) = chunk.choices else { return Ok(()) };
        if let Some(model) = name_of(chunk.model) {
            draft.model = model;
        }
        for choice in choices {
            if choice.index.as_ref().and_then(Value::as_u64).unwrap_or(0) == 0 {
                self.choice(choice, draft, sink)?;
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice<'_>, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        if let Some(error) = choice.error {
            if !is_nothing(&error) || (choice.message.is_none() && choice.delta.is_none()) {
                return Err(failure::from_body(&json!({ "error": error })));
            }
            draft.mend("an error that says nothing stood beside the answer");
        }
        let whole = choice.message.is_some();
        if let Some(written) = choice.message.or(choice.delta) {
            draft.recognised = true;
            self.refused |= name_of(written.refusal).is_some_and(|words| !words.is_empty());
            if let Some(content) = written.content {
                write_visible(content, draft, sink)?;
            }
            for call in calls_of(written.tool_calls, written.function_call, draft)? {
                self.tool_call(call, whole, draft, sink)?;
            }
        }
        if let Some(reason) = name_of(choice.finish_reason).filter(|reason| !reason.is_empty()) {
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
        if call.id.is_some_and(|id| !id.get().starts_with('"')) {
            draft.mend("the id of a call was no text");
        }
        let index = index_of(call.index.as_ref());
        if call.index.is_some() && index.is_none() {
            draft.mend("the index of a call was no count");
        }
        let function = call.function.as_ref();
        let piece = Piece {
            index,
            id: name_of(call.id).unwrap_or_default(),
            name: name_of(function.and_then(|function| function.name).or(call.name))
                .filter(|name| !name.trim().is_empty())
                .unwrap_or_default(),
            arguments: function.and_then(|function| function.arguments).or(call.arguments),
        };
        if function.is_none() && call.name.is_some() {
            draft.mend("the name of a call stood beside its function");
        }
        let place = if whole { Place::Begins } else { self.place(&piece, draft) };
        let position = match place {
            Place::Repeats => {
                draft.mend("a call came twice");
                return Ok(());
            }
            Place::Of(position) => {
                let begun_at = self.indices.get(position).copied().flatten();
                if piece.index.is_some() && piece.index != begun_at {
                    draft.mend("a piece of a call stood under another index than its beginning");
                }
                let name = draft.call(position).and_then(|call| piece.name_with(call, draft));
                if let Some(name) = name.filter(|name| !name.is_empty()) {
                    draft.name_call(position, &name, sink)?;
                }
                position
            }
            Place::Begins => {
                if !whole && piece.index.is_some() && self.indices.contains(&piece.index) {
                    draft.mend("two calls began under one index");
                }
                self.indices.push(piece.index);
                draft.start_call(&piece.id, &piece.name, sink)?
            }
        };
        if let Some(arguments) = piece.arguments {
            draft.push_raw_arguments(position, arguments)?;
        }
        if let Some(draft_call) = draft.call_mut(position) {
            if draft_call.id.is_empty() {
                draft_call.id = piece.id;
            }
            if let Some(extra) = call.extra_content.filter(|extra| !extra.is_null()) {
                draft_call.vendor = Some(json!({ "extra_content": extra }));
            }
        }
        Ok(())
    }

    /// Where a piece belongs. The protocol's own word is the index; a service that is careless with it is understood by what the piece
    /// itself says: an id, a name, and whether the call that it would lengthen is complete already.
    fn place(&self, piece: &Piece<'_>, draft: &Draft) -> Place {
        let last_with = |fits: &dyn Fn(usize) -> bool| (0..draft.calls().len()).rev().find(|position| fits(*position));
        let progress = |at: usize| draft.call(at).map_or(Progress::Open, DraftCall::progress);
        let of_id = last_with(&|at| !piece.id.is_empty() && draft.call(at).is_some_and(|call| call.id == piece.id));
        if let Some(position) = of_id
            && let Some(call) = draft.call(position)
        {
            let names_it = piece.name.is_empty() || call.name.is_empty() || call.name == piece.name;
            let progress = progress(position);
            if names_it && piece.begins() && progress != Progress::Open && piece.says(&call.arguments) {
                return Place::Repeats;
            }
            let same_index = piece.index.is_none() || self.indices.get(position).copied().flatten() == piece.index;
            if names_it && (same_index || !piece.begins()) && !(piece.begins() && progress == Progress::Whole) {
                return Place::Of(position);
            }
        }
        let last = draft.calls().len().checked_sub(1);
        let of_index =
            piece.index.and_then(|index| last_with(&|at| self.indices.get(at).copied().flatten() == Some(index)));
        if !piece.begins() {
            let found = match (of_index, last) {
                // What would follow whole arguments is of the call that still waits for its own.
                (Some(at), Some(last)) if progress(at) > progress(last) => Some(last),
                (Some(at), _) => Some(at),
                (None, Some(last)) if piece.index.is_none() || progress(last) != Progress::Whole => Some(last),
                (None, _) => None,
            };
            let is_of_another =
                |at: usize| draft.call(at).is_some_and(|call| !call.id.is_empty() && call.id != piece.id);
            return match found {
                Some(at) if of_index.is_none() && !piece.id.is_empty() && is_of_another(at) => Place::Begins,
                Some(at) => Place::Of(at),
                None => Place::Begins,
            };
        }
        let Some(position) = (if piece.index.is_some() { of_index } else { last }) else { return Place::Begins };
        let Some(call) = draft.call(position) else { return Place::Begins };
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && call.id != piece.id;
        let is_named_so = call.name == piece.name;
        let continues = match (piece.name_with(call, draft), progress(position)) {
            (None, _) | (_, Progress::Whole) => false,
            (Some(name), Progress::Placeholder) => !is_named_so && draft.offered.knows(&name),
            // Without an index, arguments that have begun tell a name that is repeated from a call of the same tool.
            (Some(_), Progress::Open) => !is_named_so || piece.index.is_some() || !call.arguments.trim().is_empty(),
        };
        if continues && !other_id { Place::Of(position) } else { Place::Begins }
    }
}

/// A piece of a call.
struct Piece<'a> {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Option<&'a RawValue>,
}

impl Piece<'_> {
    fn begins(&self) -> bool {
        !self.name.is_empty()
    }

    /// The name of a call once the piece's own is added to it: the same one repeated, a longer one in its place, or what follows the
    /// beginning. `None` if the piece names another call.
    fn name_with(&self, call: &DraftCall, draft: &Draft) -> Option<String> {
        if !self.begins() || call.name.is_empty() || call.name == self.name {
            return Some(if self.begins() { self.name.clone() } else { call.name.clone() });
        }
        let is_tool = |name: &str| draft.offered.find(name).is_some();
        let joined = format!("{}{}", call.name, self.name);
        let is_apart = is_tool(&call.name) && is_tool(&self.name);
        match self.index {
            _ if is_apart => None,
            _ if draft.offered.knows(&joined) => Some(joined),
            // Without an index, only the names of the tools tell that two names are one.
            None => None,
            Some(_) if self.name.starts_with(&call.name) => Some(self.name.clone()),
            Some(_) if is_tool(&self.name) => None,
            Some(_) => Some(joined),
        }
    }

    /// Whether the piece holds these very arguments, or none.
    fn says(&self, arguments: &str) -> bool {
        self.arguments.is_none_or(|raw| {
            let text = if raw.get().starts_with('"') { name_of(Some(raw)) } else { Some(raw.get().to_owned()) };
            text.is_none_or(|text| text.trim().is_empty() || text == arguments)
        })
    }
}

/// Where a piece of a call belongs.
enum Place {
    /// To this call of the draft.
    Of(usize),
    /// It begins a call.
    Begins,
    /// To a call that is complete, and says nothing new of it.
    Repeats,
}

/// The calls of a message or a piece: the list that the protocol wants, one call in its place, or the one `function_call` of before.
/// What is `null` in the list calls nothing, as do `false` and an empty text in its place.
fn calls_of<'a>(
    calls: Option<Calls<'a>>,
    one: Option<&'a RawValue>,
    draft: &mut Draft,
) -> Result<Vec<WireCall<'a>>, Failure> {
    match calls {
        Some(Calls::List(listed)) => {
            let places = listed.len();
            let calls: Vec<WireCall<'a>> = listed.into_iter().flatten().collect();
            if calls.len() < places {
                draft.mend("an empty place stood in the list of calls");
            }
            // Some services write the same call in both ways.
            if !calls.is_empty() {
                return Ok(calls);
            }
        }
        Some(Calls::One(call)) => {
            draft.mend("a call stood in place of a list of calls");
            return Ok(vec![*call]);
        }
        Some(Calls::Nothing) | None => {}
    }
    let Some(one) = one.filter(|one| !says_nothing(one)) else { return Ok(Vec::new()) };
    draft.mend("a call was written as `function_call`");
    Ok(vec![WireCall { function: Some(read(one.get())?), ..WireCall::default() }])
}

fn read<'a, T: Deserialize<'a>>(raw: &'a str) -> Result<T, Failure> {
    balcao_json::read_as(raw.as_bytes(), balcao_json::MOST_VALUES).map_err(|cause| unreadable(&cause))
}

/// Whether a value says nothing, as services write a field that they do not use.
fn says_nothing(raw: &RawValue) -> bool {
    // Only what is short can be nothing.
    const LONGEST: usize = 200;
    raw.get().len() <= LONGEST && serde_json::from_str(raw.get()).is_ok_and(|value| is_nothing(&value))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_nothing),
        Value::Object(fields) => fields.values().all(is_nothing),
    }
}

/// An index as the protocol says, or the same written as a text. Anything else, such as -1, says nothing.
fn index_of(index: Option<&Value>) -> Option<u64> {
    let index = index?;
    index.as_u64().or_else(|| index.as_str()?.trim().parse().ok())
}

/// Writes the visible text of `content`: a string, or parts of which only those of type `text` are meant to be read.
fn write_visible(content: &RawValue, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Part<'a> {
        r#type: Option<String>,
        #[serde(borrow)]
        text: Option<&'a RawValue>,
    }
    let raw = content.get();
    if raw.starts_with('[') {
        let parts: Vec<Part<'_>> = read(raw)?;
        let texts = parts.into_iter().filter(|part| part.r#type.as_deref() == Some("text"));
        let mut texts = texts.filter_map(|part| part.text).filter(|text| text.get().starts_with('"'));
        return texts.try_for_each(|text| draft.push_raw_text(text, sink));
    }
    if raw.starts_with('"') {
        return draft.push_raw_text(content, sink);
    }
    if raw == "false" {
        draft.mend("the content was `false`");
        return Ok(());
    }
    Err(Failure::malformed("the content is neither text nor parts"))
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
