//! The handle that the rest of the program holds.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::durability_check::{self, DurabilityError, ExclusiveLock};
use crate::database::error::StoreError;
use crate::database::in_memory::Inline;
use crate::database::limits::OpenOptions;
use crate::database::migrate::SchemaStatus;
use crate::database::postgres::{Listener, Postgres};
use crate::database::sqlite::{Sqlite, Stop};
use crate::database::statement_log::{self, Probe};
use crate::database::tx::Tx;
use crate::database::wakeup::Wakeup;

/// A database. Cloning gives another handle to the same one; the last handle closes it.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
    served: Option<OrganizationId>,
    probe: Option<Arc<dyn Probe>>,
}

#[derive(Debug, Clone)]
enum Database {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
    Inline(Inline),
}

/// The longest wait until a copy that was stopped has removed its draft.
const STOPPING: Duration = Duration::from_secs(5);

/// Stops a copy that is not waited for any more, and waits for its end: behind it the program may end, and would leave the draft.
struct StopOnDrop {
    stop: Arc<Stop>,
    /// Closes when the copy has ended.
    ended: Receiver<()>,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.stop.ask();
        let _closed = self.ended.recv_timeout(STOPPING);
    }
}

/// Which database it is, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// SQLite, in a file or in memory.
    Sqlite,
    /// PostgreSQL.
    Postgres {
        /// Host, port and name, without user and password.
        place: String,
    },
}

impl Store {
    /// Opens the SQLite file at `path`, creating it where there is none, and reads its settings back.
    ///
    /// The schema is not touched: call [`Self::migrate`] before use.
    ///
    /// # Errors
    /// [`StoreError`], each with what to do: no folder, no permission, not a database, locked, a newer schema.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        Ok(Self::over(Database::Sqlite(Arc::new(Sqlite::open(path, options)?))))
    }

    /// Opens a database in memory, gone with its last handle.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite cannot be started.
    pub fn open_in_memory() -> Result<Self, StoreError> {
        Ok(Self::over(Database::Sqlite(Arc::new(Sqlite::open_in_memory()?))))
    }

    /// Connects to the PostgreSQL database (15 or later) at `postgres://user:password@host:port/name`.
    ///
    /// This call does not touch the schema: call [`Self::migrate`] before use. The store reconnects after a lost connection. Of the
    /// options, `busy_timeout` is how long a writer waits for the others.
    ///
    /// # Errors
    /// [`StoreError`], each with what to do: an address that cannot be read, a server that cannot be reached or lets us not
    /// in, a setting that correctness rests on, a newer schema. None repeats a user or a password.
    pub fn connect(url: &str, options: OpenOptions) -> Result<Self, StoreError> {
        let address = crate::database::session::parse(url)?;
        Ok(Self::over(Database::Postgres(Arc::new(Postgres::open(address, options)?))))
    }

    const fn over(database: Database) -> Self {
        Self { database, served: None, probe: None }
    }

    /// The same database, through whose handle and its clones only the queues of this organization are worked off: what others
    /// in it wait for is for the programs that serve them, which know their accounts, profiles and packs.
    #[must_use]
    pub fn serving(self, organization: OrganizationId) -> Self {
        Self { served: Some(organization), ..self }
    }

    /// The only organization whose queues are worked off through this handle; `None`: all.
    #[must_use]
    pub const fn served(&self) -> Option<OrganizationId> {
        self.served
    }

    /// The same database, with `probe` looking on at what goes through this handle and its clones.
    #[must_use]
    pub fn probed(self, probe: Arc<dyn Probe>) -> Self {
        Self { probe: Some(probe), ..self }
    }

    pub(crate) fn inline(inline: Inline) -> Self {
        Self::over(Database::Inline(inline))
    }

    /// Which database it is.
    #[must_use]
    pub fn backend(&self) -> Backend {
        match &self.database {
            Database::Sqlite(_) | Database::Inline(_) => Backend::Sqlite,
            Database::Postgres(postgres) => Backend::Postgres { place: postgres.place().to_owned() },
        }
    }

    /// Tells of hints from other programs over this database until what this gives is dropped; `None` where there are no other
    /// programs. They may be lost and may come in vain: look by yourself from time to time.
    #[must_use]
    pub fn listen(&self, told: impl Fn(Wakeup) + Send + 'static) -> Option<Listener> {
        match &self.database {
            Database::Postgres(postgres) => Some(postgres.listen(told)),
            Database::Sqlite(_) | Database::Inline(_) => None,
        }
    }

    /// Runs `work` in a transaction that is durable when this returns `Ok`, and undone when it returns `Err`.
    ///
    /// Waiting closures share one commit, each in a savepoint of its own: one that fails or panics undoes itself alone. They run one at a
    /// time, in order. A caller receives its answer only after the commit; if the commit fails, every caller receives the error. On
    /// PostgreSQL closures run one at a time over all processes.
    ///
    /// # Errors
    /// What `work` failed with, or what the database said. [`StoreError::CommitUnknown`]: it may be done or not.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = served(self.served, work);
        let Some(probe) = &self.probe else { return self.database.write(work).await };
        let (work, fate) = statement_log::watched(Arc::clone(probe), true, work);
        let result = self.database.write(work).await;
        statement_log::commit_fate(&fate, result).await
    }

    /// Runs `work` on one consistent state of the database; it cannot write.
    ///
    /// # Errors
    /// What `work` failed with, or what the database said.
    pub async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = served(self.served, work);
        let Some(probe) = &self.probe else { return self.database.read(work).await };
        let (work, fate) = statement_log::watched(Arc::clone(probe), false, work);
        let result = self.database.read(work).await;
        statement_log::commit_fate(&fate, result).await
    }

    /// What time it is by the database server's clock; `None` where the database is on this machine and has no other.
    ///
    /// # Errors
    /// What the database said.
    pub async fn time(&self) -> Result<Option<Timestamp>, StoreError> {
        let Database::Postgres(postgres) = &self.database else { return Ok(None) };
        let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";
        let micros = postgres.read(move |tx: &mut Tx<'_>| tx.query_one(sql, &[], |row| row.get::<i64>(0))).await?;
        let read = |micros| Timestamp::from_microsecond(micros).ok();
        Ok::<_, StoreError>(read(micros))
    }

    /// What is wrong with where the database lies and how its server is set, so that acknowledged work could be lost.
    ///
    /// # Errors
    /// What the database said.
    pub async fn soundness(&self) -> Result<Vec<DurabilityError>, StoreError> {
        match &self.database {
            Database::Sqlite(sqlite) => Ok(sqlite.path().map(durability_check::of_place).unwrap_or_default()),
            Database::Postgres(postgres) => postgres.read(|tx: &mut Tx<'_>| durability_check::of_server(tx)).await,
            Database::Inline(_) => Ok(Vec::new()),
        }
    }

    /// Reads the whole file and gives the first damages that it finds; a server checks its own files. `thorough` takes longer and
    /// holds indexes against their tables, too.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] where the file cannot even be read.
    pub async fn damages(&self, thorough: bool) -> Result<Vec<String>, StoreError> {
        self.database.read(move |tx: &mut Tx<'_>| durability_check::damages(tx, thorough)).await
    }

    /// Makes sure that no other program serves from the same file, until what this gives is dropped; `None` where any number
    /// may.
    ///
    /// # Errors
    /// [`StoreError::ServedAlready`].
    pub fn serve_alone(&self) -> Result<Option<ExclusiveLock>, StoreError> {
        let Database::Sqlite(sqlite) = &self.database else { return Ok(None) };
        sqlite.path().map(durability_check::serve_alone).transpose()
    }

    /// Ends at `now` every claim of the process that served from the file before, and returns their number. `_alone` proves that no other process
    /// is at work, so the work of a dead process need not wait until its claims expire.
    ///
    /// # Errors
    /// What the database said.
    pub async fn take_over(&self, _alone: &ExclusiveLock, now: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| crate::database::takeover::end_claims(tx, now)).await
    }

    /// Writes a copy of the database, as it is at one instant, to a new file at `to`. Other work goes on meanwhile. When this returns,
    /// the copy is on the disk, and a check has read it back whole.
    ///
    /// # Errors
    /// [`StoreError::NotAFile`] if the database is not in a file; what the disk said; [`StoreError::Corrupt`] if the copy is damaged.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let Database::Sqlite(sqlite) = &self.database else { return Err(StoreError::NotAFile) };
        Self::copy_file(sqlite.path().ok_or(StoreError::NotAFile)?, to).await
    }

    /// The same of the database in the file at `from`, which need not be open. A copy that is not waited for any more ends, and its draft
    /// is removed.
    ///
    /// # Errors
    /// As [`Self::back_up`].
    pub async fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
        let (from, to, stop) = (from.to_owned(), to.to_owned(), Arc::<Stop>::default());
        let (runs, ended) = channel();
        let _stops = StopOnDrop { stop: Arc::clone(&stop), ended };
        let copied = tokio::task::spawn_blocking(move || {
            let _runs: Sender<()> = runs;
            crate::database::sqlite::copy(&from, &to, &stop)
        });
        copied.await.map_err(|_panicked| StoreError::Closed)?
    }

    /// Waits until the disk fails under a write. From then on this handle writes nothing: end the program and restart it.
    pub async fn breaks(&self) -> StoreError {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.breaks().await,
            Database::Postgres(_) | Database::Inline(_) => std::future::pending().await,
        }
    }

    /// The number of bytes in the write-ahead log that are not yet in the file; `None` if the database has no such log of its own.
    #[must_use]
    pub fn log_bytes(&self) -> Option<u64> {
        let Database::Sqlite(sqlite) = &self.database else { return None };
        std::fs::metadata(beside(sqlite.path()?, "-wal")).ok().map(|found| found.len())
    }

    /// The database's file, its write-ahead log or its shared memory, if every user of the machine may read it. New files are their
    /// owner's alone; older ones may not be.
    #[must_use]
    pub fn readable_by_all(&self) -> Option<PathBuf> {
        let Database::Sqlite(sqlite) = &self.database else { return None };
        let path = sqlite.path()?;
        let files = ["", "-wal", "-shm"].map(|end| beside(path, end));
        files.into_iter().find(|file| durability_check::is_readable_by_all(file))
    }

    /// The free share of the database's disk, in hundredths; `None` if it is unknown, as for a server or a database in memory.
    #[must_use]
    pub fn free_disk(&self) -> Option<u8> {
        let Database::Sqlite(sqlite) = &self.database else { return None };
        durability_check::free_disk(sqlite.path()?)
    }

    /// Applies the migrations that are missing, all or none, under the write lock.
    ///
    /// # Errors
    /// [`StoreError::Migration`], [`StoreError::MigrationChanged`], [`StoreError::Newer`]; the schema is unchanged.
    pub async fn migrate(&self) -> Result<SchemaStatus, StoreError> {
        self.write(crate::database::migrate::migrate).await
    }

    /// Which migrations are applied and which are missing.
    ///
    /// # Errors
    /// As [`Self::migrate`].
    pub async fn schema_status(&self) -> Result<SchemaStatus, StoreError> {
        self.read(crate::database::migrate::status).await
    }
}

/// The file whose name is the database's with `end` behind it; SQLite names its own files so.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The same work, in a transaction that knows whose queues are worked off.
fn served<T, E>(
    served: Option<OrganizationId>,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
) -> impl FnOnce(&mut Tx<'_>) -> Result<T, E> {
    move |tx| {
        tx.scope_to(served);
        work(tx)
    }
}

impl Database {
    async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(sqlite) => sqlite.write(work).await,
            Self::Postgres(postgres) => postgres.write(work).await,
            Self::Inline(inline) => inline.run(true, work).await,
        }
    }

    async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(sqlite) => sqlite.read(work).await,
            Self::Postgres(postgres) => postgres.read(work).await,
            Self::Inline(inline) => inline.run(false, work).await,
        }
    }
}
