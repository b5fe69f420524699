//! Errors of the database, worded for the operator who has to repair it.

use std::path::PathBuf;
use std::sync::Arc;

use balcao_domain::FailureClass;

use crate::database::driver_error::{DriverError, PostgresCause};
use crate::database::{limits, sqlite_thread};

/// Which rule of the schema refused a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKind {
    /// A primary key or a unique index.
    Unique,
    /// A reference to a row that is not there, or a row that others refer to.
    ForeignKey,
    /// A check, or a value that must not be null.
    Check,
    /// A trigger or an exclusion constraint, such as the one against overlapping appointments.
    Trigger,
}

/// What kind of trouble a [`StoreError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorClass {
    /// Another process holds the database; the error passes without help.
    Busy,
    /// The file or the transaction cannot be written.
    ReadOnly,
    /// No space left.
    Full,
    /// Damaged, or no database at all.
    Corrupt,
    /// Written by a newer program.
    Newer,
    /// Not migrated yet.
    Older,
    /// A row broke a rule of the schema.
    Constraint,
    /// Cannot be reached or opened.
    Unavailable,
    /// The connection was lost while a transaction was being committed: it is done or not.
    Unknown,
    /// A mistake in this program.
    Bug,
}

/// Why the database did not do what was asked. Cheap to clone, because one failed commit answers many callers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another process or connection holds the lock for longer than the busy timeout.
    #[error("the database is locked by another program; stop it, or wait until its backup or migration is over")]
    Locked {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The file, its folder or its file system cannot be written.
    #[error(
        "the database cannot be written: {what}; give the program's user write permission on the file and its folder"
    )]
    ReadOnly {
        /// What could not be written.
        what: String,
    },
    /// A closure given to `read` tried to write.
    #[error("a read transaction tried to write: `{sql}`")]
    WriteInRead {
        /// The statement.
        sql: String,
    },
    /// The disk or the quota is full.
    #[error("the disk that holds the database is full; nothing was changed, free some space")]
    Full {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The file is damaged.
    #[error("the database is damaged; stop the program and restore the last backup")]
    Corrupt {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The disk, or what the system lets this program do with it, failed in the middle of a write.
    #[error(
        "the disk failed while the database was written; what it holds is known again once the program was started anew: see to \
         the disk, and to the limits that the program runs under"
    )]
    Broken {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// Another program serves from the file.
    #[error(
        "{} is served by another program (process {process}); one program serves a file: stop the other, or use PostgreSQL",
        path.display()
    )]
    ServedAlready {
        /// The file.
        path: PathBuf,
        /// The other's number, as it wrote it down.
        process: String,
    },
    /// A statement took longer than anybody should wait, and would keep the database from tidying up.
    #[error("the database needed longer than {} s and was told to stop; ask for less at a time", limit.as_secs())]
    TookTooLong {
        /// What it may take.
        limit: std::time::Duration,
    },
    /// The file is something else.
    #[error("{} is not a database; check the configured path", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The database is not in a file, so Balcão cannot copy it.
    #[error("only a database in a file is copied so; a server's is backed up by its own tools, such as pg_dump")]
    NotAFile,
    /// The name of a copy is taken.
    #[error("{} exists already and is kept as it is; give another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// What was copied cannot be read back.
    #[error("the copy {} is damaged ({damage}) and was thrown away; see to the disk", path.display())]
    BadCopy {
        /// The copy.
        path: PathBuf,
        /// What SQLite found.
        damage: String,
    },
    /// The folder of the file is missing.
    #[error("the folder {} does not exist; create it, or correct the configured path", path.display())]
    MissingDirectory {
        /// The folder.
        path: PathBuf,
    },
    /// The file cannot be opened.
    #[error("the database {} cannot be opened", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The address of a database server cannot be read. It is not repeated, because it may hold a password.
    #[error(
        "the database's address cannot be read: {why}; write postgres://user:password@host:5432/name, with special \
         characters of the password as %40 and the like"
    )]
    Address {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The database server cannot be reached, or lets us not in.
    #[error("the database {place} cannot be reached; see that it runs, and that address, user and password are right")]
    CannotConnect {
        /// Host, port and name, without user and password.
        place: String,
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The connection was lost in the middle of a transaction, which the server undoes.
    #[error("the connection to the database was lost; nothing was changed, and the next transaction connects again")]
    Disconnected {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// The connection was lost while the transaction was being committed.
    #[error("the connection to the database was lost during a commit; the transaction may be done or not")]
    CommitUnknown {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// A setting that correctness rests on did not take.
    #[error(
        "the database has {name}={found}, this program needs {wanted}; the server or the file system may lack what it needs"
    )]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it was set to.
        wanted: String,
        /// What was read back.
        found: String,
    },
    /// The schema was written by a newer program.
    #[error("the database has schema {found}, this program knows schemas up to {known}; update the program")]
    Newer {
        /// The newest migration in the database.
        found: i64,
        /// The newest migration in the program.
        known: i64,
    },
    /// The schema lacks what the program needs.
    #[error("the database lacks the current schema; run `balcao migrate`")]
    NotMigrated {
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
    /// A migration was changed after it had been applied.
    #[error("migration {name} is not the one that was applied to this database; install the program it came from")]
    MigrationChanged {
        /// The migration.
        name: String,
    },
    /// A migration failed; the schema is as it was before.
    #[error("migration {name} failed; the schema is unchanged")]
    Migration {
        /// The migration.
        name: &'static str,
        /// Why.
        #[source]
        source: Box<Self>,
    },
    /// A row broke a rule of the schema.
    #[error("a row was refused: {message}")]
    Constraint {
        /// Which rule.
        kind: ConstraintKind,
        /// The rule's own words.
        message: String,
    },
    /// A row that must be there is not.
    #[error("no row where one must be: `{sql}`")]
    NoRow {
        /// The statement.
        sql: String,
    },
    /// A column does not hold what the program expects.
    #[error("column {column} holds {found}, expected {wanted}")]
    Decode {
        /// The column, counted from 0.
        column: usize,
        /// What was expected.
        wanted: &'static str,
        /// What was found.
        found: String,
    },
    /// An effect key came again with other arguments.
    #[error("effect key {key} was already used for other arguments")]
    KeyReused {
        /// The key.
        key: String,
    },
    /// Another process has taken over the lease, so this transaction changed nothing.
    #[error("the lease on conversation {conversation} was lost: it ran out, and somebody else works on it")]
    LeaseLost {
        /// The conversation.
        conversation: balcao_domain::ConversationId,
    },
    /// A person has the conversation: what its turn wanted to change was not changed.
    #[error("a person took over conversation {conversation}: the agent changes nothing in it any more")]
    TakenOver {
        /// The conversation.
        conversation: balcao_domain::ConversationId,
    },
    /// A closure panicked; its changes were undone.
    #[error("a database closure panicked: {message}")]
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// The database was closed.
    #[error("the database is closed")]
    Closed,
    /// Anything else.
    #[error("the database refused `{sql}`")]
    Other {
        /// The statement, or what was being done.
        sql: String,
        /// What the database said.
        #[source]
        source: Arc<DriverError>,
    },
}

impl StoreError {
    /// What kind of trouble this is.
    #[must_use]
    pub fn class(&self) -> StoreErrorClass {
        match self {
            Self::Locked { .. } | Self::LeaseLost { .. } | Self::TakenOver { .. } | Self::TookTooLong { .. } => {
                StoreErrorClass::Busy
            }
            Self::ReadOnly { .. } => StoreErrorClass::ReadOnly,
            Self::Full { .. } => StoreErrorClass::Full,
            Self::Corrupt { .. } | Self::NotADatabase { .. } | Self::BadCopy { .. } => StoreErrorClass::Corrupt,
            Self::Newer { .. } => StoreErrorClass::Newer,
            Self::NotMigrated { .. } => StoreErrorClass::Older,
            Self::Constraint { .. } => StoreErrorClass::Constraint,
            Self::MissingDirectory { .. }
            | Self::CannotOpen { .. }
            | Self::Address { .. }
            | Self::CannotConnect { .. }
            | Self::Disconnected { .. }
            | Self::Setting { .. }
            | Self::Broken { .. }
            | Self::ServedAlready { .. }
            | Self::NotAFile
            | Self::Exists { .. }
            | Self::Closed => StoreErrorClass::Unavailable,
            Self::CommitUnknown { .. } => StoreErrorClass::Unknown,
            Self::Migration { source, .. } => source.class(),
            Self::WriteInRead { .. }
            | Self::MigrationChanged { .. }
            | Self::NoRow { .. }
            | Self::Decode { .. }
            | Self::KeyReused { .. }
            | Self::Panicked { .. }
            | Self::Other { .. } => StoreErrorClass::Bug,
        }
    }

    /// How a use case that met this error has failed.
    #[must_use]
    pub fn failure(&self) -> FailureClass {
        if matches!(self, Self::Disconnected { .. }) {
            return FailureClass::Transient;
        }
        match self.class() {
            // Doing it again is safe: effect keys and unique indexes find what had been done.
            StoreErrorClass::Busy | StoreErrorClass::Unknown => FailureClass::Transient,
            StoreErrorClass::ReadOnly
            | StoreErrorClass::Full
            | StoreErrorClass::Corrupt
            | StoreErrorClass::Newer
            | StoreErrorClass::Older
            | StoreErrorClass::Constraint
            | StoreErrorClass::Unavailable
            | StoreErrorClass::Bug => FailureClass::Fault,
        }
    }

    /// Whether a unique index or a primary key refused the row.
    #[must_use]
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Constraint { kind: ConstraintKind::Unique, .. })
    }

    /// Reads what SQLite said while running `sql`.
    pub(crate) fn of_sqlite(sql: &str, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let code = error.sqlite_error().map(|failure| failure.code);
        let extended = error.sqlite_error().map_or(0, |failure| failure.extended_code);
        let message = error.to_string();
        let source = Arc::new(DriverError::Sqlite(error));
        match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { source },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { what: message },
            Some(ErrorCode::DiskFull) => Self::Full { source },
            // The file that programs share grows with the log: it is the disk that is full.
            Some(ErrorCode::SystemIoFailure) if extended == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => {
                Self::Full { source }
            }
            Some(ErrorCode::SystemIoFailure) => {
                sqlite_thread::note_disk_failure(&source);
                Self::Broken { source }
            }
            Some(ErrorCode::OperationInterrupted) => Self::TookTooLong { limit: limits::LONGEST_READ },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { source },
            Some(ErrorCode::ConstraintViolation) => Self::Constraint { kind: constraint_kind(extended), message },
            _ if message.starts_with("no such table") || message.starts_with("no such column") => {
                Self::NotMigrated { source }
            }
            _ => Self::Other { sql: sql.to_owned(), source },
        }
    }
}

impl StoreError {
    /// Reads what PostgreSQL or its client said while running `sql`; `closed`: the connection is gone.
    pub(crate) fn of_postgres(sql: &str, error: &tokio_postgres::Error, closed: bool) -> Self {
        let cause = PostgresCause::from_error(error);
        let (code, message) = (cause.code.clone().unwrap_or_default(), cause.message.clone());
        let constraint = |kind| Self::Constraint { kind, message: message.clone() };
        let source = Arc::new(DriverError::Postgres(cause));
        match code.as_str() {
            "23505" => constraint(ConstraintKind::Unique),
            "23503" => constraint(ConstraintKind::ForeignKey),
            // An exclusion constraint, and what our own triggers raise.
            "23P01" | "P0001" => constraint(ConstraintKind::Trigger),
            code if code.starts_with("23") => constraint(ConstraintKind::Check),
            "57014" => Self::TookTooLong { limit: limits::LONGEST_STATEMENT },
            // Serialization, deadlock, lock timeout.
            "40001" | "40P01" | "55P03" => Self::Locked { source },
            // A table, a column or a schema that is not there.
            "42P01" | "42703" | "3F000" => Self::NotMigrated { source },
            // The wall between organizations (row-level security).
            "42501" if message.contains("row-level security") => constraint(ConstraintKind::Check),
            "25006" => Self::ReadOnly { what: message },
            "53100" => Self::Full { source },
            "XX001" | "XX002" => Self::Corrupt { source },
            // The server ends the connection: shutdown, crash, or a session that idled in its transaction.
            "57P01" | "57P02" | "57P03" | "25P03" => Self::Disconnected { source },
            _ if closed => Self::Disconnected { source },
            _ => Self::Other { sql: sql.to_owned(), source },
        }
    }
}

fn constraint_kind(extended: i32) -> ConstraintKind {
    use rusqlite::ffi;
    match extended {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            ConstraintKind::Unique
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ConstraintKind::ForeignKey,
        ffi::SQLITE_CONSTRAINT_TRIGGER => ConstraintKind::Trigger,
        _ => ConstraintKind::Check,
    }
}
