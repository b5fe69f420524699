//! Databases that are made for a measurement.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use balcao_store::{
    OpenOptions, RecordedTransaction, Store, StoreError,
    database::replay::{self, Scratch},
};
use tempfile::TempDir;

use crate::output::{Failure, error_chain};

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
pub(super) enum Place {
    File(TempDir),
    Server(Scratch),
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Place {
    pub(super) async fn make(kind: &Kind) -> Result<Self, Failure> {
        match kind {
            Kind::File => Ok(Self::File(tempfile::tempdir().map_err(|error| Failure::operation(error.to_string()))?)),
            Kind::Server(url) => {
                let name = format!("balcao_bench_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
                let url = url.clone();
                apart(move || Scratch::create(&url, &name)).await.map(Self::Server)
            }
        }
    }

    pub(super) fn open(&self) -> Result<Store, Failure> {
        let opened = match self {
            Self::File(folder) => Store::open(&folder.path().join("bench.db"), OpenOptions::default()),
            Self::Server(scratch) => Store::connect(&scratch.url, OpenOptions::default()),
        };
        opened.map_err(|error| Failure::operation(error_chain(&error)))
    }

    /// Runs a tape again by the driver alone, and gives how long that took.
    pub(super) async fn replay(&self, tape: Vec<RecordedTransaction>) -> Result<Duration, Failure> {
        match self {
            Self::File(folder) => {
                let path = folder.path().join("bench.db");
                apart(move || replay::replay_on_file(&path, &tape)).await
            }
            Self::Server(scratch) => {
                let url = scratch.url.clone();
                apart(move || replay::replay_on_server(&url, &tape)).await
            }
        }
    }

    /// Drops it.
    pub(super) async fn end(self) -> Result<(), Failure> {
        apart(move || {
            drop(self);
            Ok(())
        })
        .await
    }
}

/// On a thread where the driver may wait.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, StoreError> + Send + 'static) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| Failure::operation(error.to_string()))?;
    done.map_err(|error| Failure::operation(error_chain(&error)))
}
