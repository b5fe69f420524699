//! The address of a PostgreSQL database.

use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::error::StoreError;

/// Where the database is, and how to get in.
#[derive(Clone)]
pub(crate) struct Address {
    pub(super) config: Config,
    /// Host, port and name: what may be shown.
    pub(super) place: String,
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
    let mut config: Config = url.parse().map_err(|_error: postgres::Error| fail("it is no PostgreSQL address"))?;
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    // A password with a bare `@` puts its rest into the host.
    if hosts.iter().any(|host| host.contains('@')) {
        return Err(fail("its host holds an `@`"));
    }
    if hosts.is_empty() {
        return Err(fail("it names no host"));
    }
    let Some(name) = config.get_dbname().map(str::to_owned) else { return Err(fail("it names no database")) };
    if config.get_ssl_mode() == SslMode::Require {
        return Err(fail("it asks for TLS (sslmode=require), which this program does not speak to databases"));
    }
    let port = config.get_ports().first().map_or(5432, |port| *port);
    config
        .application_name("balcao")
        .connect_timeout(Duration::from_secs(5))
        // A server that is cut off is noticed within half a minute.
        .tcp_user_timeout(Duration::from_secs(20))
        .keepalives_idle(Duration::from_secs(10))
        .keepalives_interval(Duration::from_secs(5))
        .keepalives_retries(3);
    Ok(Address { config, place: format!("{}:{port}/{name}", hosts.join(",")) })
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
