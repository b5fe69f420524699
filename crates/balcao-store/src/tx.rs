//! One transaction, as repository functions see it.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef as SqliteRef};

use crate::error::StoreError;
use crate::value::{Row, Value};

/// A running transaction. It is committed or undone by whoever opened it.
///
/// Statements are written for both databases: parameters as `?1`, no dialect where the other has none. They are prepared
/// once per connection.
#[derive(Debug)]
pub struct Tx<'a> {
    connection: &'a rusqlite::Connection,
    may_write: bool,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(connection: &'a rusqlite::Connection, may_write: bool) -> Self {
        Self { connection, may_write }
    }

    /// Runs a statement that changes rows, and gives how many.
    ///
    /// # Errors
    /// What the database said; [`StoreError::WriteInRead`] in a read transaction.
    pub fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        if !self.may_write {
            return Err(StoreError::WriteInRead { sql: sql.to_owned() });
        }
        let mut statement = self.prepare(sql)?;
        statement.execute(rusqlite::params_from_iter(values)).map_err(|error| StoreError::of_sqlite(sql, error))
    }

    /// Runs the statements of a migration.
    pub(crate) fn execute_script(&mut self, script: &str) -> Result<(), StoreError> {
        self.connection.execute_batch(script).map_err(|error| StoreError::of_sqlite("a migration's script", error))
    }

    /// Runs an `INSERT … RETURNING id` and gives the id.
    ///
    /// # Errors
    /// What the database said; [`StoreError::WriteInRead`] in a read transaction.
    pub fn insert<T: crate::value::FromValue>(&mut self, sql: &str, values: &[Value<'_>]) -> Result<T, StoreError> {
        if !self.may_write {
            return Err(StoreError::WriteInRead { sql: sql.to_owned() });
        }
        self.query_one(sql, values, |row| row.get(0))
    }

    /// Every row of a result, in its order.
    ///
    /// # Errors
    /// What the database said, or what `read` made of a row.
    pub fn query_all<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        let fail = |error| StoreError::of_sqlite(sql, error);
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fail)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            found.push(read(&Row { sqlite: row })?);
        }
        Ok(found)
    }

    /// The first row of a result, if there is one.
    ///
    /// # Errors
    /// What the database said, or what `read` made of the row.
    pub fn query_optional<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        let fail = |error| StoreError::of_sqlite(sql, error);
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fail)?;
        let found = rows.next().map_err(fail)?.map(|row| read(&Row { sqlite: row })).transpose()?;
        // An `INSERT … RETURNING` is over only when its rows have been read to the end.
        while rows.next().map_err(fail)?.is_some() {}
        Ok(found)
    }

    /// The first row of a result that must have one.
    ///
    /// # Errors
    /// [`StoreError::NoRow`] if it is empty; else as [`Self::query_optional`].
    pub fn query_one<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.query_optional(sql, values, read)?.ok_or_else(|| StoreError::NoRow { sql: sql.to_owned() })
    }

    /// Runs `attempt` so that its changes stay only if it succeeds: on either kind of failure the transaction is as before.
    ///
    /// The inner result is the use case's answer: a refusal (`Ok(Err(…))`) undoes as an error does.
    ///
    /// # Errors
    /// What `attempt` failed with, or what the database said.
    pub fn attempt<T, R, E: From<StoreError>>(
        &mut self,
        attempt: impl FnOnce(&mut Tx<'_>) -> Result<Result<T, R>, E>,
    ) -> Result<Result<T, R>, E> {
        self.control("SAVEPOINT attempt")?;
        let result = attempt(&mut Tx::new(self.connection, self.may_write));
        let end = if matches!(result, Ok(Ok(_))) { Ok(()) } else { self.control("ROLLBACK TO attempt") };
        match end.and_then(|()| self.control("RELEASE attempt")) {
            Ok(()) => result,
            // After a full disk the whole transaction is gone, and the savepoint with it: the first error says why.
            Err(_) if result.is_err() => result,
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn control(&self, sql: &str) -> Result<(), StoreError> {
        let fail = |error| StoreError::of_sqlite(sql, error);
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).map_err(fail)?;
        Ok(())
    }

    fn prepare(&self, sql: &str) -> Result<rusqlite::CachedStatement<'a>, StoreError> {
        self.connection.prepare_cached(sql).map_err(|error| StoreError::of_sqlite(sql, error))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => SqliteRef::Null,
            Value::Integer(number) => SqliteRef::Integer(*number),
            Value::Real(number) => SqliteRef::Real(*number),
            Value::Text(text) => SqliteRef::Text(text.as_bytes()),
        }))
    }
}
