//! An answer while it is being read: what all vendors' parsers write into.
//!
//! Invariants: the text events that were emitted, joined, are the answer's text; arguments are kept as they were written;
//! an answer that was cut before its vendor said why it stopped never becomes a [`ModelResponse`]; what was mended while it was read
//! stands in [`ModelResponse::mended`].

use std::collections::BTreeSet;

use balcao_json::Pieces;
use serde_json::{Value, value::RawValue};

use crate::failure::Failure;
use crate::{
    error::ModelErrorKind,
    http::Sizes,
    message::{FinishReason, Message, ModelResponse, ToolCallRequest},
    provider::{EventSink, ModelRequest, StreamEvent},
    providers::offered::Offered,
    usage::Usage,
};

/// A tool call while it is being read.
#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) vendor: Option<Value>,
    /// Half a character of the arguments that waits for its other half.
    pieces: Pieces,
}

/// How far the arguments of a call have come. What follows is of the call that is less far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// Nothing yet, or a beginning.
    Open,
    /// A word for no arguments: all of them, or what a service writes until it has them.
    Placeholder,
    /// One JSON value.
    Whole,
}

impl DraftCall {
    pub(crate) fn progress(&self) -> Progress {
        if self.holds_placeholder() {
            Progress::Placeholder
        } else if serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok() {
            Progress::Whole
        } else {
            Progress::Open
        }
    }

    fn holds_placeholder(&self) -> bool {
        matches!(self.arguments.trim(), "{}" | "{ }" | "null" | "\"\"" | "\"{}\"" | "\"null\"")
    }
}

/// So many kinds of mends of one answer are told.
const MENDS: usize = 16;

/// An answer while it is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    sizes: Sizes,
    /// The tools that may be called.
    pub(crate) offered: Offered,
    text: String,
    /// Half a character of the text that waits for its other half.
    pieces: Pieces,
    calls: Vec<DraftCall>,
    call_bytes: usize,
    mended: Vec<String>,
    /// Set by the first payload that is of the vendor's protocol.
    pub(crate) recognised: bool,
    /// Why it stopped, once the vendor said so.
    pub(crate) finish: Option<FinishReason>,
    /// The vendor's own end mark was read.
    pub(crate) ended: bool,
    pub(crate) usage: Usage,
    pub(crate) model: String,
}

impl Draft {
    pub(crate) const fn new(sizes: Sizes, offered: Offered) -> Self {
        Self {
            sizes,
            offered,
            text: String::new(),
            pieces: Pieces::new(),
            calls: Vec::new(),
            call_bytes: 0,
            mended: Vec::new(),
            recognised: false,
            finish: None,
            ended: false,
            usage: Usage { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_micro_usd: None },
            model: String::new(),
        }
    }

    pub(crate) fn push_text(&mut self, piece: &str, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        if piece.is_empty() {
            return Ok(());
        }
        if self.text.len().saturating_add(piece.len()) > self.sizes.text {
            return Err(Failure::too_large("visible text", self.sizes.text));
        }
        self.text.push_str(piece);
        sink(StreamEvent::Text(piece));
        Ok(())
    }

    /// Adds a piece of text as it stands in the payload. What is no string is refused.
    pub(crate) fn push_raw_text(&mut self, piece: &RawValue, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let text = self.pieces.push(piece.get()).map_err(|cause| unreadable(&cause))?;
        self.push_text(&text, sink)
    }

    /// Adds what waited for its other half, which did not come.
    pub(crate) fn flush(&mut self, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        let rest = self.pieces.rest();
        self.push_text(rest, sink)?;
        for call in &mut self.calls {
            call.arguments.push_str(call.pieces.rest());
        }
        Ok(())
    }

    /// Notes what a service wrote otherwise than its protocol says, and how it was read; once each.
    pub(crate) fn mend(&mut self, what: &str) {
        if self.mended.len() < MENDS && self.mended.iter().all(|told| told != what) {
            self.mended.push(what.to_owned());
        }
    }

    /// Begins a call and returns its position.
    pub(crate) fn start_call(&mut self, id: &str, name: &str, sink: &mut EventSink<'_>) -> Result<usize, Failure> {
        self.count_call_bytes(id.len().saturating_add(name.len()).saturating_add(1))?;
        self.calls.push(DraftCall { id: id.to_owned(), name: name.to_owned(), ..DraftCall::default() });
        if !name.is_empty() {
            sink(StreamEvent::ToolCallStarted(name));
        }
        Ok(self.calls.len() - 1)
    }

    /// Gives a call its name: one that began without a name, or with the beginning of it.
    pub(crate) fn name_call(&mut self, position: usize, name: &str, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        self.count_call_bytes(name.len())?;
        let Some(call) = self.calls.get_mut(position).filter(|call| call.name != name) else { return Ok(()) };
        let begun = std::mem::replace(&mut call.name, name.to_owned());
        if begun.is_empty() {
            sink(StreamEvent::ToolCallStarted(name));
        } else {
            self.mend("the name of a call came in pieces");
        }
        Ok(())
    }

    pub(crate) fn push_arguments(&mut self, position: usize, piece: &str) -> Result<(), Failure> {
        self.count_call_bytes(piece.len())?;
        if let Some(call) = self.calls.get_mut(position) {
            call.arguments.push_str(piece);
        }
        Ok(())
    }

    /// Adds a piece of arguments as it stands in the payload: what the string holds, or the JSON itself where a service forgot to make a
    /// string of it.
    pub(crate) fn push_raw_arguments(&mut self, position: usize, piece: &RawValue) -> Result<(), Failure> {
        let Some(call) = self.calls.get_mut(position) else { return Ok(()) };
        let is_text = piece.get().starts_with('"');
        let text = if is_text {
            call.pieces.push(piece.get()).map_err(|cause| unreadable(&cause))?
        } else {
            piece.get().to_owned()
        };
        if call.holds_placeholder() && !text.trim().is_empty() {
            call.arguments.clear();
            self.mend("the arguments of a call began with a placeholder");
        }
        if !is_text {
            self.mend("the arguments of a call were no text");
        }
        self.push_arguments(position, &text)
    }

    pub(crate) fn call(&self, position: usize) -> Option<&DraftCall> {
        self.calls.get(position)
    }

    pub(crate) fn call_mut(&mut self, position: usize) -> Option<&mut DraftCall> {
        self.calls.get_mut(position)
    }

    pub(crate) fn calls(&self) -> &[DraftCall] {
        &self.calls
    }

    /// True once nothing that may still come can change what the answer says.
    pub(crate) const fn is_complete(&self) -> bool {
        self.ended || self.finish.is_some()
    }

    /// The finished answer. `taken` are the call ids that stand in the request.
    pub(crate) fn into_response(mut self, mut taken: BTreeSet<String>) -> Result<ModelResponse, Failure> {
        if !self.recognised {
            return Err(Failure::malformed("the body is not an answer of this protocol"));
        }
        if !self.is_complete() {
            return Err(Failure::malformed("the answer ended before it was complete"));
        }
        // A beginning of which nothing came asks for nothing.
        self.calls.retain(|call| !(call.id.is_empty() && call.name.is_empty() && call.arguments.trim().is_empty()));
        let finish = match self.finish.unwrap_or(FinishReason::Unknown) {
            FinishReason::Stop if !self.calls.is_empty() => FinishReason::ToolCalls,
            FinishReason::ToolCalls if self.calls.is_empty() && self.text.is_empty() => FinishReason::Unknown,
            FinishReason::ToolCalls if self.calls.is_empty() => FinishReason::Stop,
            told @ (FinishReason::Stop
            | FinishReason::ToolCalls
            | FinishReason::Length
            | FinishReason::Refusal
            | FinishReason::Unknown) => told,
        };
        if finish != FinishReason::Length && self.calls.iter().any(|call| call.name.is_empty()) {
            return Err(Failure::malformed("a tool call has no name"));
        }
        for call in &mut self.calls {
            let Some(name) = self.offered.find(&call.name).filter(|name| *name != call.name) else { continue };
            name.clone_into(&mut call.name);
            let told = "the name of a call was spelt otherwise than the tool's";
            if self.mended.len() < MENDS && self.mended.iter().all(|mend| mend != told) {
                self.mended.push(told.to_owned());
            }
        }
        let taken_before = taken.len();
        let mut ordinal = taken_before;
        let mut tool_calls = Vec::with_capacity(self.calls.len());
        for call in self.calls {
            ordinal += 1;
            let is_taken = taken.contains(&call.id);
            if is_taken && self.mended.len() < MENDS {
                self.mended.push(format!("the id of call {} was one of another call", ordinal - taken_before));
            }
            let id = if call.id.is_empty() || is_taken { free_id(ordinal, &taken) } else { call.id };
            taken.insert(id.clone());
            tool_calls.push(ToolCallRequest { id, name: call.name, arguments: call.arguments, vendor: call.vendor });
        }
        Ok(ModelResponse {
            text: self.text,
            tool_calls,
            finish,
            usage: self.usage,
            model: self.model,
            mended: self.mended,
        })
    }

    fn count_call_bytes(&mut self, more: usize) -> Result<(), Failure> {
        self.call_bytes = self.call_bytes.saturating_add(more);
        if self.call_bytes > self.sizes.calls {
            return Err(Failure::too_large("tool calls", self.sizes.calls));
        }
        Ok(())
    }
}

/// The ids of the calls that stand in a request.
pub(crate) fn ids_of(request: &ModelRequest) -> BTreeSet<String> {
    request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { tool_calls, .. } => Some(tool_calls),
            Message::User { .. } | Message::ToolResult { .. } => None,
        })
        .flatten()
        .map(|call| call.id.clone())
        .collect()
}

/// `call_<n>`, with the first `n` from `ordinal` up that is not taken: the same transcript gives the same id.
pub(crate) fn free_id(ordinal: usize, taken: &BTreeSet<String>) -> String {
    let mut n = ordinal;
    loop {
        let id = format!("call_{n}");
        if !taken.contains(&id) {
            return id;
        }
        n += 1;
    }
}

/// A name of a service's: an id, a tool, a model. Some write a number where the protocol says a text; it names as well.
pub(crate) fn name_of(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw?.get();
    if raw.starts_with('"') {
        let mut pieces = Pieces::new();
        let mut name = pieces.push(raw).ok()?;
        name.push_str(pieces.rest());
        return Some(name);
    }
    let is_number = raw.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    is_number.then(|| raw.to_owned())
}

/// A failure whose kind a parser decides.
pub(crate) fn unreadable(cause: &serde_json::Error) -> Failure {
    // The cause's own words may quote the body, so only the place is told.
    Failure::new(
        ModelErrorKind::Malformed,
        format!("unreadable JSON at line {}, column {}", cause.line(), cause.column()),
    )
}
