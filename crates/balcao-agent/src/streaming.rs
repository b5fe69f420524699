//! A reply that is seen while it is written.
//!
//! [`StreamingModel`] stands before a model and shows of its answer what the sanitiser lets through ([`Incremental`]), sentence by
//! sentence, and of that only what the end of the turn will let stand too: from the first sentence on that claims a deed, or
//! names a price, date or time that nothing said before, all waits for the whole reply. What was shown is the beginning of the
//! reply, unless the model goes on to ask for a tool: then it is void, and [`ReplySink::retract`] says so.
//!
//! Not here: what the reply is. The turn decides that as it does for an answer that nobody watched.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use balcao_llm::{
    ChatProvider, EventSink, Message, ModelError, ModelRequest, ModelResponse, Purpose, ResponseFormat, StreamEvent,
};
use balcao_tool::Locale;

use crate::{
    reply_checks::claims::{self, ClaimVerdict, Evidence},
    reply_checks::sanitise::{Incremental, Sanitiser},
};

/// Who watches.
pub trait ReplySink: Send + Sync {
    /// More of the reply, behind what was shown before.
    fn delta(&self, piece: &str);
    /// What was shown is not the reply's beginning.
    fn retract(&self);
}

/// A model whose answers are watched.
pub struct StreamingModel<'a> {
    model: &'a dyn ChatProvider,
    live: &'a dyn ReplySink,
    sanitiser: Arc<Sanitiser>,
    staff_facing: bool,
    /// Something was shown that is not void yet.
    open: AtomicBool,
}

/// Parts of the names of models that may begin inside a chain of thought which only a closing tag ends.
const REASONING: [&str; 6] = ["r1", "qwq", "qwen3", "think", "reason", "magistral"];

impl<'a> StreamingModel<'a> {
    /// Before a model, for the turn of this sanitiser.
    #[must_use]
    pub fn new(
        model: &'a dyn ChatProvider,
        live: &'a dyn ReplySink,
        sanitiser: Arc<Sanitiser>,
        staff_facing: bool,
    ) -> Self {
        Self { model, live, sanitiser, staff_facing, open: AtomicBool::new(false) }
    }

    fn void(&self) {
        if self.open.swap(false, Ordering::Relaxed) {
            self.live.retract();
        }
    }

    fn begin(&self) -> Incremental {
        let name = self.model.model().to_lowercase();
        Incremental::new(&self.sanitiser, REASONING.iter().any(|part| name.contains(part)))
    }
}

/// Whether the words so far would stand at the end of the turn, by what the model was told.
fn stands(text: &str, request: &ModelRequest, staff_facing: bool) -> bool {
    let locale = if request.facts.locale.starts_with("en") { Locale::En } else { Locale::PtBr };
    let evidence = Evidence { receipts: Vec::new(), today: request.facts.now.date(), locale, staff_facing };
    // Words of customers from before the change of the business count only at the end of the turn: a text that waits loses nothing.
    let said = request.messages.iter().skip(request.facts.outdated).rev().map(|message| match message {
        Message::Assistant { tool_calls, .. } if !tool_calls.is_empty() => "",
        Message::User { text } | Message::Assistant { text, .. } => text.as_str(),
        Message::ToolResult { content, .. } => content.as_str(),
    });
    claims::check(text, &evidence) == ClaimVerdict::Proven
        && claims::find_ungrounded(text, &evidence, said, &request.system).is_none()
}

impl fmt::Debug for StreamingModel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed").field("model", &self.model).finish_non_exhaustive()
    }
}

#[async_trait]
impl ChatProvider for StreamingModel<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn model(&self) -> &str {
        self.model.model()
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        self.void();
        let watched = request.purpose == Purpose::Step && request.format == ResponseFormat::Text;
        let mut reply = watched.then(|| self.begin());
        let mut so_far = String::new();
        let mut watch = |event: StreamEvent<'_>| {
            match event {
                StreamEvent::Text(piece) => {
                    if let Some(ready) = reply.as_mut().and_then(|reply| reply.push(piece)) {
                        so_far.push_str(&ready);
                        if stands(&so_far, request, self.staff_facing) {
                            self.open.store(true, Ordering::Relaxed);
                            self.live.delta(&ready);
                        } else {
                            reply = None;
                        }
                    }
                }
                StreamEvent::Restarted => {
                    self.void();
                    so_far.clear();
                    reply = watched.then(|| self.begin());
                }
                StreamEvent::ToolCallStarted(_) => {
                    self.void();
                    reply = None;
                }
                StreamEvent::Started | StreamEvent::Asking { .. } => {}
            }
            on_event(event);
        };
        let answer = self.model.complete(request, &mut watch).await;
        if answer.is_err() {
            self.void();
        }
        answer
    }
}
