//! PostgreSQL: one connection writes, a few read, each with a thread of its own.
//!
//! Invariants: a write transaction holds the database's write lock from its first statement to its end, so that writers of all processes
//! are serial; a caller receives its answer only after the commit of its work; if the connection breaks during a commit, the outcome is
//! unknown, and the error says so; every connection reads back the settings on which this rests.

mod listen;
mod worker;

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub use listen::Listener;

use crate::database::error::StoreError;
use crate::database::job::{self, Job};
use crate::database::limits::OpenOptions;
use crate::database::session::{Address, Session};
use crate::database::tx::{Connection, Tx};
use crate::database::wakeup::Wakeup;
use worker::Link;

/// At most so many closures share a commit: other processes wait for the lock meanwhile.
const GROUP: usize = 32;

/// An open PostgreSQL database.
#[derive(Debug)]
pub(crate) struct Postgres {
    place: String,
    address: Arc<Address>,
    /// Which hints are ours.
    own: String,
    /// `None` only while closing.
    writer: Option<Sender<Box<dyn Job>>>,
    readers: Option<Sender<Box<dyn Job>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Postgres {
    /// Connects once, so that a wrong address or a newer schema fails at once. Readers connect when the first read needs them.
    pub(crate) fn open(address: Address, options: OpenOptions) -> Result<Self, StoreError> {
        let place = address.place.clone();
        let address = Arc::new(address);
        let own = nonce();
        let link =
            |idle| Link { address: Arc::clone(&address), lock_timeout: options.busy_timeout, own: own.clone(), idle };
        let (writer, jobs) = channel();
        let (opened, open) = channel();
        let mut first = link(None);
        let group_size = options.group_size.clamp(1, GROUP);
        // The client has a runtime of its own, which cannot run on a thread of the caller's: all is done on this one.
        let mut threads: Vec<JoinHandle<()>> = job::spawn("store-write", move || {
            let connected = Session::connect(&first.address, first.lock_timeout).and_then(check);
            let failure = match connected {
                Ok(session) => {
                    first.return_session(session);
                    None
                }
                Err(error) => Some(error),
            };
            let go_on = failure.is_none();
            if opened.send(failure).is_ok() && go_on {
                worker::write(first, &jobs, group_size);
            }
        })
        .into_iter()
        .collect();
        if let Some(error) = open.recv().map_err(|_gone| StoreError::Closed)? {
            return Err(error);
        }
        let (readers, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..options.readers.max(1) {
            let (link, jobs) = (link(None), Arc::clone(&jobs));
            threads.extend(job::spawn(&format!("store-read-{number}"), move || worker::read(link, &jobs)));
        }
        Ok(Self { place, address, own, writer: Some(writer), readers: Some(readers), threads })
    }

    /// Host, port and name, without user and password.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Tells of other programs' hints until the listener is dropped.
    pub(crate) fn listen(&self, told: impl Fn(Wakeup) + Send + 'static) -> Listener {
        listen::listen(Arc::clone(&self.address), self.own.clone(), told)
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
        job::submit(self.readers.as_ref(), false, work).await
    }
}

/// A name that no other handle has, of this program or of another.
fn nonce() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Every process draws a new seed. If two names collide, a process ignores a hint of the other, and its work is only late.
    let hash = std::collections::hash_map::RandomState::new().hash_one(std::process::id());
    format!("{hash:016x}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Refuses a schema from a newer program before anything else is done with it.
fn check(mut session: Session) -> Result<Session, StoreError> {
    session.begin("BEGIN READ ONLY")?;
    let status = crate::database::migrate::status(&mut Tx::new(Connection::Postgres(&mut session), false));
    session.roll_back();
    status.map(|_status| session)
}

impl Drop for Postgres {
    /// Lets the threads finish what is queued, and waits for them.
    fn drop(&mut self) {
        self.writer = None;
        self.readers = None;
        job::join(self.threads.drain(..));
    }
}
