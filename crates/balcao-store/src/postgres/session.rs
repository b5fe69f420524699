//! One connection, and the transaction that runs on it.

use std::collections::HashMap;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, Statement};

use super::address::Address;
use super::bind::{dollars, kind};
use crate::cause::PostgresCause;
use crate::error::StoreError;
use crate::value::Value;

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS: usize = 1024;

/// The oldest server version that is tested, as `server_version_num` counts.
const OLDEST: i64 = 150_000;

/// A connection with its prepared statements.
pub(crate) struct Session {
    client: Client,
    statements: HashMap<String, Statement>,
    /// Why the transaction cannot go on. PostgreSQL refuses every statement after one that failed, and turns `COMMIT` into
    /// `ROLLBACK` without calling it an error: so it is remembered here.
    broken: Option<StoreError>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("broken", &self.broken).finish_non_exhaustive()
    }
}

impl Session {
    /// Connects, and reads back what correctness rests on.
    pub(crate) fn connect(address: &Address, lock_timeout: Duration) -> Result<Self, StoreError> {
        let client = address.connect().map_err(|error| StoreError::CannotConnect {
            place: address.place.clone(),
            source: std::sync::Arc::new(PostgresCause::of(&error).into()),
        })?;
        let mut session = Self { client, statements: HashMap::new(), broken: None };
        session.check("server_version_num", |version| version.parse::<i64>().is_ok_and(|it| it >= OLDEST), "15")?;
        session.check("server_encoding", |encoding| encoding == "UTF8", "UTF8")?;
        // A program that hangs in a transaction holds the write lock: the server ends it, and the others go on.
        session.control(&format!(
            "SET client_min_messages = warning; SET lock_timeout = {}; SET statement_timeout = '60s';
             SET idle_in_transaction_session_timeout = '15s'",
            lock_timeout.as_millis()
        ))?;
        let durable = |found: &str| found != "off";
        if session.check("synchronous_commit", durable, "on").is_err() {
            session.control("SET synchronous_commit = on")?;
            session.check("synchronous_commit", durable, "on")?;
        }
        Ok(session)
    }

    fn check(&mut self, name: &'static str, accept: impl FnOnce(&str) -> bool, wanted: &str) -> Result<(), StoreError> {
        let rows = self.rows(&format!("SELECT current_setting('{name}')"), &[])?;
        let found: String = rows.first().and_then(|row| row.try_get(0).ok()).unwrap_or_default();
        let refused = || StoreError::Setting { name, wanted: wanted.to_owned(), found: found.clone() };
        if accept(&found) { Ok(()) } else { Err(refused()) }
    }

    /// Runs statements that give nothing, in one round trip.
    pub(crate) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        self.usable()?;
        self.client.batch_execute(sql).map_err(|error| self.fail(sql, &error))
    }

    /// Undoes to a savepoint: what failed after it is forgotten.
    pub(crate) fn roll_back_to(&mut self, savepoint: &str) -> Result<(), StoreError> {
        if self.is_closed() {
            return self.usable();
        }
        let sql = format!("ROLLBACK TO {savepoint}");
        self.client.batch_execute(&sql).map_err(|error| self.fail(&sql, &error))?;
        self.broken = None;
        Ok(())
    }

    /// Undoes the transaction. If that fails, the connection is gone and the server undoes it.
    pub(super) fn roll_back(&mut self) {
        self.broken = None;
        if self.is_closed() {
            return;
        }
        if let Err(error) = self.client.batch_execute("ROLLBACK") {
            tracing::warn!(error = %PostgresCause::of(&error), "a transaction was not rolled back");
        }
    }

    /// Commits. An error is one of three: refused, and nothing is changed; the transaction was broken before; unknown.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        if let Some(broken) = self.broken.clone() {
            self.roll_back();
            return Err(broken);
        }
        let Err(error) = self.client.batch_execute("COMMIT") else { return Ok(()) };
        let failure = self.fail("COMMIT", &error);
        self.broken = None;
        Err(if let StoreError::Disconnected { source } = failure {
            StoreError::CommitUnknown { source }
        } else {
            failure
        })
    }

    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        let statement = self.prepare(sql, values)?;
        let changed = self.client.execute(&statement, &parameters(values)).map_err(|error| self.fail(sql, &error))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub(crate) fn rows(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepare(sql, values)?;
        self.client.query(&statement, &parameters(values)).map_err(|error| self.fail(sql, &error))
    }

    /// Why the transaction cannot be kept, if it cannot.
    pub(super) const fn broken(&self) -> Option<&StoreError> {
        self.broken.as_ref()
    }

    /// Whether the connection is gone, be it that the client has not noticed yet.
    pub(super) fn is_lost(&self) -> bool {
        self.is_closed() || matches!(self.broken, Some(StoreError::Disconnected { .. }))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn prepare(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Statement, StoreError> {
        self.usable()?;
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let kinds: Vec<Type> = values.iter().map(kind).collect();
        let statement = self.client.prepare_typed(&dollars(sql), &kinds).map_err(|error| self.fail(sql, &error))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn usable(&self) -> Result<(), StoreError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn fail(&mut self, sql: &str, error: &postgres::Error) -> StoreError {
        // A migration of another program changed what a prepared statement gives, or a pooler gave us another session.
        let stale = [&SqlState::FEATURE_NOT_SUPPORTED, &SqlState::INVALID_SQL_STATEMENT_NAME];
        if error.code().is_some_and(|code| stale.contains(&code)) {
            self.statements.clear();
        }
        let error = StoreError::of_postgres(sql, error, self.client.is_closed());
        self.broken.get_or_insert(error).clone()
    }
}

fn parameters<'v>(values: &'v [Value<'_>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| {
            let one: &(dyn ToSql + Sync) = value;
            one
        })
        .collect()
}
