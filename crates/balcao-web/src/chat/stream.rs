//! `GET /chat/v1/events`: a visitor's conversation as server-sent events.
//!
//! Messages carry their number as the event's id: a page that reconnects with `Last-Event-ID` goes on after it and misses nothing.
//! The stream sends who answers (`state`) at the beginning and at each change; it has no id, because only the last one counts. So has what an
//! agent is writing (`draft`): the whole of what may be seen of it so far, or nothing where it came to something else. A message
//! of the agent takes its place.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::response::sse::Event;
use balcao_app::messaging::web_chat::{ChatState, ChatView, OpenPage, Visitor, WebChats};
use futures::Stream;
use futures::stream::unfold;
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::limits::ChatLimits;
use crate::limits::fair_quota::Permit;

pub(super) struct Reader {
    pub(super) chats: WebChats,
    pub(super) visitor: Visitor,
    pub(super) page: OpenPage,
    pub(super) limits: ChatLimits,
    pub(super) stop: CancellationToken,
    /// The last number that was shown.
    pub(super) after: Option<i64>,
    /// Its place among all streams.
    pub(super) _share: Permit,
}

struct Progress {
    reader: Reader,
    ready: VecDeque<Event>,
    shown: Option<ChatState>,
    /// What the page shows of a reply that is being written.
    draft: String,
    ends: Instant,
}

/// Events until the server stops, or the stream's time is over.
pub(super) fn events(reader: Reader) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let ends = Instant::now() + reader.limits.stream_time;
    let progress = Progress { reader, ready: VecDeque::new(), shown: None, draft: String::new(), ends };
    unfold(progress, async |mut progress| progress.next().await.map(|event| (Ok(event), progress)))
}

impl Progress {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let more = self.look().await;
            if !more && self.ready.is_empty() {
                self.wait().await?;
            }
        }
    }

    /// Reads what is new; tells whether there is still more.
    async fn look(&mut self) -> bool {
        let Reader { chats, visitor, after, .. } = &self.reader;
        let view = match chats.look(visitor, *after).await {
            Ok(view) => view,
            Err(error) => {
                tracing::error!(%error, "a chat cannot be read");
                return false;
            }
        };
        for message in &view.messages {
            self.reader.after = Some(message.seq);
            let event = Event::default().event("message").id(message.seq.to_string());
            self.ready.extend(event.json_data(message));
        }
        self.draft(&view);
        if self.shown.as_ref() != Some(&view.state) {
            self.ready.extend(Event::default().event("state").json_data(&view.state));
            self.shown = Some(view.state);
        }
        view.more
    }

    /// Shows what is being written, as long as it is the agent who answers.
    fn draft(&mut self, view: &ChatView) {
        if view.messages.iter().any(|message| message.author == "agent") {
            self.reader.page.clear_preview();
            self.draft.clear();
            return;
        }
        let draft = if view.state.with == "agent" { self.reader.page.preview() } else { String::new() };
        if draft != self.draft {
            self.ready.extend(Event::default().event("draft").json_data(json!({ "text": draft })));
            self.draft = draft;
        }
    }

    /// Waits until there may be news; `None` when the stream is to end.
    async fn wait(&mut self) -> Option<()> {
        tokio::select! {
            biased;
            () = self.reader.stop.cancelled() => None,
            () = sleep_until(self.ends) => None,
            () = self.reader.page.wait_for_news() => Some(()),
            () = sleep(self.reader.limits.poll) => Some(()),
        }
    }
}
