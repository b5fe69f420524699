//! Opening connections, with the settings that correctness rests on read back.

use std::path::Path;
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::database::durability_check::make_private;
use crate::database::error::StoreError;
use crate::database::limits::OpenOptions;

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS: usize = 512;

pub(crate) fn open_writer(path: &Path, options: OpenOptions) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(StoreError::MissingDirectory { path: folder.to_owned() });
    }
    make_private(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|source| cannot_open(path, source))?;
    // SQLite opens a file that it cannot write for reading, without a word.
    if connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(false) {
        return Err(StoreError::ReadOnly { what: path.display().to_string() });
    }
    prepare(&connection, options).map_err(|error| in_file(path, error))?;
    setting(&connection, "journal_mode", "wal").map_err(|error| in_file(path, error))?;
    setting(&connection, "synchronous", "2")?;
    setting(&connection, "foreign_keys", "1")?;
    Ok(connection)
}

pub(super) fn open_reader(path: &Path, options: OpenOptions) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|source| cannot_open(path, source))?;
    prepare(&connection, options)?;
    setting(&connection, "query_only", "1")?;
    Ok(connection)
}

pub(crate) fn open_memory() -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let memory = Path::new(":memory:");
    let connection = Connection::open_with_flags(memory, flags).map_err(|source| cannot_open(memory, source))?;
    cache_statements(&connection)?;
    setting(&connection, "foreign_keys", "1")?;
    Ok(connection)
}

/// Caches prepared statements and keeps their plans. Without a stable plan SQLite replans a statement for every other value.
fn cache_statements(connection: &Connection) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let stable = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true);
    stable.map(drop).map_err(|error| StoreError::of_sqlite("stable plans", error))
}

fn prepare(connection: &Connection, options: OpenOptions) -> Result<(), StoreError> {
    cache_statements(connection)?;
    // A schema from elsewhere may contain code that runs behind a statement; this setting forbids it.
    setting(connection, "trusted_schema", "0")?;
    let milliseconds = u32::try_from(options.busy_timeout.as_millis()).unwrap_or(60_000);
    setting(connection, "busy_timeout", &milliseconds.to_string())?;
    // A memory map can turn an I/O error into a signal that ends the process.
    setting(connection, "mmap_size", "0")
}

/// Sets a pragma and reads it back.
fn setting(connection: &Connection, name: &'static str, wanted: &str) -> Result<(), StoreError> {
    let fail = |error| StoreError::of_sqlite(name, error);
    let text = |row: &rusqlite::Row<'_>| {
        row.get_ref(0).map(|value| match value {
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            rusqlite::types::ValueRef::Null
            | rusqlite::types::ValueRef::Real(_)
            | rusqlite::types::ValueRef::Blob(_) => "?".to_owned(),
        })
    };
    connection.pragma_update(None, name, wanted).map_err(fail)?;
    let found = connection.pragma_query_value(None, name, text).map_err(fail)?;
    if found == wanted { Ok(()) } else { Err(StoreError::Setting { name, wanted: wanted.to_owned(), found }) }
}

fn cannot_open(path: &Path, source: rusqlite::Error) -> StoreError {
    StoreError::CannotOpen { path: path.to_owned(), source: Arc::new(source.into()) }
}

/// The first look into a file tells that it is something else.
fn in_file(path: &Path, error: StoreError) -> StoreError {
    let is_something_else =
        matches!(&error, StoreError::Corrupt { source } if source.sqlite_code() == Some(ErrorCode::NotADatabase));
    if is_something_else { StoreError::NotADatabase { path: path.to_owned() } } else { error }
}
