//! The loopback address to which the consent page sends the person back (RFC 8252, section 7.3).

use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::output::Failure;

/// How long a person may take to answer.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long the last page may take to leave.
const FAREWELL: Duration = Duration::from_secs(2);
/// Bytes of a query at most.
const MOST: usize = 8 * 1024;

/// A query that came, and where the page's text goes.
pub(crate) struct Answer {
    pub(crate) query: String,
    pub(crate) page: oneshot::Sender<Page>,
}

/// What the person reads.
pub(crate) struct Page {
    pub(crate) is_good: bool,
    pub(crate) text: String,
}

/// The address, listening.
pub(crate) struct Redirect {
    listener: TcpListener,
    uri: String,
}

impl Redirect {
    /// Listens on a port of this machine; 0 takes a free one.
    ///
    /// # Errors
    /// The port is in use.
    pub(crate) async fn listen(port: u16) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| Failure::operation(format!("cannot listen on port {port}: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(fail)?;
        let uri = format!("http://{}/", listener.local_addr().map_err(fail)?);
        Ok(Self { listener, uri })
    }

    /// The address, as the consent page is given it.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// Serves until `handle` gives something for a query; a query for which it gives nothing gets a page, and the next one is waited for.
    ///
    /// # Errors
    /// No answer came in time, or the server ended.
    pub(crate) async fn serve<T>(self, mut handle: impl AsyncFnMut(Answer) -> Option<T>) -> Result<T, Failure> {
        let (sender, mut answers) = mpsc::channel(4);
        let app = Router::new().route("/", get(receive)).with_state(sender);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = axum::serve(self.listener, app).with_graceful_shutdown(async {
            // A sender that is dropped means the same.
            drop(stopped.await);
        });
        let server = std::future::IntoFuture::into_future(server);
        let mut server = std::pin::pin!(server);
        let handled = async {
            while let Some(answer) = answers.recv().await {
                if let Some(found) = handle(answer).await {
                    return Some(found);
                }
            }
            None
        };
        let both = async {
            tokio::select! {
                found = handled => found,
                _ = &mut server => None,
            }
        };
        let ended = tokio::time::timeout(PATIENCE, both).await;
        drop(stop);
        // The page is still on its way; a connection that a browser opened for later is not waited for.
        drop(tokio::time::timeout(FAREWELL, server).await);
        ended.ok().flatten().ok_or_else(|| Failure::operation("no answer came within fifteen minutes; start again"))
    }
}

async fn receive(State(sender): State<mpsc::Sender<Answer>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let (page, text) = oneshot::channel();
    let is_sent = query.len() <= MOST && sender.send(Answer { query, page }).await.is_ok();
    let shown = if is_sent { text.await.ok() } else { None };
    let Page { is_good, text } = shown
        .unwrap_or_else(|| Page { is_good: false, text: "This request is not the one that is waited for.".to_owned() });
    let status = if is_good { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Balcão</title><main><h1>Balcão</h1><p>{text}</p></main></html>"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        // The address holds the code.
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONNECTION, "close"),
    ];
    (status, headers, html).into_response()
}
