//! The network providers and the scripted one.
//!
//! A provider is a request builder (a plain function), an answer parser (no I/O) and a few lines that hand both to the
//! driver in `wire`. To add one, copy the neighbour that is nearest and add it to [`crate::detect`].

use secrecy::{ExposeSecret, SecretString};

use crate::{
    http::{Clocks, Sizes},
    message::ModelResponse,
    price::Price,
    usage::Usage,
};

pub mod anthropic;
mod draft;
pub mod gemini;
mod offered;
pub mod openai;
mod repeats;
pub mod replay;
pub mod scripted;
mod transcript;
mod wire;

pub(crate) use draft::{free_id, ids_of};
pub use transcript::IdRule;

/// A service behind an LLM API, bound to one model: what all network providers need to know.
#[derive(Debug, Clone)]
pub struct Service {
    /// The configured name, for records.
    pub name: String,
    /// Where the API begins, without a slash at the end: `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model to ask.
    pub model: String,
    /// The key, if the service wants one. Never shown.
    pub key: Option<SecretString>,
    /// What the model costs, if known.
    pub price: Option<Price>,
    /// How long a call may take.
    pub clocks: Clocks,
    /// How much of an answer is read.
    pub sizes: Sizes,
}

impl Service {
    /// A client for this service: system proxies are not asked for services on this machine.
    fn client(&self) -> Result<reqwest::Client, reqwest::Error> {
        const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
        let host = reqwest::Url::parse(&self.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        crate::http::client(self.clocks.connect, host.is_some_and(|host| LOCAL.contains(&host.as_str())))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.trim_end_matches('/'))
    }

    fn key(&self) -> Option<&str> {
        self.key.as_ref().map(ExposeSecret::expose_secret)
    }

    /// The tokens with their cost, if the price is known.
    fn priced_usage(&self, usage: Usage) -> Usage {
        Usage { cost_micro_usd: self.price.map(|price| price.cost_micro_usd(&usage)), ..usage }
    }

    fn priced(&self, mut response: ModelResponse) -> ModelResponse {
        response.usage = self.priced_usage(response.usage);
        if response.model.is_empty() {
            response.model.clone_from(&self.model);
        }
        response
    }
}

/// A count in a vendor's usage figures; what is absent or no count is zero.
fn count(usage: &serde_json::Value, pointer: &str) -> u64 {
    usage.pointer(pointer).and_then(serde_json::Value::as_u64).unwrap_or(0)
}
