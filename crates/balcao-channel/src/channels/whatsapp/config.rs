//! What an account needs to send.

use std::{net::IpAddr, time::Duration};

use balcao_domain::throttle::{PairRate, SendingRate};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use crate::id::AccountId;

/// An account of WhatsApp.
#[derive(Debug, Clone)]
pub struct Config {
    /// The id of the phone number, which is not the number.
    pub account: AccountId,
    /// The access token of a system user.
    pub token: SecretString,
    /// Where the Graph API answers. Only `https`, or `http` on this machine (for tests).
    pub base_url: String,
    /// The version of the Graph API, such as `v25.0`.
    pub version: String,
    /// How fast it may send.
    pub rate: SendingRate,
    /// How long calls may take.
    pub clocks: Clocks,
}

/// What Meta allows a number that was given nothing else: 80 messages a second, and 45 to one customer at once, then one in six
/// seconds. A number that is also in the WhatsApp Business app has 20, a busy one up to 1,000.
pub const USUAL_RATE: SendingRate =
    SendingRate { per_second: 80, to_one: Some(PairRate { burst: 45, every: Duration::from_secs(6) }) };

impl Config {
    /// Meta's own address, and the version that this was written for.
    #[must_use]
    pub fn new(account: AccountId, token: SecretString) -> Self {
        Self {
            account,
            token,
            base_url: "https://graph.facebook.com".to_owned(),
            version: "v25.0".to_owned(),
            rate: USUAL_RATE,
            clocks: Clocks::default(),
        }
    }

    /// The address that all others begin with; `true` if it is on this machine.
    pub(super) fn check(&self) -> Result<(Url, bool), ConfigError> {
        if self.token.expose_secret().trim().is_empty() {
            return Err(ConfigError::Token);
        }
        let named_well = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let account = self.account.as_str();
        if account.is_empty() || !account.bytes().all(named_well) {
            return Err(ConfigError::Account { account: account.to_owned() });
        }
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let version = self.version.strip_prefix('v').and_then(|number| number.split_once('.'));
        if !version.is_some_and(|(major, minor)| digits(major) && digits(minor)) {
            return Err(ConfigError::Version { version: self.version.clone() });
        }
        let refuse = || ConfigError::BaseUrl { url: self.base_url.clone() };
        let url = Url::parse(&self.base_url).map_err(|_source| refuse())?;
        let host = url.host_str().ok_or_else(refuse)?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let local = host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if plain && (url.scheme() == "https" || (url.scheme() == "http" && local)) {
            Ok((url, local))
        } else {
            Err(refuse())
        }
    }
}

/// How long calls may take. All are on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// To open a connection.
    pub connect: Duration,
    /// A call, connecting included.
    pub whole: Duration,
    /// To upload or download a file, connecting included.
    pub file: Duration,
}

impl Default for Clocks {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), whole: Duration::from_secs(20), file: Duration::from_secs(120) }
    }
}

/// Why an account cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no token.
    #[error("the WhatsApp access token is empty: create one for a system user in Meta's business settings")]
    Token,
    /// The account's id is none.
    #[error(
        "invalid phone number id `{account}`; expected the id from the app's WhatsApp settings, not the phone number"
    )]
    Account {
        /// The id as given.
        account: String,
    },
    /// The version is none.
    #[error("invalid version of the Graph API `{version}`; expected a version such as v25.0")]
    Version {
        /// The version as given.
        version: String,
    },
    /// Tokens would travel in the open, or nowhere.
    #[error("invalid base URL `{url}`; expected https:// (http:// on this machine alone) and no query")]
    BaseUrl {
        /// The address as given.
        url: String,
    },
    /// The TLS back end or the system's proxy settings cannot be used.
    #[error("no HTTP client could be built")]
    Client(#[source] reqwest::Error),
}
