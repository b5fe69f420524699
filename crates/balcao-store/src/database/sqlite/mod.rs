//! SQLite: one thread writes, a few read.
//!
//! Invariants: only the writer thread holds a connection that can write; a caller receives its answer only after the commit of its work;
//! opening a connection reads back the settings on which durability rests; when the last handle is gone, the file holds everything.

mod connection;
mod copy;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub(crate) use connection::open_writer;
pub(crate) use copy::{Stop, copy};
use tokio::sync::watch;

use crate::database::error::StoreError;
use crate::database::job::{self, Job};
use crate::database::limits::OpenOptions;
use crate::database::tx::{Connection, Tx};
pub(crate) use connection::open_memory;

/// An open SQLite database.
#[derive(Debug)]
pub(crate) struct Sqlite {
    /// Its file; `None`: it is in memory.
    path: Option<PathBuf>,
    /// `None` only while closing.
    writer: Option<Sender<Box<dyn Job>>>,
    /// `None` for a database in memory, which its writer reads.
    readers: Option<Sender<Box<dyn Job>>>,
    /// The readers' threads.
    reading: Vec<JoinHandle<()>>,
    /// The writer's thread.
    writing: Option<JoinHandle<()>>,
    /// Why nothing is written any more.
    broken: watch::Receiver<Option<StoreError>>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        let connection = connection::open_writer(path, options)?;
        {
            // A schema from a newer program is refused before anything else is done with it.
            let mut tx = Tx::new(Connection::Sqlite(&connection), false);
            crate::database::migrate::status(&mut tx)?;
        }
        let mut sqlite = Self::with_writer(connection, options.group_size);
        sqlite.path = Some(path.to_owned());
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..options.readers.max(1) {
            let (connection, receiver) = (connection::open_reader(path, options)?, Arc::clone(&receiver));
            sqlite.reading.extend(job::spawn(&format!("store-read-{number}"), move || {
                worker::read(connection, &receiver);
            }));
        }
        sqlite.readers = Some(sender);
        Ok(sqlite)
    }

    pub(crate) fn open_in_memory() -> Result<Self, StoreError> {
        Ok(Self::with_writer(connection::open_memory()?, OpenOptions::default().group_size))
    }

    fn with_writer(connection: rusqlite::Connection, group_size: usize) -> Self {
        let (sender, receiver) = channel();
        let (breaks, broken) = watch::channel(None);
        let writing =
            job::spawn("store-write", move || worker::write(connection, &receiver, group_size.max(1), &breaks));
        Self { path: None, writer: Some(sender), readers: None, reading: Vec::new(), writing, broken }
    }

    /// Waits until the disk fails under a write, and says how.
    pub(crate) async fn breaks(&self) -> StoreError {
        let mut broken = self.broken.clone();
        match broken.wait_for(Option::is_some).await.map(|found| (*found).clone()) {
            Ok(Some(error)) => error,
            _ => std::future::pending().await,
        }
    }

    /// Its file, if it is in one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        job::submit(self.writer.as_ref(), true, work).await
    }

    pub(crate) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        job::submit(self.readers.as_ref().or(self.writer.as_ref()), false, work).await
    }
}

impl Drop for Sqlite {
    /// Lets the threads finish the queued work, and waits for them, so that the file closes with the last handle. The readers stop first:
    /// while a reader looks at the log, the writer cannot move all of it into the file. A copy of that file alone would then lack most of
    /// the data.
    fn drop(&mut self) {
        self.readers = None;
        job::join(self.reading.drain(..));
        self.writer = None;
        job::join(self.writing.take().into_iter());
    }
}
