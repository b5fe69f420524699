//! Databases that are made for a measurement.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use balcao_store::{OpenOptions, RecordedTransaction, SingleConnection, Store, StoreError};
use tempfile::TempDir;

use crate::scratch::Scratch;

/// On what is measured.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// SQLite, in a file of a temporary folder.
    File,
    /// The PostgreSQL server at this address, whose user may create databases.
    Server(String),
}

impl Kind {
    /// `sqlite` or `postgres`.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::File => "sqlite",
            Self::Server(_) => "postgres",
        }
    }
}

/// A database that nobody else uses.
pub(crate) enum Place {
    File(TempDir),
    Server(Scratch),
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Place {
    pub(crate) async fn make(kind: &Kind) -> Result<Self> {
        match kind {
            Kind::File => Ok(Self::File(tempfile::tempdir()?)),
            Kind::Server(url) => {
                let name = format!("balcao_bench_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
                let url = url.clone();
                apart(move || Scratch::create(&url, &name)).await.map(Self::Server)
            }
        }
    }

    pub(crate) fn open(&self) -> Result<Store> {
        let opened = match self {
            Self::File(folder) => Store::open(&folder.path().join("bench.db"), OpenOptions::default()),
            Self::Server(scratch) => Store::connect(&scratch.url, OpenOptions::default()),
        };
        Ok(opened?)
    }

    /// Runs a tape again by the driver alone, and gives how long that took.
    pub(crate) async fn replay(&self, tape: Vec<RecordedTransaction>) -> Result<Duration> {
        match self {
            Self::File(folder) => {
                let path = folder.path().join("bench.db");
                apart(move || timed(SingleConnection::open(&path)?, &tape)).await
            }
            Self::Server(scratch) => {
                let url = scratch.url.clone();
                apart(move || timed(SingleConnection::connect(&url)?, &tape)).await
            }
        }
    }

    /// Drops it.
    pub(crate) async fn end(self) -> Result<()> {
        apart(move || {
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
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, StoreError> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await?;
    Ok(done?)
}
