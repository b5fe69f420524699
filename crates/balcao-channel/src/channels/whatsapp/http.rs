//! Calls of the Graph API: addresses, the token, clocks, sizes. What an answer means is its caller's business.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response, Url, redirect, retry};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, timeout_at};

use super::config::{Clocks, Config, ConfigError};
use crate::id::AccountId;

/// Largest answer that is read, unless it is a file.
const MAX_ANSWER: usize = 64 * 1024;

/// A connection to the Graph API for one account. Its `Debug` hides the token.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    client: Client,
    base: Url,
    version: String,
    token: SecretString,
    pub(super) account: AccountId,
    pub(super) clocks: Clocks,
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    /// As much of the body as came, at most [`MAX_ANSWER`].
    pub(super) body: Vec<u8>,
}

/// Nothing came back.
pub(super) struct Silence {
    /// True if the request may have been read: it must not be repeated silently.
    pub(super) written: bool,
    pub(super) words: String,
}

impl Graph {
    pub(super) fn new(config: Config) -> Result<Self, ConfigError> {
        let (base, local) = config.check()?;
        let Config { account, token, version, clocks, .. } = config;
        let builder = balcao_http::builder()
            .connect_timeout(clocks.connect)
            // The token would travel along.
            .redirect(redirect::Policy::none())
            // By default a request is repeated when its connection is shut down, though it may have been carried out.
            .retry(retry::never())
            .user_agent(concat!("balcao/", env!("CARGO_PKG_VERSION")));
        let builder = if local { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(ConfigError::Client)?;
        Ok(Self { client, base, version, token, account, clocks })
    }

    /// The address of these segments below base and version. Each is escaped.
    pub(super) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An `http` address always has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(&self.version).extend(segments);
        }
        url
    }

    /// A request with the token. Only for addresses of the Graph API, or those that [`Self::trusts`].
    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client.request(method, url).bearer_auth(self.token.expose_secret())
    }

    /// Whether the token may be sent there: to the Graph API itself, and to Meta's hosts for files, over TLS.
    pub(super) fn trusts(&self, url: &Url) -> bool {
        const HOSTS: [&str; 4] = ["fbcdn.net", "fbsbx.com", "facebook.com", "whatsapp.net"];
        if url.origin() == self.base.origin() {
            return true;
        }
        let ours = |host: &str| {
            HOSTS
                .iter()
                .any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
        };
        url.scheme() == "https" && url.port().is_none() && url.username().is_empty() && url.host_str().is_some_and(ours)
    }

    /// Sends, and reads a short answer.
    pub(super) async fn call(&self, request: RequestBuilder, within: Duration) -> Result<Answer, Silence> {
        let until = Instant::now() + within;
        let response = self.open(request, until).await?;
        Ok(self.read(response, until).await)
    }

    /// Reads a short answer.
    pub(super) async fn read(&self, mut response: Response, until: Instant) -> Answer {
        let status = response.status().as_u16();
        let mut body = Vec::new();
        // What breaks off is no further fault: the status is known, and a cut body cannot be read as a receipt.
        while let Ok(Ok(Some(piece))) = timeout_at(until, response.chunk()).await {
            if body.len().saturating_add(piece.len()) > MAX_ANSWER {
                break;
            }
            body.extend_from_slice(&piece);
        }
        Answer { status, body }
    }

    /// The token, to prove that we have it.
    pub(super) fn secret(&self) -> &str {
        self.token.expose_secret()
    }

    /// Sends, and waits for the head of an answer.
    pub(super) async fn open(&self, request: RequestBuilder, until: Instant) -> Result<Response, Silence> {
        match timeout_at(until, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(cause)) => {
                let written = !(cause.is_connect() || cause.is_builder());
                let words = if written { "the connection broke before an answer" } else { "no connection" };
                Err(Silence { written, words: words.to_owned() })
            }
            Err(_elapsed) => Err(Silence { written: true, words: "no answer in time".to_owned() }),
        }
    }
}
