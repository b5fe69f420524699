//! A server that was started and has listed its tools.

use std::{
    io,
    sync::{
        Arc, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use balcao_connector::Outcome;
use rmcp::{
    ClientHandler, RoleClient, ServiceError, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
        ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerResult,
    },
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, RunningService},
    transport::{
        StreamableHttpClientTransport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Map, Value};
use tokio_util::task::TaskTracker;

use crate::{
    connection::{Connection, Handshake},
    error::{CallError, FailureKind},
    http::BoundedClient,
    listing::Listing,
    open::Target,
    stdio::Running,
};

/// Pages of a list of tools that are read.
const MAX_PAGES: usize = 32;

/// Hears that the list of tools changed. Everything else that a server may ask of a client (questions to people, samples of a model,
/// folders) is declined: that is what a handler does by itself.
#[derive(Debug, Clone, Default)]
struct Listener {
    /// How often it was told.
    heard: Arc<AtomicU64>,
}

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.heard.fetch_add(1, Ordering::SeqCst);
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("balcao", env!("CARGO_PKG_VERSION")))
    }
}

/// A conversation with a server.
#[derive(Debug)]
pub(crate) struct Live {
    service: RunningService<RoleClient, Listener>,
    program: Option<Running>,
    heard: Arc<AtomicU64>,
    listing: std::sync::Mutex<Arc<Listing>>,
    /// Who lists, so that nobody lists twice at once.
    listing_now: tokio::sync::Mutex<()>,
}

impl Live {
    /// Starts the server and lists its tools.
    pub(crate) async fn start(
        target: &Target,
        connection: &Connection,
        tasks: &TaskTracker,
        now: Duration,
    ) -> Result<Self, String> {
        let asked = connection.handshake;
        let (service, program) = match greet(target, connection, tasks, asked).await {
            // What it answered to the newer greeting is none: it is older, and does not know how to say so.
            Err(Silent::Misread(_)) if asked == Handshake::Auto => {
                greet(target, connection, tasks, Handshake::Initialize).await.map_err(Silent::words)?
            }
            greeted => greeted.map_err(Silent::words)?,
        };
        let heard = Arc::clone(&service.service().heard);
        let listing = std::sync::Mutex::default();
        let live = Self { service, program, heard, listing, listing_now: tokio::sync::Mutex::default() };
        live.list(connection, now).await.map_err(|error| error.for_staff())?;
        Ok(live)
    }

    /// Whether nothing can be asked of it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// The end of what its program complained of.
    pub(crate) fn complaints(&self) -> String {
        self.program.as_ref().map(|running| running.complaints.text()).unwrap_or_default()
    }

    /// Its tools: the list that is there, or a new one if the server told of a change or the list is old.
    pub(crate) async fn listing(&self, connection: &Connection, now: Duration) -> Result<Arc<Listing>, CallError> {
        let old = |listing: &Listing| {
            let aged = now.saturating_sub(listing.at) >= Duration::from_millis(connection.relist_ms);
            aged || listing.heard != self.heard.load(Ordering::SeqCst)
        };
        if old(&self.known()) {
            let _one_at_a_time = self.listing_now.lock().await;
            if old(&self.known()) {
                self.list(connection, now).await?;
            }
        }
        Ok(Arc::clone(&self.known()))
    }

    fn known(&self) -> MutexGuard<'_, Arc<Listing>> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the tools, every page of them.
    pub(crate) async fn list(&self, connection: &Connection, now: Duration) -> Result<(), CallError> {
        // What is heard from here on makes this list an old one. Nothing else does: a list that was given up on changes nothing.
        let heard = self.heard.load(Ordering::SeqCst);
        let listing = self.pages(connection, now).await?;
        *self.known() = Arc::new(Listing { heard, ..listing });
        Ok(())
    }

    async fn pages(&self, connection: &Connection, now: Duration) -> Result<Listing, CallError> {
        let mut listing = Listing { at: now, ..Listing::default() };
        let (mut cursor, mut counted) = (None, 0_usize);
        for _ in 0..MAX_PAGES {
            // Asked directly: the library keeps lists for as long as the server says.
            let asked = ListToolsRequest::with_param(PaginatedRequestParams::default().with_cursor(cursor));
            let answer = self.service.peer().send_request(ClientRequest::ListToolsRequest(asked)).await;
            let ServerResult::ListToolsResult(page) = answer.map_err(|error| failure(&error))? else {
                return Err(unreadable("invalid answer to `tools/list`; expected a list of tools"));
            };
            counted = counted.saturating_add(page.tools.len());
            if counted > connection.max_tools {
                let most = connection.max_tools;
                return Err(unreadable(&format!("it lists more than {most} tools; raise `max_tools` if it may")));
            }
            for tool in &page.tools {
                listing.add(&serde_json::to_value(tool).unwrap_or_default());
            }
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(listing),
            }
        }
        Err(unreadable(&format!("its list of tools has more than {MAX_PAGES} pages")))
    }

    /// Calls a tool. What comes is not looked at here.
    pub(crate) async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, CallError> {
        let asked = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        match self.service.peer().call_tool_once(asked).await {
            Ok(CallToolResponse::Complete(result)) => Ok(serde_json::to_value(result).unwrap_or_default()),
            // It would have to be passed on to a person: not to a customer, who cannot know who asks.
            Ok(CallToolResponse::InputRequired(_)) => Err(unreadable("the server wants to ask a person something")),
            Ok(_other) => Err(unreadable("the server answers later, which is not supported")),
            Err(error) => Err(failure(&error)),
        }
    }
}

/// Why nobody answered a greeting.
enum Silent {
    /// Somebody did, with something else than was asked for.
    Misread(String),
    /// Nobody, or with a refusal.
    Refused(String),
}

impl Silent {
    fn from_error(error: &ClientInitializeError, complaints: &str) -> Self {
        let words =
            if complaints.is_empty() { error.to_string() } else { format!("{error}; it complained: {complaints}") };
        let misread = matches!(
            error,
            ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_)
        );
        if misread { Self::Misread(words) } else { Self::Refused(words) }
    }

    fn words(self) -> String {
        let (Self::Misread(words) | Self::Refused(words)) = self;
        words
    }
}

type Greeted = (RunningService<RoleClient, Listener>, Option<Running>);

/// Starts the program or goes to the address, and says hello.
async fn greet(
    target: &Target,
    connection: &Connection,
    tasks: &TaskTracker,
    handshake: Handshake,
) -> Result<Greeted, Silent> {
    let listener = Listener::default();
    match target {
        Target::Program(program) => {
            let started = program.start(connection.max_answer_bytes, tasks);
            let refused = |error| Silent::Refused(format!("it does not start: {error}"));
            let (running, output, input) = started.map_err(refused)?;
            let most = connection.max_answer_bytes.saturating_add(2);
            let transport = AsyncRwTransport::<RoleClient, _, _>::new(output, input).with_max_line_length(most);
            let service = match handshake {
                Handshake::Auto => listener.serve_with_lifecycle(transport, auto()).await,
                Handshake::Initialize => listener.serve(transport).await,
            };
            Ok((service.map_err(|error| Silent::from_error(&error, &running.complaints.text()))?, Some(running)))
        }
        Target::Address { url, proof, client } => {
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .custom_headers(proof.iter().cloned().collect())
                .max_json_response_size(connection.max_answer_bytes)
                .max_sse_event_size(connection.max_answer_bytes)
                // What an expired session refused would be sent again by itself; whoever sent it decides.
                .reinit_on_expired_session(false);
            config.allow_stateless = true;
            let transport = StreamableHttpClientTransport::with_client(BoundedClient::new(client.clone()), config);
            let service = match handshake {
                Handshake::Auto => listener.serve_with_lifecycle(transport, auto()).await,
                Handshake::Initialize => listener.serve(transport).await,
            };
            Ok((service.map_err(|error| Silent::from_error(&error, ""))?, None))
        }
    }
}

fn auto() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::LATEST];
    ClientLifecycleMode::Auto { preferred_versions, legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE) }
}

fn unreadable(detail: &str) -> CallError {
    CallError::new(FailureKind::Unreadable, Outcome::Unknown, detail)
}

/// What the library's errors mean. Whatever may have reached the server may have been carried out.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's errors grow; what is not known is the worst case")]
fn failure(error: &ServiceError) -> CallError {
    use rmcp::model::ErrorCode;
    if error.is_authorization_required() {
        return CallError::unsent(FailureKind::Unauthorized, error.to_string());
    }
    let (kind, outcome) = match error {
        // The server says itself that it did not begin.
        ServiceError::McpError(told) => match told.code {
            ErrorCode::INVALID_PARAMS => (FailureKind::Invalid, Outcome::NotDone),
            ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_REQUEST | ErrorCode::PARSE_ERROR => {
                (FailureKind::Unreadable, Outcome::NotDone)
            }
            _ => (FailureKind::Failed, Outcome::Unknown),
        },
        ServiceError::TransportSend(broken) if never_left(&*broken.error) => {
            (FailureKind::Unavailable, Outcome::NotDone)
        }
        ServiceError::UnexpectedResponse => (FailureKind::Unreadable, Outcome::Unknown),
        ServiceError::Timeout { .. } => (FailureKind::Timeout, Outcome::Unknown),
        _ => (FailureKind::Unavailable, Outcome::Unknown),
    };
    CallError::new(kind, outcome, error.to_string())
}

/// Whether no connection was made, so that nothing can have been read.
fn never_left(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |cause| cause.source());
    causes.any(|cause| {
        let refused = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        cause.downcast_ref::<reqwest::Error>().is_some_and(|error| error.is_connect() || error.is_builder())
            || refused == Some(io::ErrorKind::ConnectionRefused)
    })
}
