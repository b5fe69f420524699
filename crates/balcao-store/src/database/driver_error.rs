//! The text of a database error, for the operator who reads it.

/// What a database said.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// SQLite's error.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL's, or its client's.
    #[error(transparent)]
    Postgres(#[from] PostgresCause),
}

impl DriverError {
    /// SQLite's code, where it was SQLite.
    pub(crate) fn sqlite_code(&self) -> Option<rusqlite::ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            Self::Postgres(_) => None,
        }
    }
}

/// What PostgreSQL or its client said, without the detail, which repeats the values of rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("PostgreSQL: {message}{}", code.as_ref().map_or_else(String::new, |code| format!(" ({code})")))]
pub struct PostgresCause {
    /// The SQLSTATE, if the server said something.
    pub code: Option<String>,
    /// Its words.
    pub message: String,
}

impl PostgresCause {
    /// Keeps what may be kept of an error.
    pub(crate) fn from_error(error: &tokio_postgres::Error) -> Self {
        if let Some(said) = error.as_db_error() {
            return Self { code: Some(said.code().code().to_owned()), message: said.message().to_owned() };
        }
        let mut message = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            message = format!("{message}: {inner}");
            source = inner.source();
        }
        Self { code: None, message }
    }
}
