//! The loops of the database threads.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::watch;

use crate::database::error::StoreError;
use crate::database::job::{Job, Verdict, answer_all};
use crate::database::limits::LONGEST_READ;
use crate::database::sqlite_thread;
use crate::database::tx::Connection as Via;

/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS: i32 = 20_000;

/// Commits waiting closures in groups until the queue is closed; then moves the log into the file and closes it.
///
/// When the disk has failed under a write, what the file and the memory hold of it is unknown (an `fsync` that failed once may
/// succeed the next time, and have kept nothing). Nothing is written any more, and `breaks` tells it (F-74).
pub(super) fn write(
    connection: Connection,
    queue: &Receiver<Box<dyn Job>>,
    group_size: usize,
    breaks: &watch::Sender<Option<StoreError>>,
) {
    let mut broken = None;
    while let Ok(first) = queue.recv() {
        let mut group = Vec::with_capacity(8);
        group.push(first);
        group.extend(queue.try_iter().take(group_size - 1));
        while !group.is_empty() {
            if broken.is_some() {
                answer_all(std::mem::take(&mut group), broken.as_ref());
                break;
            }
            group = commit_group(&connection, group);
            broken = disk_failure();
            if let Some(error) = &broken {
                tracing::error!(%error, "nothing is written any more");
                breaks.send_replace(Some(error.clone()));
            }
        }
    }
    // What a failed disk holds is left as it is.
    if broken.is_none() {
        close(connection);
    }
}

/// What the disk failed with under this thread.
fn disk_failure() -> Option<StoreError> {
    sqlite_thread::disk_failure().map(|source| StoreError::Broken { source })
}

/// Moves the log into the file, unless another program looks at it, and closes the file: from then on it is whole by itself.
fn close(connection: Connection) {
    let moved = connection
        .busy_timeout(std::time::Duration::ZERO)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)));
    match moved {
        Ok(0) => {}
        // Another program reads the file, and moves the log when it is done.
        Ok(_) => tracing::warn!(
            "another program reads the database, so the newest changes stay in its -wal file: copy both files, or close that program first"
        ),
        Err(error) => tracing::warn!(%error, "the log was not moved into the file"),
    }
    if let Err((_connection, error)) = connection.close() {
        tracing::warn!(%error, "the file was not closed");
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
            failure = Some(disk_failure().unwrap_or_else(lost));
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
pub(super) fn read(mut connection: Connection, queue: &Mutex<Receiver<Box<dyn Job>>>) {
    if let Err(error) = connection.progress_handler(STEPS, Some(sqlite_thread::is_late)) {
        tracing::warn!(%error, "reads without end are not given up");
    }
    let connection = &connection;
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut job) = job else { return };
        sqlite_thread::set_limit(LONGEST_READ);
        let failure = run(connection, "BEGIN").err();
        if failure.is_none() {
            job.run(Via::Sqlite(connection));
            sqlite_thread::lift_limit();
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
