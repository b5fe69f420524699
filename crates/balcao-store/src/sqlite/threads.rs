//! The loops of the database threads.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::error::StoreError;
use crate::job::{Job, Verdict, answer_all};
use crate::tx::Connection as Via;

/// Commits waiting closures in groups until the queue is closed.
pub(super) fn write(connection: &Connection, queue: &Receiver<Box<dyn Job>>, group_size: usize) {
    while let Ok(first) = queue.recv() {
        let mut group = Vec::with_capacity(8);
        group.push(first);
        group.extend(queue.try_iter().take(group_size - 1));
        while !group.is_empty() {
            group = commit_group(connection, group);
        }
    }
}

/// Runs and answers a group, and gives back what could not be run because the transaction was lost under it.
fn commit_group(connection: &Connection, mut group: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
    if let Err(error) = run(connection, "BEGIN IMMEDIATE") {
        answer_all(group, Some(&error));
        return Vec::new();
    }
    let alone = group.len() == 1;
    let mut failure = None;
    let mut ran = 0;
    let mut keep_any = false;
    for job in &mut group {
        ran += 1;
        let result = if alone { Ok(job.run(Via::Sqlite(connection))) } else { in_savepoint(connection, job.as_mut()) };
        keep_any |= matches!(result, Ok(Verdict::Keep));
        // After a full disk or an I/O error SQLite may have undone the whole transaction by itself.
        if connection.is_autocommit() {
            failure = Some(lost());
            break;
        }
        if let Err(error) = result {
            failure = Some(error);
            break;
        }
    }
    let rest = group.split_off(ran);
    let end = if failure.is_some() || (alone && !keep_any) { "ROLLBACK" } else { "COMMIT" };
    if !connection.is_autocommit()
        && let Err(error) = run(connection, end)
    {
        failure = failure.or(Some(error));
        // A commit that failed leaves the transaction open; the next group needs it closed.
        if !connection.is_autocommit()
            && let Err(error) = run(connection, "ROLLBACK")
        {
            tracing::error!(%error, "a failed transaction could not be rolled back");
        }
    }
    // A single closure that failed by itself keeps its own answer, which says more than "lost".
    let own_answer = alone && !keep_any;
    answer_all(group, failure.as_ref().filter(|_| !own_answer));
    rest
}

fn in_savepoint(connection: &Connection, job: &mut dyn Job) -> Result<Verdict, StoreError> {
    run(connection, "SAVEPOINT closure")?;
    let verdict = job.run(Via::Sqlite(connection));
    if connection.is_autocommit() {
        return Ok(verdict);
    }
    if verdict == Verdict::Undo {
        run(connection, "ROLLBACK TO closure")?;
    }
    run(connection, "RELEASE closure")?;
    Ok(verdict)
}

/// Answers reading closures, each on a consistent state, until the queue is closed.
pub(super) fn read(connection: &Connection, queue: &Mutex<Receiver<Box<dyn Job>>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut job) = job else { return };
        let failure = run(connection, "BEGIN").err();
        if failure.is_none() {
            job.run(Via::Sqlite(connection));
            if let Err(error) = run(connection, "COMMIT") {
                tracing::warn!(%error, "a read transaction did not end");
            }
        }
        job.answer(failure);
    }
}

fn run(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let done = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    done.map(drop).map_err(|error| StoreError::of_sqlite(sql, error))
}

fn lost() -> StoreError {
    StoreError::of_sqlite(
        "COMMIT",
        rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
            Some("the transaction was undone by the database".to_owned()),
        ),
    )
}
