//! An answer while it is being read: what all vendors' parsers write into.
//!
//! Invariants: the text events that were emitted, joined, are the answer's text; arguments are kept as they were written;
//! an answer that was cut before its vendor said why it stopped never becomes a [`ModelResponse`].

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    error::ModelErrorKind,
    http::Sizes,
    message::{FinishReason, Message, ModelResponse, ToolCallRequest},
    provider::{EventSink, ModelRequest, StreamEvent},
    providers::failure::Failure,
    usage::Usage,
};

/// A tool call while it is being read.
#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) vendor: Option<Value>,
}

/// An answer while it is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    sizes: Sizes,
    text: String,
    calls: Vec<DraftCall>,
    call_bytes: usize,
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
    pub(crate) const fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            text: String::new(),
            calls: Vec::new(),
            call_bytes: 0,
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

    /// Begins a call and returns its position.
    pub(crate) fn start_call(&mut self, id: &str, name: &str, sink: &mut EventSink<'_>) -> Result<usize, Failure> {
        self.count_call_bytes(id.len().saturating_add(name.len()).saturating_add(1))?;
        self.calls.push(DraftCall { id: id.to_owned(), name: name.to_owned(), ..DraftCall::default() });
        if !name.is_empty() {
            sink(StreamEvent::ToolCallStarted(name));
        }
        Ok(self.calls.len() - 1)
    }

    /// Gives a call that began without one its name.
    pub(crate) fn name_call(&mut self, position: usize, name: &str, sink: &mut EventSink<'_>) -> Result<(), Failure> {
        self.count_call_bytes(name.len())?;
        if let Some(call) = self.calls.get_mut(position)
            && call.name.is_empty()
            && !name.is_empty()
        {
            name.clone_into(&mut call.name);
            sink(StreamEvent::ToolCallStarted(name));
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
    pub(crate) fn into_response(self, mut taken: BTreeSet<String>) -> Result<ModelResponse, Failure> {
        if !self.recognised {
            return Err(Failure::malformed("the body is not an answer of this protocol"));
        }
        if !self.is_complete() {
            return Err(Failure::malformed("the answer ended before it was complete"));
        }
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
        let mut ordinal = taken.len();
        let mut tool_calls = Vec::with_capacity(self.calls.len());
        for call in self.calls {
            ordinal += 1;
            let id = if call.id.is_empty() || taken.contains(&call.id) { free_id(ordinal, &taken) } else { call.id };
            taken.insert(id.clone());
            tool_calls.push(ToolCallRequest { id, name: call.name, arguments: call.arguments, vendor: call.vendor });
        }
        Ok(ModelResponse { text: self.text, tool_calls, finish, usage: self.usage, model: self.model })
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

/// A failure whose kind a parser decides.
pub(crate) fn unreadable(cause: &serde_json::Error) -> Failure {
    // The cause's own words may quote the body, so only the place is told.
    Failure::new(
        ModelErrorKind::Malformed,
        format!("unreadable JSON at line {}, column {}", cause.line(), cause.column()),
    )
}
