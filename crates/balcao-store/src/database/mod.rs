//! The engine: SQLite and PostgreSQL behind one transaction, migrations, and what tests put in their place.

pub(crate) mod driver_error;
pub(crate) mod durability_check;
pub(crate) mod error;
pub(crate) mod in_memory;
pub(crate) mod job;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod migrate;
pub(crate) mod postgres;
pub(crate) mod session;
pub(crate) mod single_connection;
pub(crate) mod sqlite;
pub(crate) mod sqlite_thread;
pub(crate) mod statement;
pub(crate) mod statement_log;
pub(crate) mod store;
pub(crate) mod suspects;
pub(crate) mod takeover;
pub(crate) mod tx;
pub(crate) mod value;
pub(crate) mod wakeup;
