//! `[database]`: where everything is kept.

use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::Deserialize;

/// The variable that names a database server, whatever the file says.
pub(super) const VARIABLE: &str = "BALCAO_DATABASE_URL";

/// Where everything is kept: a file, or a server if its address is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DatabaseConfig {
    /// A file, or `:memory:`. Not looked at where there is a server.
    pub(crate) path: String,
    /// The address of a PostgreSQL database. Better: `url_file`, or the environment.
    pub(crate) url: Option<SecretString>,
    /// A file that holds it.
    pub(crate) url_file: Option<PathBuf>,
    /// Serve although what was acknowledged could be lost: a server with `fsync` off, a file on a network. For trials.
    pub(crate) allow_unsafe: bool,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { path: "balcao.db".to_owned(), url: None, url_file: None, allow_unsafe: false }
    }
}

impl DatabaseConfig {
    /// The server's address; `None` if the database is a file.
    pub(crate) fn server(&self) -> Result<Option<SecretString>, String> {
        match (&self.url, &self.url_file) {
            (Some(_), Some(_)) => Err("give database.url or database.url_file, not both".to_owned()),
            (Some(url), None) => Ok(Some(url.clone())),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file).map_err(|error| {
                    format!("database.url_file {}: {}", file.display(), crate::files::reason(&error))
                })?;
                Ok(Some(SecretString::from(text.trim().to_owned())))
            }
            (None, None) => Ok(None),
        }
    }

    /// The file, if the database is one and it does not exist.
    pub(crate) fn missing_file(&self) -> Option<&Path> {
        let is_file = self.url.is_none() && self.url_file.is_none() && self.path != ":memory:";
        Some(Path::new(&self.path)).filter(|path| is_file && !path.exists())
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let server = match (&self.url, &self.url_file) {
            (Some(_), _) => "********".to_owned(),
            (None, Some(file)) => format!("in {}", file.display()),
            (None, None) => "(none: a file)".to_owned(),
        };
        row("database.path", self.path.clone());
        row("database.url", server);
        row("database.allow_unsafe", self.allow_unsafe.to_string());
    }
}
