//! A model that reads its lines from a script, for tests.
//!
//! It is as strict as the strictest vendor: a request that is not well formed ([`crate::wellformed`]) is refused, and the
//! refusal, a missing line and an unused line fail the test when the last handle is dropped or by [`Scripted::finish`].

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    error::{ModelError, ModelErrorKind},
    message::{FinishReason, ModelResponse, ToolCallRequest},
    provider::{ChatProvider, EventSink, ModelRequest, StreamEvent},
    providers::{free_id, ids_of},
    usage::Usage,
    wellformed,
};

/// What the model does when it is asked.
pub struct Line(Act);

type Answer = Box<dyn FnOnce(&ModelRequest) -> Act + Send>;

enum Act {
    Answer { pieces: Vec<String>, response: ModelResponse },
    Fail { pieces: Vec<String>, error: ModelError },
    Never,
    With(Answer),
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Act::Answer { response, .. } => f.debug_tuple("Answer").field(response).finish(),
            Act::Fail { error, .. } => f.debug_tuple("Fail").field(error).finish(),
            Act::Never => f.write_str("Never"),
            Act::With(_) => f.write_str("With(…)"),
        }
    }
}

impl Line {
    /// The same line after the text came in these pieces, as a stream brings it.
    #[must_use]
    pub fn in_pieces(self, pieces: &[&str]) -> Self {
        let pieces: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        Self(match self.0 {
            Act::Answer { mut response, .. } => {
                response.text = pieces.concat();
                Act::Answer { pieces, response }
            }
            Act::Fail { error, .. } => Act::Fail { pieces, error },
            act @ (Act::Never | Act::With(_)) => act,
        })
    }

    /// The same line with these tokens.
    #[must_use]
    pub fn using(self, usage: Usage) -> Self {
        Self(match self.0 {
            Act::Answer { pieces, mut response } => {
                response.usage = usage;
                Act::Answer { pieces, response }
            }
            act @ (Act::Fail { .. } | Act::Never | Act::With(_)) => act,
        })
    }

    /// The same line with another reason to stop.
    #[must_use]
    pub fn finishing(self, finish: FinishReason) -> Self {
        Self(match self.0 {
            Act::Answer { pieces, mut response } => {
                response.finish = finish;
                Act::Answer { pieces, response }
            }
            act @ (Act::Fail { .. } | Act::Never | Act::With(_)) => act,
        })
    }
}

/// The model answers with text.
#[must_use]
pub fn says(text: &str) -> Line {
    answers(ModelResponse {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        finish: FinishReason::Stop,
        usage: Usage::default(),
        model: "scripted".to_owned(),
        mended: Vec::new(),
    })
}

/// The model calls one tool with these arguments.
#[must_use]
pub fn calls(name: &str, arguments: &Value) -> Line {
    calls_raw("", &[(name, &arguments.to_string())])
}

/// The model calls several tools at once.
#[must_use]
pub fn calls_all(calls: &[(&str, Value)]) -> Line {
    let texts: Vec<String> = calls.iter().map(|(_, arguments)| arguments.to_string()).collect();
    let calls: Vec<(&str, &str)> = calls.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str())).collect();
    calls_raw("", &calls)
}

/// The model calls tools, with arguments exactly as written here, beside some text.
#[must_use]
pub fn calls_raw(text: &str, calls: &[(&str, &str)]) -> Line {
    let call = |(name, arguments): &(&str, &str)| ToolCallRequest {
        id: String::new(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        vendor: None,
    };
    answers(ModelResponse {
        text: text.to_owned(),
        tool_calls: calls.iter().map(call).collect(),
        finish: FinishReason::ToolCalls,
        usage: Usage::default(),
        model: "scripted".to_owned(),
        mended: Vec::new(),
    })
}

/// The model answers exactly this. Calls without an id are given a fresh one.
#[must_use]
pub fn answers(response: ModelResponse) -> Line {
    let pieces = if response.text.is_empty() { Vec::new() } else { vec![response.text.clone()] };
    Line(Act::Answer { pieces, response })
}

/// The call fails.
#[must_use]
pub fn fails(kind: ModelErrorKind) -> Line {
    fails_with(ModelError {
        kind,
        provider: "scripted".to_owned(),
        message: "scripted failure".to_owned(),
        retry_after: None,
        usage: Usage::default(),
    })
}

/// The call fails with exactly this error.
#[must_use]
pub const fn fails_with(error: ModelError) -> Line {
    Line(Act::Fail { pieces: Vec::new(), error })
}

/// The call never ends: the caller's clocks or cancelling must end it.
#[must_use]
pub const fn never_answers() -> Line {
    Line(Act::Never)
}

/// The line is made from the request, for calls that need what a tool said before.
pub fn with(make: impl FnOnce(&ModelRequest) -> Line + Send + 'static) -> Line {
    Line(Act::With(Box::new(move |request| make(request).0)))
}

/// What went wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the script did not go as written:\n{}", .0.join("\n"))]
pub struct ScriptError(pub Vec<String>);

/// A model that reads its lines from a script. Handles share the script.
#[derive(Debug, Clone)]
pub struct Scripted {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Line>,
    requests: Vec<ModelRequest>,
    problems: Vec<String>,
    finished: bool,
}

impl Scripted {
    /// A model with these lines.
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self::named("scripted", lines)
    }

    /// A model of that name with these lines.
    pub fn named(name: &str, lines: impl IntoIterator<Item = Line>) -> Self {
        let state = State { lines: lines.into_iter().collect(), ..State::default() };
        Self { shared: Arc::new(Shared { name: name.to_owned(), state: Mutex::new(state) }) }
    }

    /// Adds lines at the end.
    pub fn script(&self, lines: impl IntoIterator<Item = Line>) {
        let mut state = self.shared.state();
        state.finished = false;
        state.lines.extend(lines);
    }

    /// Every request so far, oldest first, refused ones included.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.state().requests.clone()
    }

    /// The last request, if there was one.
    #[must_use]
    pub fn last_request(&self) -> Option<ModelRequest> {
        self.shared.state().requests.last().cloned()
    }

    /// Says whether all went as written so far; dropping the model then asks no more.
    ///
    /// # Errors
    /// [`ScriptError`] lists requests that were not well formed, missing lines and unused ones.
    pub fn finish(&self) -> Result<(), ScriptError> {
        let mut state = self.shared.state();
        state.finished = true;
        let problems = state.take_problems();
        if problems.is_empty() { Ok(()) } else { Err(ScriptError(problems)) }
    }

    fn next_act(&self, request: &ModelRequest) -> Result<Act, ModelError> {
        let mut state = self.shared.state();
        let number = state.requests.len() + 1;
        state.requests.push(request.clone());
        let found: Vec<String> =
            wellformed::check(request).into_iter().map(|problem| format!("request {number}: {problem}")).collect();
        if !found.is_empty() {
            let message = found.join("; ");
            state.problems.extend(found);
            return Err(self.refusal(message));
        }
        match state.lines.pop_front() {
            Some(Line(act)) => Ok(act),
            None => {
                let message = format!("request {number}: the script has no more lines");
                state.problems.push(message.clone());
                Err(self.refusal(message))
            }
        }
    }

    fn refusal(&self, message: String) -> ModelError {
        ModelError {
            kind: ModelErrorKind::Rejected,
            provider: self.shared.name.clone(),
            message,
            retry_after: None,
            usage: Usage::default(),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned script is still worth its findings.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_problems(&mut self) -> Vec<String> {
        let mut problems = std::mem::take(&mut self.problems);
        problems.extend(self.lines.drain(..).map(|line| format!("unused line: {line:?}")));
        problems
    }
}

impl Drop for Shared {
    #[expect(clippy::panic, reason = "a script that did not go as written must fail the test that holds it")]
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.finished || std::thread::panicking() {
            return;
        }
        let problems = state.take_problems();
        if !problems.is_empty() {
            panic!("{}", ScriptError(problems));
        }
    }
}

#[async_trait]
impl ChatProvider for Scripted {
    fn name(&self) -> &str {
        &self.shared.name
    }

    fn model(&self) -> &str {
        "scripted"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let mut act = self.next_act(request)?;
        while let Act::With(make) = act {
            act = make(request);
        }
        let (pieces, result) = match act {
            Act::Answer { pieces, response } => (pieces, Ok(response)),
            Act::Fail { pieces, error } => (pieces, Err(error)),
            Act::Never | Act::With(_) => return std::future::pending().await,
        };
        on_event(StreamEvent::Started);
        for piece in &pieces {
            on_event(StreamEvent::Text(piece));
        }
        let mut response = result?;
        let mut taken = ids_of(request);
        for call in &mut response.tool_calls {
            if call.id.is_empty() {
                call.id = free_id(taken.len() + 1, &taken);
            }
            taken.insert(call.id.clone());
            on_event(StreamEvent::ToolCallStarted(&call.name));
        }
        Ok(response)
    }
}
