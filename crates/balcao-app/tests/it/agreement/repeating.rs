//! A model that does what a story says, its last step again and again.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelRequest, ModelResponse, StreamEvent,
    ToolCallRequest, Usage,
};
use serde_json::Value;

/// What the model does in one step.
#[derive(Debug, Clone)]
pub(super) struct Step {
    text: String,
    /// Names, and arguments as they are written.
    calls: Vec<(String, String)>,
}

impl Step {
    pub(super) fn text(text: &str) -> Self {
        Self { text: text.to_owned(), calls: Vec::new() }
    }

    pub(super) fn call(name: &str, arguments: &Value) -> Self {
        Self { text: String::new(), calls: vec![(name.to_owned(), arguments.to_string())] }
    }

    /// A step of a scenario file in `../shared/material`.
    pub(super) fn of(step: &Value) -> Self {
        let times = step.get("times").and_then(Value::as_u64).unwrap_or(1);
        let written = |call: &Value| {
            let arguments = call.get("arguments").cloned().unwrap_or_default();
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            (call["name"].as_str().unwrap_or_default().to_owned(), text)
        };
        let calls: Vec<(String, String)> =
            step.get("calls").and_then(Value::as_array).into_iter().flatten().map(written).collect();
        // More than a step may hold, and no more than a test has time for.
        let times = usize::try_from(times).unwrap().min(1_000);
        let calls = std::iter::repeat_n(calls, times).flatten().collect();
        Self { text: step["text"].as_str().unwrap_or_default().to_owned(), calls }
    }
}

/// The scripted model. It stores the results that tools gave it.
#[derive(Debug, Clone, Default)]
pub(super) struct Repeating(Arc<Mutex<(Vec<Step>, Vec<String>)>>);

impl Repeating {
    /// From now on it does this.
    pub(super) fn does(&self, steps: Vec<Step>) {
        self.0.lock().unwrap().0 = steps;
    }

    /// Returns all results that tools gave the model.
    pub(super) fn was_told(&self) -> Vec<String> {
        self.0.lock().unwrap().1.clone()
    }
}

#[async_trait]
impl ChatProvider for Repeating {
    fn name(&self) -> &'static str {
        "repeating"
    }

    fn model(&self) -> &'static str {
        "repeating"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let mut told = self.0.lock().unwrap();
        let results = request.messages.iter().filter_map(|message| match message {
            Message::ToolResult { content, .. } => Some(content.clone()),
            Message::User { .. } | Message::Assistant { .. } => None,
        });
        told.1.extend(results);
        let step = if told.0.len() > 1 { told.0.remove(0) } else { told.0[0].clone() };
        drop(told);
        on_event(StreamEvent::Started);
        if !step.text.is_empty() {
            on_event(StreamEvent::Text(&step.text));
        }
        let call = |(number, (name, arguments)): (usize, &(String, String))| ToolCallRequest {
            id: format!("call_{}_{number}", request.messages.len()),
            name: name.clone(),
            arguments: arguments.clone(),
            vendor: None,
        };
        let tool_calls: Vec<ToolCallRequest> = step.calls.iter().enumerate().map(call).collect();
        let finish = if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        Ok(ModelResponse {
            mended: Vec::new(),
            text: step.text,
            tool_calls,
            finish,
            usage: Usage::default(),
            model: "repeating".to_owned(),
        })
    }
}
