//! A database of its own on a PostgreSQL server.

use balcao_store::{SingleConnection, StoreError};

/// A database of its own on a PostgreSQL server, dropped with this.
#[derive(Debug)]
pub(crate) struct PostgresDatabase {
    /// Its address.
    pub(crate) url: String,
    server: String,
    name: String,
}

impl PostgresDatabase {
    /// Makes an empty database beside the one at `url`, whose user must be allowed to. Not to be called on a thread that runs
    /// async code; nor is this to be dropped there.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be reached or refuses.
    pub(crate) fn create(url: &str, name: &str) -> Result<Self, StoreError> {
        let mut connection = SingleConnection::connect(url)?;
        connection.control(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        connection.control(&format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        let host = before.rsplit_once('/').map_or(before, |(host, _name)| host);
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        Ok(Self { url: format!("{host}/{name}{query}"), server: url.to_owned(), name: name.to_owned() })
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropped = SingleConnection::connect(&self.server).and_then(|mut connection| connection.control(&drop));
        if let Err(error) = dropped {
            tracing::warn!(%error, name = self.name, "a scratch database was not dropped");
        }
    }
}
