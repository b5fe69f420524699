//! Databases that are made for a measurement.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use balcao_store::{OpenOptions, RecordedTransaction, SingleConnection, Store, StoreError};
use tempfile::TempDir;

use crate::postgres_database::PostgresDatabase;

/// On what is measured.
#[derive(Debug, Clone)]
pub(crate) enum DatabaseKind {
    /// SQLite, in a file of a temporary folder.
    Sqlite,
    /// The PostgreSQL server at this address, whose user may create databases.
    Postgres(String),
}

impl DatabaseKind {
    /// `sqlite` or `postgres`.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

/// A database of its own.
pub(crate) enum ScratchDatabase {
    Sqlite(TempDir),
    Postgres(PostgresDatabase),
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl ScratchDatabase {
    pub(crate) async fn create(kind: &DatabaseKind) -> Result<Self> {
        match kind {
            DatabaseKind::Sqlite => Ok(Self::Sqlite(tempfile::tempdir()?)),
            DatabaseKind::Postgres(url) => {
                let name = format!("balcao_bench_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
                let url = url.clone();
                on_blocking_thread(move || PostgresDatabase::create(&url, &name)).await.map(Self::Postgres)
            }
        }
    }

    pub(crate) fn open(&self) -> Result<Store> {
        let opened = match self {
            Self::Sqlite(folder) => Store::open(&folder.path().join("bench.db"), OpenOptions::default()),
            Self::Postgres(scratch) => Store::connect(&scratch.url, OpenOptions::default()),
        };
        Ok(opened?)
    }

    /// Runs a tape again by the driver alone, and gives how long that took.
    pub(crate) async fn replay(&self, tape: Vec<RecordedTransaction>) -> Result<Duration> {
        match self {
            Self::Sqlite(folder) => {
                let path = folder.path().join("bench.db");
                on_blocking_thread(move || timed(SingleConnection::open(&path)?, &tape)).await
            }
            Self::Postgres(scratch) => {
                let url = scratch.url.clone();
                on_blocking_thread(move || timed(SingleConnection::connect(&url)?, &tape)).await
            }
        }
    }

    /// Drops it.
    pub(crate) async fn end(self) -> Result<()> {
        on_blocking_thread(move || {
            drop(self);
            Ok(())
        })
        .await
    }
}

/// Runs a tape again, one transaction after the other, and gives how long that took.
fn timed(mut connection: SingleConnection, tape: &[RecordedTransaction]) -> Result<Duration, StoreError> {
    let started = Instant::now();
    tape.iter().try_for_each(|one| connection.replay(one))?;
    Ok(started.elapsed())
}

/// On a thread where the driver may wait.
async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await?;
    Ok(done?)
}
