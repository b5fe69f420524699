//! Talks to a server over streamable HTTP, and bounds each message before it becomes a tree.
//!
//! The library's own client bounds the bytes of a message, but not its values: a value takes a hundred times the memory of its shortest
//! text. So this client reads the answers of a POST itself (MCP 2025-11-25 and 2026-07-28, "Streamable HTTP"). It also leaves a server that
//! asks more than we can answer.

use std::{borrow::Cow, collections::HashMap, future, sync::Arc};

use balcao_json::{MOST_VALUES, count_values, read_as};
use futures::{StreamExt, stream::BoxStream};
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::{
        common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE},
        streamable_http_client::{
            AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
            StreamableHttpError, StreamableHttpPostResponse as Answer, StreamableHttpResponseLimits as Limits,
        },
    },
};
use sse_stream::{Sse, SseStream};

use crate::owed::{Answering, Owed, Stream};

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;

/// Characters of a refusal that staff are shown.
const SHOWN_CHARS: usize = 256;

type Error = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// A client whose messages from the server have at most [`MOST_VALUES`] values, and at most the bytes that its transport sets.
#[derive(Debug, Clone)]
pub(crate) struct BoundedClient {
    client: Client,
    /// Of the whole conversation: each question gets a POST of its own for its answer.
    owed: Arc<Owed>,
}

impl BoundedClient {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, owed: Arc::default() }
    }
}

impl StreamableHttpClient for BoundedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Answer, Error> {
        self.post_message_with_response_limits(uri, message, session, token, headers, Limits::default()).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: Limits,
    ) -> Result<Answer, Error> {
        let answered = match &message {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        // The library drops this future where the server does not take the answer in time.
        let answering = answered.map(|id| Answering::begin(&self.owed, id));
        let mut request = self.client.post(uri.as_ref()).header(ACCEPT, "text/event-stream, application/json");
        for (name, value) in headers {
            let reserved = [ACCEPT.as_str(), HEADER_SESSION_ID, HEADER_LAST_EVENT_ID];
            if reserved.iter().any(|reserved| reserved.eq_ignore_ascii_case(name.as_str())) {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let sent = request.json(&message).send().await;
        drop(answering);
        if sent.is_ok() {
            self.owed.take();
        }
        let response = sent.map_err(StreamableHttpError::Client)?;
        read_answer(response, &message, session.is_some(), limits, &self.owed).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Error> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Error> {
        let most = Limits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, Error> {
        let client = &self.client;
        let events = client.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most).await?;
        Ok(bound_events(events, None, Arc::clone(&self.owed)))
    }
}

/// Reads what came for a message. Only a request waits for an answer: for anything else every success will do.
async fn read_answer(
    response: Response,
    message: &ClientJsonRpcMessage,
    in_session: bool,
    limits: Limits,
    owed: &Arc<Owed>,
) -> Result<Answer, Error> {
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(Answer::Accepted);
    }
    if !status.is_success() {
        return read_refusal(response, message, in_session, limits).await;
    }
    let request = match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        JsonRpcMessage::Response(_) | JsonRpcMessage::Notification(_) | JsonRpcMessage::Error(_) => None,
    };
    let session = text_header(response.headers(), HEADER_SESSION_ID);
    if has_type(response.headers(), EVENT_STREAM_MIME_TYPE) {
        return Ok(Answer::Sse(events(response, request, limits.max_sse_event_size, Arc::clone(owed)), session));
    }
    if request.is_none() {
        return Ok(Answer::Accepted);
    }
    if !has_type(response.headers(), JSON_MIME_TYPE) {
        return Err(StreamableHttpError::UnexpectedContentType(text_header(response.headers(), CONTENT_TYPE.as_str())));
    }
    let body = read_body(response, limits.max_json_response_size).await?;
    let told = read_as(&body, MOST_VALUES).map_err(StreamableHttpError::Deserialize)?;
    Ok(Answer::Json(told, session))
}

/// Reads an answer of another status than success.
async fn read_refusal(
    response: Response,
    message: &ClientJsonRpcMessage,
    in_session: bool,
    limits: Limits,
) -> Result<Answer, Error> {
    let (status, headers) = (response.status(), response.headers());
    let keyless = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let Some(wanted) = text_header(headers, WWW_AUTHENTICATE.as_str()).filter(|_| keyless) {
        return Err(if status == StatusCode::UNAUTHORIZED {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(wanted))
        } else {
            StreamableHttpError::InsufficientScope(InsufficientScopeError::new(wanted, None))
        });
    }
    if status == StatusCode::NOT_FOUND && in_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(http_status(status));
    }
    let (session, is_json) = (text_header(headers, HEADER_SESSION_ID), has_type(headers, JSON_MIME_TYPE));
    let most = if is_json { limits.max_json_response_size } else { limits.max_error_response_size };
    let body = read_body(response, most).await.unwrap_or_default();
    // What stands in a refusal for want of a key does not answer the message.
    let told = read_as(&body, MOST_VALUES).ok().filter(|_| is_json && !keyless).and_then(error_of);
    // A server of an older revision does not know the question what it speaks, and some cannot name the question in their answer.
    if let JsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
        && !keyless
        && !in_session
    {
        let error = told.unwrap_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None));
        return Ok(Answer::Json(ServerJsonRpcMessage::error(error, Some(request.id.clone())), None));
    }
    match (told, message) {
        (Some(error), JsonRpcMessage::Request(request)) => {
            Ok(Answer::Json(ServerJsonRpcMessage::error(error, Some(request.id.clone())), session))
        }
        _ if status.is_server_error() => Err(http_status(status)),
        _ => {
            let body: String = String::from_utf8_lossy(&body).chars().take(SHOWN_CHARS).collect();
            Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!("HTTP {status}: {body}"))))
        }
    }
}

fn error_of(told: ServerJsonRpcMessage) -> Option<ErrorData> {
    if let JsonRpcMessage::Error(told) = told { Some(told.error) } else { None }
}

fn http_status(status: StatusCode) -> Error {
    StreamableHttpError::HttpStatus(HttpStatusError::new(status.as_u16(), None))
}

fn text_header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Whether the body is of a media type, whatever its parameters and its case (RFC 9110, section 8.3.1).
fn has_type(headers: &HeaderMap, expected: &str) -> bool {
    let stated = headers.get(CONTENT_TYPE).and_then(|stated| stated.to_str().ok()).unwrap_or_default();
    stated.split(';').next().is_some_and(|stated| stated.trim().eq_ignore_ascii_case(expected))
}

/// Reads a body of at most `most` bytes.
///
/// # Errors
/// If it is larger, or breaks off.
async fn read_body(mut response: Response, most: usize) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(StreamableHttpError::Client)? {
        if piece.len() > most.saturating_sub(body.len()) {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The events of an answer, each of at most `most` bytes.
fn events(response: Response, request: Option<RequestId>, most: usize, owed: Arc<Owed>) -> Events {
    let mut size = EventSize::default();
    let pieces = response.bytes_stream().map(move |piece| match piece {
        Ok(piece) if size.add(&piece) > most => Err(Failed::TooLarge),
        Ok(piece) => Ok(piece),
        Err(error) => Err(Failed::Broken(error)),
    });
    bound_events(SseStream::from_bytes_stream(pieces).boxed(), request, owed)
}

/// Passes events on up to one that is too large, holds too many values, or asks something that is not heard. That one becomes an error for
/// the request that waits for it, and is the last: an error of the stream itself would be a reason to ask for the same event again. Without
/// a request the event is left out.
fn bound_events(events: Events, request: Option<RequestId>, owed: Arc<Owed>) -> Events {
    let stream = Stream::begin(owed);
    let bounded = events.scan(false, move |refused, event| {
        if *refused {
            return future::ready(None);
        }
        let event = match (excess(&event, &stream), event, &request) {
            (Some(why), _, Some(id)) => {
                *refused = true;
                Ok(refusal(why, id.clone()))
            }
            (Some(_), Ok(event), None) => Ok(Sse { data: None, ..event }),
            (_, event, _) => event,
        };
        future::ready(Some(event))
    });
    bounded.boxed()
}

/// Why an event is not passed on.
fn excess(event: &Result<Sse, SseError>, stream: &Stream) -> Option<String> {
    const TOO_MUCH: &str = "the server's message is too large or holds too many values";
    match event {
        Ok(event) => {
            let data = event.data.as_ref()?.as_bytes();
            if count_values(data) > MOST_VALUES {
                Some(TOO_MUCH.to_owned())
            } else {
                stream.hear(data).err().map(|unheard| unheard.to_string())
            }
        }
        Err(SseError::Body(error)) => {
            matches!(error.downcast_ref(), Some(Failed::TooLarge)).then(|| TOO_MUCH.to_owned())
        }
        Err(_) => None,
    }
}

fn refusal(why: String, request: RequestId) -> Sse {
    let told = ServerJsonRpcMessage::error(ErrorData::internal_error(why, None), Some(request));
    Sse { data: serde_json::to_string(&told).ok(), ..Sse::default() }
}

/// Why a stream of events ended early.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("the server's message is too large")]
    TooLarge,
    #[error(transparent)]
    Broken(reqwest::Error),
}

/// Counts the bytes of the event that a stream is in. An empty line ends an event, and a line that begins with a colon is a comment
/// (WHATWG HTML, section 9.2.6).
#[derive(Debug, Default)]
struct EventSize {
    bytes: usize,
    line: usize,
    is_comment: bool,
    /// The last byte was a carriage return, which ends a line together with a line feed behind it.
    after_return: bool,
}

impl EventSize {
    /// Adds a piece of the stream, and returns the size of the largest event in that piece, with what came before it.
    fn add(&mut self, piece: &[u8]) -> usize {
        let mut largest = 0;
        for byte in piece {
            match byte {
                b'\n' if self.after_return => {}
                b'\r' | b'\n' => self.end_line(),
                other => {
                    self.is_comment = if self.line == 0 { *other == b':' } else { self.is_comment };
                    self.line = self.line.saturating_add(1);
                    self.bytes = self.bytes.saturating_add(1);
                    largest = largest.max(self.bytes);
                }
            }
            self.after_return = *byte == b'\r';
        }
        largest
    }

    fn end_line(&mut self) {
        if self.line == 0 {
            self.bytes = 0;
        } else if self.is_comment {
            self.bytes = self.bytes.saturating_sub(self.line);
        }
        self.line = 0;
    }
}
