//! Asks a vendor over HTTP and reads what comes: the one driver behind all network providers.
//!
//! Reading is free of I/O ([`BodyReader`]): pieces of a body in, text events and at the end a response out, the same for
//! any cut of the body, streamed or not. [`ask`] adds the clocks. Not here: retrying ([`crate::retry`]).

use std::collections::BTreeSet;

use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::failure;
use crate::failure::Failure;
use crate::{
    error::{ModelError, ModelErrorKind},
    http::{Clocks, Sizes},
    message::{Message, ModelResponse},
    provider::{EventSink, ModelRequest, StreamEvent},
    providers::{
        Service,
        draft::{Draft, ids_of},
        offered::Offered,
    },
    sse::{SseDecoder, SseEvent},
    usage::Usage,
};

/// Reads one vendor's payloads: the data of an event, or a whole document.
pub(crate) trait Parser: Send {
    /// Reads one payload into the draft.
    fn payload(&mut self, text: &str, draft: &mut Draft, sink: &mut EventSink<'_>) -> Result<(), Failure>;

    /// Called once after the last payload, for what only the end can tell.
    fn end(&mut self, _draft: &mut Draft) -> Result<(), Failure> {
        Ok(())
    }
}

/// What a body turned out to be, by its first character: JSON begins with a bracket, an event stream never does. The
/// content type is not asked, because gateways get it wrong.
#[derive(Debug)]
enum Form {
    /// Nothing but white space and the beginning of a byte order mark, which is kept.
    Undecided(Vec<u8>),
    Document(Vec<u8>),
    Stream(SseDecoder),
}

/// Reads a body that comes in pieces.
pub(crate) struct BodyReader<P> {
    parser: P,
    sizes: Sizes,
    form: Form,
    draft: Draft,
    read: usize,
}

impl<P: Parser> BodyReader<P> {
    pub(crate) const fn new(parser: P, sizes: Sizes, offered: Offered) -> Self {
        Self { parser, sizes, form: Form::Undecided(Vec::new()), draft: Draft::new(sizes, offered), read: 0 }
    }

    /// Reads a piece; true if the answer moved on (comments that keep a line open do not count).
    pub(crate) fn push(&mut self, bytes: &[u8], sink: &mut EventSink<'_>) -> Result<bool, Failure> {
        if self.draft.ended {
            return Ok(false);
        }
        self.read = self.read.saturating_add(bytes.len());
        if self.read > self.sizes.stream {
            return Err(Failure::too_large("the stream", self.sizes.stream));
        }
        let begun;
        let mut bytes = bytes;
        if let Form::Undecided(held) = &mut self.form {
            held.extend_from_slice(bytes);
            begun = std::mem::take(held);
            bytes = balcao_json::without_mark(begun.trim_ascii_start()).trim_ascii_start();
            let is_part_of_mark = b"\xef\xbb\xbf".starts_with(bytes);
            self.form = match bytes.first() {
                _ if is_part_of_mark => Form::Undecided(bytes.to_vec()),
                Some(b'{' | b'[') => Form::Document(Vec::new()),
                Some(_) | None => Form::Stream(SseDecoder::new(self.sizes.document)),
            };
        }
        let mut events = Vec::new();
        match &mut self.form {
            Form::Undecided(_) => return Ok(false),
            Form::Document(document) => {
                if document.len().saturating_add(bytes.len()) > self.sizes.document {
                    return Err(Failure::too_large("the body", self.sizes.document));
                }
                document.extend_from_slice(bytes);
                return Ok(true);
            }
            Form::Stream(decoder) => {
                let decoded = decoder.push(bytes, &mut events);
                if decoder.split_lines() {
                    self.draft.mend("no blank line stood between two events");
                }
                self.read_events(&events, sink)?;
                decoded.map_err(|cause| Failure::too_large("an event", cause.limit))?;
            }
        }
        Ok(!events.is_empty())
    }

    /// True if nothing more need be read.
    pub(crate) const fn ended(&self) -> bool {
        self.draft.ended
    }

    /// True if the answer may be used though its body broke off.
    pub(crate) const fn is_complete(&self) -> bool {
        self.draft.is_complete()
    }

    /// The answer. `taken` are the call ids of the request.
    pub(crate) fn finish(
        mut self,
        taken: BTreeSet<String>,
        sink: &mut EventSink<'_>,
    ) -> Result<ModelResponse, Failure> {
        match std::mem::replace(&mut self.form, Form::Undecided(Vec::new())) {
            Form::Undecided(_) => return Err(Failure::malformed("the body is empty")),
            Form::Document(document) => {
                // As in a stream, a byte that is no UTF-8 costs one character and not the answer.
                let text = String::from_utf8_lossy(&document);
                self.parser.payload(&text, &mut self.draft, sink)?;
                // A whole document that parsed is complete, whether or not it says why the model stopped.
                self.draft.ended = true;
            }
            Form::Stream(mut decoder) => {
                let mut events = Vec::new();
                let decoded = decoder.finish(&mut events);
                if !self.draft.ended {
                    // What stands after the last line break may be cut; it counts only if it is whole.
                    let whole = events.iter().all(|event| is_whole(&event.data));
                    if whole {
                        self.read_events(&events, sink)?;
                    }
                    decoded.map_err(|cause| Failure::too_large("an event", cause.limit))?;
                }
            }
        }
        self.draft.flush(sink)?;
        self.parser.end(&mut self.draft)?;
        self.draft.into_response(taken)
    }

    fn read_events(&mut self, events: &[SseEvent], sink: &mut EventSink<'_>) -> Result<(), Failure> {
        for event in events {
            if self.draft.ended {
                break;
            }
            let data = event.data.trim();
            if is_end_mark(data) {
                self.draft.ended = true;
                if data != END_MARK {
                    self.draft.mend("the end mark was spelt otherwise");
                }
            } else if data == "null" {
                self.draft.mend("an event held nothing");
            } else if !data.is_empty() {
                self.parser.payload(data, &mut self.draft, sink)?;
            }
        }
        Ok(())
    }
}

/// What ends a stream of chat completions.
const END_MARK: &str = "[DONE]";

/// Whether an event is the end mark, in any case, and also as a JSON text.
fn is_end_mark(data: &str) -> bool {
    data.trim().trim_matches('"').eq_ignore_ascii_case(END_MARK)
}

fn is_whole(data: &str) -> bool {
    is_end_mark(data) || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

/// One call: what to send and what to keep to.
pub(crate) struct Call<'a> {
    pub(crate) service: &'a Service,
    pub(crate) request: &'a ModelRequest,
    pub(crate) http: RequestBuilder,
}

/// Sends the call and reads its answer.
pub(crate) async fn ask<P: Parser>(
    call: Call<'_>,
    parser: P,
    sink: &mut EventSink<'_>,
) -> Result<ModelResponse, ModelError> {
    let Call { service, request, http } = call;
    let reader = BodyReader::new(parser, service.sizes, Offered::from_request(request));
    exchange(http, service.clocks, reader, ids_of(request), sink)
        .await
        .map_err(|failure| Failure { usage: service.priced_usage(failure.usage), ..failure })
        .map_err(|failure| failure.into_error(&service.name, service.key().into_iter().chain(texts_of(request))))
}

async fn exchange<P: Parser>(
    http: RequestBuilder,
    clocks: Clocks,
    mut reader: BodyReader<P>,
    taken: BTreeSet<String>,
    sink: &mut EventSink<'_>,
) -> Result<ModelResponse, Failure> {
    let (client, http) = http.build_split();
    let http = http.map_err(broken)?;
    let sent = http.body().and_then(reqwest::Body::as_bytes).map_or(0, <[u8]>::len);
    let start = Instant::now();
    let whole = Clock { until: start + clocks.whole, name: "the call" };
    let idle = Clock { until: start + clocks.first_token, name: "the first token" };
    let mut response = idle.before(whole).bound(client.execute(http)).await?.map_err(broken)?;
    if response.status() != StatusCode::OK {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = read_error_body(&mut response, whole, reader.sizes.document).await;
        return Err(failure::from_status(status, &headers, &body));
    }
    let read = read_answer(&mut response, &mut reader, (idle, whole), clocks, sink).await;
    let received = reader.read;
    // What began to come is charged for, also if it is lost.
    let charged = |failure| Failure { usage: Usage::default().or_estimated(sent, received), ..failure };
    let mut response = read.and_then(|()| reader.finish(taken, sink)).map_err(charged)?;
    let calls = response.tool_calls.iter().map(|call| call.name.len().saturating_add(call.arguments.len()));
    let received = calls.fold(response.text.len(), usize::saturating_add);
    response.usage = response.usage.or_estimated(sent, received);
    Ok(response)
}

/// Reads pieces of an answer until it ends. `idle` ends while nothing comes, `whole` with the call.
async fn read_answer<P: Parser>(
    response: &mut Response,
    reader: &mut BodyReader<P>,
    (mut idle, whole): (Clock, Clock),
    clocks: Clocks,
    sink: &mut EventSink<'_>,
) -> Result<(), Failure> {
    let mut started = false;
    while !reader.ended() {
        let piece = match idle.before(whole).bound(response.chunk()).await.and_then(|read| read.map_err(broken)) {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            // The vendor said why the model stopped; only figures or an end mark are missing.
            Err(_) if reader.is_complete() => break,
            Err(failure) => return Err(failure),
        };
        if !started {
            started = true;
            sink(StreamEvent::Started);
        }
        if reader.push(&piece, sink)? {
            idle = Clock { until: Instant::now() + clocks.stall, name: "the next token" };
        }
    }
    Ok(())
}

/// A clock and what it waits for.
#[derive(Debug, Clone, Copy)]
struct Clock {
    until: Instant,
    name: &'static str,
}

impl Clock {
    fn before(self, other: Self) -> Self {
        if self.until <= other.until { self } else { other }
    }

    async fn bound<F: Future>(self, future: F) -> Result<F::Output, Failure> {
        timeout_at(self.until, future)
            .await
            .map_err(|_elapsed| Failure::new(ModelErrorKind::Timeout, format!("{} took too long", self.name)))
    }
}

/// As much of an error's body as can be had; none is no further fault.
async fn read_error_body(response: &mut Response, clock: Clock, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < limit
        && let Ok(Ok(Some(piece))) = clock.bound(response.chunk()).await
    {
        body.extend_from_slice(&piece);
    }
    body
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function in `map_err`")]
fn broken(cause: reqwest::Error) -> Failure {
    let what = if cause.is_connect() {
        "no connection"
    } else if cause.is_decode() {
        "the body could not be decoded"
    } else {
        "the connection broke"
    };
    let kind = if cause.is_timeout() { ModelErrorKind::Timeout } else { ModelErrorKind::Network };
    let mut message = what.to_owned();
    let mut source = std::error::Error::source(&cause);
    while let Some(inner) = source {
        message.push_str(": ");
        message.push_str(&inner.to_string());
        source = inner.source();
    }
    Failure::new(kind, message)
}

/// Every text of a request that an error message must not repeat.
fn texts_of(request: &ModelRequest) -> impl Iterator<Item = &str> {
    let messages = request.messages.iter().flat_map(|message| match message {
        Message::User { text } => vec![text.as_str()],
        Message::Assistant { text, tool_calls } => {
            std::iter::once(text.as_str()).chain(tool_calls.iter().map(|call| call.arguments.as_str())).collect()
        }
        Message::ToolResult { content, .. } => vec![content.as_str()],
    });
    std::iter::once(request.system.as_str()).chain(messages)
}
