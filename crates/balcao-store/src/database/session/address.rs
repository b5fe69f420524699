//! The address of a PostgreSQL database.

use std::path::PathBuf;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls::{self, Mode};
use crate::database::error::StoreError;

/// Where the database is, and how to get in.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) config: Config,
    /// How TLS is spoken; `None`: it is not.
    tls: Option<ClientConfig>,
    /// Host, port and name: what may be shown.
    pub(crate) place: String,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Address").field(&self.place).finish()
    }
}

/// Reads `postgres://user:password@host:port/name`. No error repeats any of it.
pub(crate) fn parse(url: &str) -> Result<Address, StoreError> {
    let fail = |why| StoreError::Address { why };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(fail("it does not begin with postgres://"));
    }
    let (url, mode, roots) = without_tls(url)?;
    let mut config: Config =
        url.parse().map_err(|_error: tokio_postgres::Error| fail("one of its parts or options is invalid"))?;
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    // A password with a bare `@` puts its rest into the host.
    if hosts.iter().any(|host| host.contains('@')) {
        return Err(fail("its host holds an `@`"));
    }
    if hosts.is_empty() {
        return Err(fail("it names no host"));
    }
    let Some(name) = config.get_dbname().map(str::to_owned) else { return Err(fail("it names no database")) };
    let tls = if config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_))) {
        if mode.is_must() {
            return Err(fail("it asks for TLS over a socket of this machine, which has no TLS"));
        }
        None
    } else {
        tls::client(mode, roots.as_deref())?
    };
    config.ssl_mode(match (&tls, mode.is_must()) {
        (None, _) => SslMode::Disable,
        (Some(_), false) => SslMode::Prefer,
        (Some(_), true) => SslMode::Require,
    });
    let port = config.get_ports().first().map_or(5432, |port| *port);
    config
        .application_name("balcao")
        .connect_timeout(Duration::from_secs(5))
        // A server that is cut off is noticed within half a minute.
        .tcp_user_timeout(Duration::from_secs(20))
        .keepalives_idle(Duration::from_secs(10))
        .keepalives_interval(Duration::from_secs(5))
        .keepalives_retries(3);
    Ok(Address { config, tls, place: format!("{}:{port}/{name}", hosts.join(",")) })
}

impl Address {
    /// Whether its `options` set this setting of the server (`?options=-c%20name%3Dvalue`): what an address says counts.
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.config.get_options().is_some_and(|options| options.contains(name))
    }

    /// A new connection, which lives on the runtime that this runs on.
    #[expect(
        clippy::disallowed_methods,
        reason = "the runtime is the session's own, and the task ends with the client"
    )]
    pub(crate) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(MakeRustlsConnect::new(tls.clone())).await?;
            tokio::spawn(connection);
            return Ok(client);
        }
        let (client, connection) = self.config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }
}

impl Address {
    /// A new connection whose notifications can be heard; the other end closes with the connection.
    pub(crate) async fn connect_listening(
        &self,
    ) -> Result<(Client, mpsc::UnboundedReceiver<AsyncMessage>), tokio_postgres::Error> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(MakeRustlsConnect::new(tls.clone())).await?;
            return Ok((client, forward(connection)));
        }
        let (client, connection) = self.config.connect(NoTls).await?;
        Ok((client, forward(connection)))
    }
}

/// Keeps a connection alive, and passes on what comes by itself.
#[expect(clippy::disallowed_methods, reason = "the runtime is the listener's own, and the task ends with the client")]
fn forward<S, T>(mut connection: Connection<S, T>) -> mpsc::UnboundedReceiver<AsyncMessage>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = std::future::poll_fn(|cx| connection.poll_message(cx)).await {
            // A listener that is gone drops the client, which ends the connection.
            drop(sender.send(message));
        }
    });
    receiver
}

/// Takes out of an address what the driver does not know or reads otherwise.
fn without_tls(url: &str) -> Result<(String, Mode, Option<PathBuf>), StoreError> {
    let (mut mode, mut roots) = (Mode::Prefer, None);
    let Some((before, query)) = url.split_once('?') else { return Ok((url.to_owned(), mode, roots)) };
    let mut rest = Vec::new();
    for part in query.split('&') {
        match part.split_once('=') {
            Some(("sslmode", value)) => mode = Mode::read(value)?,
            Some(("sslrootcert", value)) => roots = Some(PathBuf::from(decoded(value)?)),
            _ => rest.push(part),
        }
    }
    let mark = if rest.is_empty() { "" } else { "?" };
    Ok((format!("{before}{mark}{}", rest.join("&")), mode, roots))
}

/// A value of an address, with `%2F` and the like read.
fn decoded(text: &str) -> Result<String, StoreError> {
    let fail =
        || StoreError::Address { why: "its sslrootcert has a `%` that is not followed by two hexadecimal digits" };
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2).ok_or_else(fail)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_error| fail())?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).map_err(|_error| fail())
}

fn host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
