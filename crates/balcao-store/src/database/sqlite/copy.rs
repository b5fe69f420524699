//! A copy of a file while others work on it.

use std::fs::File;
use std::io::Error as IoError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, InterruptHandle, OpenFlags};

use crate::database::durability_check::make_private;
use crate::database::error::StoreError;

/// The longest wait of the copy for a connection that moves the log into the file.
const BUSY: Duration = Duration::from_secs(60);

/// Ends a copy early. Nothing of the copy stays.
#[derive(Default)]
pub(crate) struct Stop {
    is_asked: AtomicBool,
    /// Interrupts the statement that runs.
    statement: Mutex<Option<InterruptHandle>>,
}

impl Stop {
    pub(crate) fn ask(&self) {
        self.is_asked.store(true, Ordering::SeqCst);
        if let Some(statement) = self.statement.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            statement.interrupt();
        }
    }

    /// From now on the statements of this connection are interrupted.
    fn reach(&self, connection: &Connection) -> Result<(), StoreError> {
        *self.statement.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection.get_interrupt_handle());
        self.check()
    }

    fn check(&self) -> Result<(), StoreError> {
        if self.is_asked.load(Ordering::SeqCst) { Err(StoreError::Closed) } else { Ok(()) }
    }
}

/// Copies the database at `from`, as it is at one instant, to a file at `to` that is not there yet. It appears there whole, or not
/// at all, as when it is to `stop`.
pub(crate) fn copy(from: &Path, to: &Path, stop: &Stop) -> Result<(), StoreError> {
    let fails = |error: IoError| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return StoreError::Exists { path: to.to_owned() };
        }
        StoreError::ReadOnly { what: format!("{}: {error}", to.display()) }
    };
    if to.exists() {
        return Err(StoreError::Exists { path: to.to_owned() });
    }
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(StoreError::MissingDirectory { path: folder.to_owned() });
    }
    let part = beside(to);
    // A copy that was broken off is worth nothing.
    if part.exists() {
        std::fs::remove_file(&part).map_err(fails)?;
    }
    let copied = write(from, &part, stop)
        .and_then(|()| File::open(&part).and_then(|file| file.sync_all()).map_err(fails))
        .and_then(|()| stop.check());
    // A link fails where a name is taken, which a renaming would take away.
    let named = copied.and_then(|()| std::fs::hard_link(&part, to).map_err(fails));
    let removed = std::fs::remove_file(&part);
    named?;
    removed.map_err(fails)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(fails)
}

fn beside(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn write(from: &Path, to: &Path, stop: &Stop) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let what = "copying the database";
    let fails = |error| StoreError::of_sqlite(what, error);
    let source = Connection::open_with_flags(from, flags).map_err(fails)?;
    source.busy_timeout(BUSY).map_err(fails)?;
    stop.reach(&source)?;
    let name = to.to_str().ok_or_else(|| StoreError::ReadOnly { what: format!("{}: not UTF-8", to.display()) })?;
    // It writes into a file that is there if that is empty.
    make_private(to);
    source.execute("VACUUM INTO ?1", [name]).map_err(fails)?;
    let copy = Connection::open_with_flags(to, flags).map_err(fails)?;
    stop.reach(&copy)?;
    let said: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(fails)?;
    if said == "ok" { Ok(()) } else { Err(StoreError::BadCopy { path: to.to_owned(), damage: said }) }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
