//! How the server for mail is reached.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use secrecy::SecretString;

/// How the connection is kept from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// Plain at first, then TLS (port 587 as a rule). A server that does not offer it is not used.
    StartTls,
    /// TLS from the first byte (port 465 as a rule).
    Tls,
    /// None: on this machine alone.
    None,
}

/// An account at a server for mail.
#[derive(Debug, Clone)]
pub struct Config {
    /// The server's name: its certificate must be for it.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is kept from others.
    pub security: Security,
    /// Certificates in PEM that are trusted besides the usual ones.
    pub authority: Option<Vec<u8>>,
    /// The user name; without it the client does not log in.
    pub login: Option<(String, SecretString)>,
    /// The sender of letters: `Name <address>` or an address.
    pub from: String,
    /// How long one letter may take, connection included.
    pub within: Duration,
}

/// Why an account cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The server has no name.
    #[error("the mail server has no name")]
    Host,
    /// The sender is missing.
    #[error("invalid sender `{from}`; expected an address such as agenda@example.com, or Name <agenda@example.com>")]
    From {
        /// As given.
        from: String,
    },
    /// Password and letters would travel in the open.
    #[error("invalid security `none` for `{host}`, which is not on this machine; expected starttls or tls")]
    Open {
        /// The server.
        host: String,
    },
    /// No time at all.
    #[error("a letter needs at least a second")]
    Time,
    /// A certificate that cannot be read, or a name that none can be for.
    #[error("TLS to `{host}` cannot be used: {source}")]
    Tls {
        /// The server.
        host: String,
        /// Why.
        source: lettre::transport::smtp::Error,
    },
}

impl Config {
    pub(super) fn sender(&self) -> Result<Mailbox, ConfigError> {
        self.from.trim().parse().map_err(|_source| ConfigError::From { from: self.from.clone() })
    }

    pub(super) fn tls(&self) -> Result<Option<TlsParameters>, ConfigError> {
        let host = self.host.trim();
        if host.is_empty() {
            return Err(ConfigError::Host);
        }
        if self.within < Duration::from_secs(1) {
            return Err(ConfigError::Time);
        }
        if self.security == Security::None {
            let local = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
            return if local { Ok(None) } else { Err(ConfigError::Open { host: host.to_owned() }) };
        }
        let refuse = |source| ConfigError::Tls { host: host.to_owned(), source };
        let mut builder = TlsParameters::builder(host.to_owned());
        if let Some(pem) = &self.authority {
            builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(refuse)?);
        }
        builder.build().map(Some).map_err(refuse)
    }
}
