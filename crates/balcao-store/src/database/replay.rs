//! The bare loop that `balcao bench` holds the program against: taped transactions, run again by the driver alone.
//!
//! One connection, one transaction after the other, each committed by itself; no queue, no thread to wait for, nothing decided.
//! The database must be as it was when the tape began, so that ids come out the same.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::database::error::StoreError;
use crate::database::limits::OpenOptions;
use crate::database::session::{Session, parse};
use crate::database::sqlite::open_writer;
use crate::database::statement_log::RecordedTransaction;
use crate::database::tx::{Connection, Tx};

/// Runs a tape on the SQLite file at `path`, and gives how long that took.
///
/// # Errors
/// [`StoreError`] if the file cannot be opened or a commit fails.
pub fn replay_on_file(path: &Path, tape: &[RecordedTransaction]) -> Result<Duration, StoreError> {
    let connection = open_writer(path, OpenOptions::default())?;
    let started = Instant::now();
    for one in tape {
        let mut tx = Tx::new(Connection::Sqlite(&connection), true);
        run(&mut tx, one, if one.write { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
    }
    Ok(started.elapsed())
}

/// Runs a tape on the PostgreSQL database at `url`, and gives how long that took. Not to be called on a thread that runs async
/// code.
///
/// # Errors
/// [`StoreError`] if the server cannot be reached or a commit fails.
pub fn replay_on_server(url: &str, tape: &[RecordedTransaction]) -> Result<Duration, StoreError> {
    let mut session = Session::connect(&parse(url)?, OpenOptions::default().busy_timeout)?;
    let started = Instant::now();
    for one in tape {
        let mut tx = Tx::new(Connection::Postgres(&mut session), true);
        run(&mut tx, one, "BEGIN")?;
    }
    Ok(started.elapsed())
}

fn run(tx: &mut Tx<'_>, one: &RecordedTransaction, begin: &str) -> Result<(), StoreError> {
    tx.control(begin)?;
    for statement in &one.statements {
        // What was refused then is refused now, and its savepoint undone by the statement after it.
        let done = match statement.sql.strip_prefix("ROLLBACK TO ") {
            Some(savepoint) => tx.roll_back_to(savepoint),
            None if ["SAVEPOINT ", "RELEASE "].iter().any(|word| statement.sql.starts_with(word)) => {
                tx.savepoint_statement(&statement.sql)
            }
            None => tx.query_all(&statement.sql, &statement.values, |_row| Ok(())).map(drop),
        };
        if let Err(error) = done {
            tracing::debug!(%error, "a taped statement failed");
        }
    }
    tx.control(if one.kept { "COMMIT" } else { "ROLLBACK" })
}

/// A database of its own on a PostgreSQL server, dropped with this.
#[derive(Debug)]
pub struct Scratch {
    /// Its address.
    pub url: String,
    server: String,
    name: String,
}

impl Scratch {
    /// Makes an empty database beside the one at `url`, whose user must be allowed to. Not to be called on a thread that runs
    /// async code; nor is this to be dropped there.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be reached or refuses.
    pub fn create(url: &str, name: &str) -> Result<Self, StoreError> {
        let mut session = Session::connect(&parse(url)?, OpenOptions::default().busy_timeout)?;
        session.control(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        session.control(&format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        let host = before.rsplit_once('/').map_or(before, |(host, _name)| host);
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        Ok(Self { url: format!("{host}/{name}{query}"), server: url.to_owned(), name: name.to_owned() })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let dropped = parse(&self.server)
            .and_then(|address| Session::connect(&address, OpenOptions::default().busy_timeout))
            .and_then(|mut session| session.control(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)));
        if let Err(error) = dropped {
            tracing::warn!(%error, name = self.name, "a scratch database was not dropped");
        }
    }
}
