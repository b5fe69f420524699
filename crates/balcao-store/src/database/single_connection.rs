//! One connection that runs statements on the caller's thread, without a queue and without threads of its own.
//!
//! The load generator compares the server with it: the same SQL, the same driver and the same settings, and nothing else.

use std::path::Path;

use crate::database::error::StoreError;
use crate::database::limits::OpenOptions;
use crate::database::session::{Session, parse};
use crate::database::sqlite::open_writer;
use crate::database::statement_log::RecordedTransaction;
use crate::database::tx::{Connection, Tx};

/// A connection that blocks the calling thread. Do not use it on a thread that runs async code, and do not drop it there.
#[derive(Debug)]
pub struct SingleConnection(Driver);

#[derive(Debug)]
enum Driver {
    Sqlite(rusqlite::Connection),
    Postgres(Box<Session>),
}

impl SingleConnection {
    /// Opens the SQLite file at `path`, and creates the file if it is missing.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be opened or refuses a setting.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        open_writer(path, OpenOptions::default()).map(Driver::Sqlite).map(Self)
    }

    /// Connects to the PostgreSQL database at `url`.
    ///
    /// # Errors
    /// [`StoreError`] if the address is invalid, the server cannot be reached, or the server refuses a setting.
    pub fn connect(url: &str) -> Result<Self, StoreError> {
        let session = Session::connect(&parse(url)?, OpenOptions::default().busy_timeout)?;
        Ok(Self(Driver::Postgres(Box::new(session))))
    }

    /// Runs a statement without parameters and without rows, outside of a transaction.
    ///
    /// # Errors
    /// The error of the database.
    pub fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        self.tx().control(sql)
    }

    /// Runs a recorded transaction again and commits it, or undoes it if its changes were undone in the recording.
    ///
    /// The database must be in the state in which the recording began, so that new rows get the recorded ids. A statement
    /// that failed in the recording fails again; the recorded savepoint after it undoes its changes.
    ///
    /// # Errors
    /// The error of the database if the transaction cannot begin or end.
    pub fn replay(&mut self, recorded: &RecordedTransaction) -> Result<(), StoreError> {
        let is_sqlite_write = recorded.write && matches!(self.0, Driver::Sqlite(_));
        let mut tx = self.tx();
        tx.control(if is_sqlite_write { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
        for statement in &recorded.statements {
            let done = match statement.sql.strip_prefix("ROLLBACK TO ") {
                Some(savepoint) => tx.roll_back_to(savepoint),
                None if ["SAVEPOINT ", "RELEASE "].iter().any(|word| statement.sql.starts_with(word)) => {
                    tx.savepoint_statement(&statement.sql)
                }
                None => tx.query_all(&statement.sql, &statement.values, |_row| Ok(())).map(drop),
            };
            if let Err(error) = done {
                tracing::debug!(%error, "recorded statement failed");
            }
        }
        tx.control(if recorded.kept { "COMMIT" } else { "ROLLBACK" })
    }

    fn tx(&mut self) -> Tx<'_> {
        let connection = match &mut self.0 {
            Driver::Sqlite(connection) => Connection::Sqlite(connection),
            Driver::Postgres(session) => Connection::Postgres(session),
        };
        Tx::new(connection, true)
    }
}
