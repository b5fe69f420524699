//! One transaction, as repository functions see it.

use balcao_domain::OrganizationId;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef as SqliteRef};

use crate::database::error::StoreError;
use crate::database::lease::Lease;
use crate::database::session::Session;
use crate::database::sqlite_thread;
use crate::database::statement::Statement;
use crate::database::value::{Row, RowInner, Value};
use crate::database::wakeup::Wakeup;

/// The connection that a transaction runs on.
#[derive(Debug)]
pub(crate) enum Connection<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a mut Session),
}

impl Connection<'_> {
    fn again(&mut self) -> Connection<'_> {
        match self {
            Self::Sqlite(connection) => Connection::Sqlite(connection),
            Self::Postgres(session) => Connection::Postgres(session),
        }
    }
}

/// A running transaction. The code that opened it commits it or undoes it.
///
/// Statements are written for both databases: parameters as `?1`, no dialect where the other has none; a parameter is used
/// where its type is plain before it is asked whether it is null. They are prepared once per connection.
///
/// A statement that failed ends the transaction, except inside [`Self::savepoint`], because PostgreSQL would refuse all later statements.
/// A closure that goes on and returns `Ok` receives this error.
#[derive(Debug)]
pub struct Tx<'a> {
    connection: Connection<'a>,
    may_write: bool,
    /// The only organization whose queues are worked off through it.
    served: Option<OrganizationId>,
    /// A record of the events in the transaction, if the caller asked for one.
    watch: Option<TxRecorder>,
}

/// What happened in a transaction.
#[derive(Debug, Default)]
pub(crate) struct TxRecorder {
    /// Whether a statement of it changed a row.
    pub(crate) changed: bool,
    /// What ran in it, if that is wanted.
    pub(crate) tape: Option<Vec<Statement>>,
    /// The leases under which it was done.
    pub(crate) leases: Vec<Lease>,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(connection: Connection<'a>, may_write: bool) -> Self {
        Self { connection, may_write, served: None, watch: None }
    }

    /// From now on the queues of only this organization are worked off through it.
    pub(crate) const fn scope_to(&mut self, served: Option<OrganizationId>) {
        self.served = served;
    }

    /// Whose queues are worked off through it: of one organization, or, if `None`, of all, and then the next statement sees the
    /// rows of all. For claims: their statements ask `(organization_id = ?n OR ?n IS NULL)`.
    pub(crate) const fn served(&mut self) -> Option<OrganizationId> {
        if self.served.is_none() {
            self.across_organizations();
        }
        self.served
    }

    /// Notes from now on what happens.
    pub(crate) fn begin_watch(&mut self, tapes: bool) {
        self.watch = Some(TxRecorder { tape: tapes.then(Vec::new), ..TxRecorder::default() });
    }

    /// What happened since.
    pub(crate) fn end_watch(&mut self) -> TxRecorder {
        self.watch.take().unwrap_or_default()
    }

    /// Notes that it is done under this lease.
    pub(crate) fn under(&mut self, lease: Lease) {
        if let Some(watch) = &mut self.watch {
            watch.leases.push(lease);
        }
    }

    fn note(&mut self, sql: &str, values: &[Value<'_>]) {
        if let Some(tape) = self.watch.as_mut().and_then(|watch| watch.tape.as_mut()) {
            tape.push(Statement { sql: sql.to_owned(), values: values.iter().map(Value::to_owned_value).collect() });
        }
    }

    /// Notes how many rows a statement changed or gave.
    fn note_rows(&mut self, sql: &str, rows: usize, changes: bool) {
        if let Some(watch) = &mut self.watch {
            watch.changed |= rows > 0 && (changes || sql.contains("RETURNING"));
        }
    }

    /// Whether the database is PostgreSQL, for the few statements that both cannot understand.
    pub(crate) const fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// The end of a query whose rows a claim takes: on PostgreSQL it passes over rows that another transaction claims now, and does not wait
    /// for them. SQLite has one writer at a time. Such a query stands in a `WITH … AS MATERIALIZED`, because PostgreSQL may run a subquery
    /// with a limit more than once.
    pub(crate) const fn skip_locked(&self) -> &'static str {
        if self.is_postgres() { "FOR UPDATE SKIP LOCKED" } else { "" }
    }

    /// Lets the next statement see rows of every organization, which one that names an organization never does. Only for
    /// what serves them all: claims, and finding out whose something is.
    pub(crate) const fn across_organizations(&mut self) {
        if let Connection::Postgres(session) = &mut self.connection {
            session.across_organizations();
        }
    }

    /// Tells other programs over the database, when this is committed, that there is something to do.
    pub(crate) fn hint(&mut self, hint: Wakeup) {
        if let Connection::Postgres(session) = &mut self.connection {
            session.hint(hint);
        }
    }

    /// Lets statements take as long as they need, until the transaction ends: for migrations and for checks of the whole file.
    pub(crate) fn disable_timeout(&mut self) -> Result<(), StoreError> {
        match &mut self.connection {
            Connection::Sqlite(_) => {
                sqlite_thread::lift_limit();
                Ok(())
            }
            Connection::Postgres(session) => session.be_patient(),
        }
    }

    /// Runs a statement that changes rows, and gives how many.
    ///
    /// # Errors
    /// What the database said; [`StoreError::WriteInRead`] in a read transaction.
    pub fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        if !self.may_write {
            return Err(StoreError::WriteInRead { sql: sql.to_owned() });
        }
        self.note(sql, values);
        let rows = match &mut self.connection {
            Connection::Sqlite(connection) => prepare(connection, sql)?
                .execute(rusqlite::params_from_iter(values))
                .map_err(|error| StoreError::of_sqlite(sql, error)),
            Connection::Postgres(session) => session.execute(sql, values),
        }?;
        self.note_rows(sql, rows, true);
        Ok(rows)
    }

    /// Runs a statement that changes rows, if the caller does not need their number. PostgreSQL receives it together with the next
    /// statement, so it costs no round trip. If it fails, the transaction fails. Do not use it for a statement that may be refused in the
    /// course of business.
    ///
    /// # Errors
    /// What the database said; [`StoreError::WriteInRead`] in a read transaction.
    pub fn defer(&mut self, sql: &str, values: &[Value<'_>]) -> Result<(), StoreError> {
        let Connection::Postgres(session) = &mut self.connection else { return self.execute(sql, values).map(drop) };
        if !self.may_write {
            return Err(StoreError::WriteInRead { sql: sql.to_owned() });
        }
        session.defer(sql, values)?;
        self.note(sql, values);
        self.note_rows(sql, 1, true);
        Ok(())
    }

    /// Says what is going to be asked for, by the same texts with the same values, all for one organization: PostgreSQL is asked for all of
    /// it in one round trip. Nothing more than that changes.
    ///
    /// # Errors
    /// What the database said.
    pub fn read_ahead(&mut self, queries: &[(&str, &[Value<'_>])]) -> Result<(), StoreError> {
        match &mut self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(session) => session.read_ahead(queries),
        }
    }

    /// Runs the statements of a migration.
    pub(crate) fn execute_script(&mut self, script: &str) -> Result<(), StoreError> {
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                connection.execute_batch(script).map_err(|error| StoreError::of_sqlite("a migration's script", error))
            }
            Connection::Postgres(session) => session.control(script),
        }
    }

    /// Runs an `INSERT … RETURNING id` and gives the id.
    ///
    /// # Errors
    /// What the database said; [`StoreError::WriteInRead`] in a read transaction.
    pub fn insert<T: crate::database::value::FromValue>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
    ) -> Result<T, StoreError> {
        self.insert_returning(sql, values, |row| row.get(0))
    }

    /// Runs an `INSERT … RETURNING` of one row and gives what `read` makes of it.
    ///
    /// # Errors
    /// What the database said, or what `read` made of the row; [`StoreError::WriteInRead`] in a read transaction.
    pub fn insert_returning<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if !self.may_write {
            return Err(StoreError::WriteInRead { sql: sql.to_owned() });
        }
        self.query_one(sql, values, read)
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
        self.note(sql, values);
        let found: Result<Vec<T>, StoreError> = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let mut statement = prepare(connection, sql)?;
                let fail = |error| StoreError::of_sqlite(sql, error);
                let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fail)?;
                let mut found = Vec::new();
                while let Some(row) = rows.next().map_err(fail)? {
                    found.push(read(&Row(RowInner::Sqlite(row)))?);
                }
                Ok(found)
            }
            Connection::Postgres(session) => {
                session.rows(sql, values)?.iter().map(|row| read(&Row(RowInner::Postgres(row)))).collect()
            }
        };
        self.note_rows(sql, found.as_ref().map_or(0, Vec::len), false);
        found
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
        self.note(sql, values);
        let found: Result<Option<T>, StoreError> = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let mut statement = prepare(connection, sql)?;
                let fail = |error| StoreError::of_sqlite(sql, error);
                let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fail)?;
                let found = rows.next().map_err(fail)?.map(|row| read(&Row(RowInner::Sqlite(row)))).transpose()?;
                // An `INSERT … RETURNING` is over only when its rows have been read to the end.
                while rows.next().map_err(fail)?.is_some() {}
                Ok(found)
            }
            Connection::Postgres(session) => {
                session.rows(sql, values)?.first().map(|row| read(&Row(RowInner::Postgres(row)))).transpose()
            }
        };
        self.note_rows(sql, usize::from(matches!(found, Ok(Some(_)))), false);
        found
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
    pub fn savepoint<T, R, E: From<StoreError>>(
        &mut self,
        attempt: impl FnOnce(&mut Tx<'_>) -> Result<Result<T, R>, E>,
    ) -> Result<Result<T, R>, E> {
        let savepoint = match &mut self.connection {
            Connection::Sqlite(_) => "attempt".to_owned(),
            Connection::Postgres(session) => session.new_savepoint(),
        };
        self.savepoint_statement(&format!("SAVEPOINT {savepoint}"))?;
        let (served, watch) = (self.served, self.watch.take());
        let mut inner = Tx { served, watch, ..Tx::new(self.connection.again(), self.may_write) };
        let result = attempt(&mut inner);
        self.watch = inner.watch.take();
        let end = if matches!(result, Ok(Ok(_))) { Ok(()) } else { self.roll_back_to(&savepoint) };
        match end.and_then(|()| self.savepoint_statement(&format!("RELEASE {savepoint}"))) {
            Ok(()) => result,
            // After a full disk or a lost connection the whole transaction is gone, and the savepoint with it: the first
            // error says why.
            Err(_) if result.is_err() => result,
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn roll_back_to(&mut self, savepoint: &str) -> Result<(), StoreError> {
        match &mut self.connection {
            Connection::Sqlite(_) => self.control(&format!("ROLLBACK TO {savepoint}")),
            Connection::Postgres(session) => {
                if let Some(tape) = self.watch.as_mut().and_then(|watch| watch.tape.as_mut()) {
                    tape.push(Statement { sql: format!("ROLLBACK TO {savepoint}"), values: Vec::new() });
                }
                session.roll_back_to(savepoint)
            }
        }
    }

    /// Makes a savepoint or lets go of one.
    pub(crate) fn savepoint_statement(&mut self, sql: &str) -> Result<(), StoreError> {
        match &mut self.connection {
            Connection::Sqlite(_) => self.control(sql),
            Connection::Postgres(session) => {
                let marked = session.mark(sql);
                self.note(sql, &[]);
                marked
            }
        }
    }

    pub(crate) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        self.note(sql, &[]);
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                let done = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
                done.map(drop).map_err(|error| StoreError::of_sqlite(sql, error))
            }
            Connection::Postgres(session) => session.control(sql),
        }
    }
}

fn prepare<'c>(connection: &'c rusqlite::Connection, sql: &str) -> Result<rusqlite::CachedStatement<'c>, StoreError> {
    connection.prepare_cached(sql).map_err(|error| StoreError::of_sqlite(sql, error))
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => SqliteRef::Null,
            Value::Integer(number) | Value::Organization(number) => SqliteRef::Integer(*number),
            Value::Real(number) => SqliteRef::Real(*number),
            Value::Text(text) => SqliteRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => SqliteRef::Blob(bytes),
        }))
    }
}
