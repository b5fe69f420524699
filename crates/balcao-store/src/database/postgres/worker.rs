//! The loops of the database threads.

use std::collections::VecDeque;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::database::error::StoreError;
use crate::database::job::{Job, Verdict, answer_all};
use crate::database::session::{Address, Session};
use crate::database::tx::Connection;

/// The key of the advisory lock that every write transaction takes: "balcao" in hexadecimal.
const WRITE_LOCK: i64 = 0x6261_6c63_616f;

/// Reads one consistent state, and cannot write.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A way to the database that finds a new connection when the old one is gone.
pub(super) struct Link {
    pub(super) address: Arc<Address>,
    pub(super) lock_timeout: Duration,
    /// Which hints are ours.
    pub(super) own: String,
    pub(super) idle: Option<Session>,
}

impl Link {
    /// A session with a transaction begun.
    ///
    /// A connection that idled may be gone without anybody knowing. Nothing has been done on it, so a new one may be tried.
    fn begin(&mut self, begin: &str) -> Result<Session, StoreError> {
        if let Some(idle) = self.idle.take().filter(|session| !session.is_closed()) {
            let begun = self.begin_on(idle, begin);
            if !matches!(begun, Err(StoreError::Disconnected { .. })) {
                return begun;
            }
        }
        let session = Session::connect(&self.address, self.lock_timeout)?;
        self.begin_on(session, begin)
    }

    fn begin_on(&mut self, mut session: Session, begin: &str) -> Result<Session, StoreError> {
        match session.begin(begin) {
            Ok(()) => Ok(session),
            Err(error) => {
                session.roll_back();
                self.return_session(session);
                Err(error)
            }
        }
    }

    /// Keeps a session for the next transaction.
    pub(super) fn return_session(&mut self, session: Session) {
        self.idle = Some(session).filter(|session| !session.is_closed());
    }
}

/// Commits waiting closures in groups until the queue is closed.
///
/// The transaction begins with the lock that all writers share, in this process and in others, so that writers are as serial
/// as SQLite's one. Under READ COMMITTED every later statement sees all that was committed before the lock was given.
pub(super) fn write(mut link: Link, queue: &Receiver<Box<dyn Job>>, group_size: usize) {
    let begin = format!("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock({WRITE_LOCK})");
    while let Ok(first) = queue.recv() {
        let mut group = VecDeque::from([first]);
        group.extend(queue.try_iter().take(group_size - 1));
        while !group.is_empty() {
            match link.begin(&begin) {
                Ok(mut session) => {
                    group = commit_group(&mut session, group, &link.own);
                    link.return_session(session);
                }
                Err(error) => answer_all(std::mem::take(&mut group), Some(&error)),
            }
        }
    }
}

/// Runs, commits and answers a group, each closure in a savepoint of its own; gives back what could not begin because the
/// connection was lost under the group.
fn commit_group(session: &mut Session, mut group: VecDeque<Box<dyn Job>>, own: &str) -> VecDeque<Box<dyn Job>> {
    let alone = group.len() == 1;
    let mut ran: Vec<(Box<dyn Job>, Option<StoreError>)> = Vec::with_capacity(group.len());
    let mut keep_any = false;
    while let Some(mut job) = group.pop_front() {
        let result = if alone { run(session, job.as_mut()) } else { in_savepoint(session, job.as_mut()) };
        keep_any |= matches!(result, Ok(Verdict::Keep));
        ran.push((job, result.err()));
        if session.is_lost() {
            break;
        }
    }
    let failure = if keep_any { session.commit(own).err() } else { None };
    if !keep_any {
        session.roll_back();
    }
    for (job, own) in ran {
        job.answer(own.or_else(|| failure.clone()));
    }
    group
}

/// Runs a closure. One that overlooked an error and wants to be kept cannot be: its changes are gone.
fn run(session: &mut Session, job: &mut dyn Job) -> Result<Verdict, StoreError> {
    let verdict = job.run(Connection::Postgres(session));
    match session.broken() {
        Some(broken) if verdict == Verdict::Keep => Err(broken.clone()),
        _ => Ok(verdict),
    }
}

/// As [`run`], undoing what is not kept. Savepoints stay until the commit, which saves a round trip each; so what of a closure still
/// waits to be sent is sent before the next one's, or it could only be undone to the wrong one.
fn in_savepoint(session: &mut Session, job: &mut dyn Job) -> Result<Verdict, StoreError> {
    session.savepoint("closure")?;
    let result = match run(session, job) {
        Ok(Verdict::Keep) => session.settle().map(|()| Verdict::Keep),
        other => other,
    };
    if !matches!(result, Ok(Verdict::Keep)) {
        // The closure's own error says more than that it could not be undone; the connection is gone then.
        drop(session.roll_back_to("closure"));
    }
    result
}

/// Answers reading closures, each on a consistent state, until the queue is closed.
pub(super) fn read(mut link: Link, queue: &Mutex<Receiver<Box<dyn Job>>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut job) = job else { return };
        let failure = match link.begin(BEGIN_READ) {
            Ok(mut session) => {
                job.run(Connection::Postgres(&mut session));
                session.roll_back();
                link.return_session(session);
                None
            }
            Err(error) => Some(error),
        };
        job.answer(failure);
    }
}
