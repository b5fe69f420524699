//! A database in memory whose transactions run where they are called, and whose [`FaultInjector`] decides what becomes of each.
//!
//! The statements, the schema and the constraints are SQLite's, as in production; only the commit is in the gate's hands. So
//! what a simulator finds wrong with a transaction is wrong in production too, and everything is a function of its seed.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use rusqlite::backup::Backup;

use crate::database::driver_error::{DriverError, PostgresCause};
use crate::database::error::StoreError;
use crate::database::lease::Lease;
use crate::database::sqlite::open_memory;
use crate::database::tx::{Connection, Tx};

/// What becomes of a transaction.
#[derive(Debug, Clone)]
pub enum CommitOutcome {
    /// The database commits the transaction, and the caller receives its result.
    Commit,
    /// The transaction does not begin; the caller receives this error.
    Refuse(StoreError),
    /// The database loses the answer, and the caller receives [`StoreError::CommitUnknown`].
    Unknown {
        /// Whether it was committed.
        committed: bool,
    },
}

/// Stands between one process and the database.
#[async_trait]
pub trait FaultInjector: Send + Sync + Debug {
    /// Decides about a transaction before it begins; it may take its time, or for ever.
    async fn enter(&self, may_write: bool) -> CommitOutcome;

    /// Waits after the end of a transaction and before its caller receives the result. If a process dies here, the transaction stays
    /// committed.
    async fn leave(&self, may_write: bool);

    /// Receives, after each commit, the leases under which the committed work ran.
    fn committed(&self, _leases: &[Lease]) {}
}

/// A database in memory that several stores share, each with a gate of its own: one per simulated process.
#[derive(Debug, Clone)]
pub struct InlineDatabase(Arc<Mutex<rusqlite::Connection>>);

impl InlineDatabase {
    /// An empty database.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite cannot be started.
    pub fn new() -> Result<Self, StoreError> {
        Ok(Self(Arc::new(Mutex::new(open_memory()?))))
    }

    /// Another database with the same content.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite cannot copy it.
    pub fn copy(&self) -> Result<Self, StoreError> {
        let copy = Self::new()?;
        {
            let (from, mut to) = (self.lock(), copy.lock());
            let fail = |error| StoreError::of_sqlite("copying a database", error);
            let backup = Backup::new(&from, &mut to).map_err(fail)?;
            backup.run_to_completion(i32::MAX, std::time::Duration::ZERO, None).map_err(fail)?;
        }
        Ok(copy)
    }

    /// A process's way to the database.
    #[must_use]
    pub fn behind(&self, gate: Arc<dyn FaultInjector>) -> crate::Store {
        crate::Store::inline(Inline { database: self.clone(), gate })
    }

    /// Looks at the database without a gate.
    ///
    /// # Errors
    /// What `look` failed with, or what the database said.
    pub fn look<T, E: From<StoreError>>(&self, look: impl FnOnce(&mut Tx<'_>) -> Result<T, E>) -> Result<T, E> {
        self.run(false, true, look, |_| ())
    }

    /// Changes the database without a gate.
    ///
    /// # Errors
    /// What `change` failed with, or what the database said.
    pub fn change<T, E: From<StoreError>>(&self, change: impl FnOnce(&mut Tx<'_>) -> Result<T, E>) -> Result<T, E> {
        self.run(true, true, change, |_| ())
    }

    /// Takes the triggers against overlapping appointments away, to see that something finds what they prevent.
    ///
    /// # Errors
    /// What the database said.
    pub fn without_walls(&self) -> Result<(), StoreError> {
        self.change(|tx| {
            tx.execute_script("DROP TRIGGER appointment_no_overlap_insert; DROP TRIGGER appointment_no_overlap_update;")
        })
    }

    fn lock(&self) -> MutexGuard<'_, rusqlite::Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<T, E: From<StoreError>>(
        &self,
        may_write: bool,
        commit: bool,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
        committed: impl FnOnce(&[Lease]),
    ) -> Result<T, E> {
        let connection = self.lock();
        let fail = |error| E::from(StoreError::of_sqlite("a transaction", error));
        let transaction = connection.unchecked_transaction().map_err(fail)?;
        // A panic in `work` drops the transaction, which undoes it.
        let mut tx = Tx::new(Connection::Sqlite(&connection), may_write);
        tx.begin_watch(false);
        let result = work(&mut tx);
        let leases = tx.end_watch().leases;
        let kept = commit && result.is_ok();
        let end = if kept { transaction.commit() } else { transaction.rollback() };
        end.map_err(fail)?;
        if kept {
            committed(&leases);
        }
        result
    }
}

/// One process's way to an [`InlineDatabase`].
#[derive(Debug, Clone)]
pub(crate) struct Inline {
    database: InlineDatabase,
    gate: Arc<dyn FaultInjector>,
}

impl Inline {
    pub(crate) async fn run<T, E, F>(&self, may_write: bool, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send,
        E: From<StoreError>,
    {
        let fate = self.gate.enter(may_write).await;
        let committed = |leases: &[Lease]| self.gate.committed(leases);
        let result = match fate {
            CommitOutcome::Commit => self.database.run(may_write, true, work, committed),
            CommitOutcome::Refuse(error) => return Err(error.into()),
            CommitOutcome::Unknown { committed: done } => {
                // If the work itself fails, the caller receives that error and not an unknown commit.
                let result = self.database.run(may_write, done, work, committed);
                result.and_then(|_| Err(lost_answer().into()))
            }
        };
        self.gate.leave(may_write).await;
        result
    }
}

fn lost_answer() -> StoreError {
    let cause = PostgresCause { code: None, message: "the answer to COMMIT was lost".to_owned() };
    StoreError::CommitUnknown { source: Arc::new(DriverError::Postgres(cause)) }
}
