//! The engine: SQLite and PostgreSQL behind one transaction, migrations, restoring, and what tests put in their place.

pub mod ahead;
pub mod bare;
pub(crate) mod cause;
pub(crate) mod error;
pub(crate) mod hint;
pub(crate) mod inline;
pub(crate) mod job;
pub(crate) mod migrate;
pub mod pages;
pub(crate) mod postgres;
pub(crate) mod probe;
pub mod restore;
pub(crate) mod soundness;
pub(crate) mod sqlite;
pub(crate) mod store;
pub(crate) mod takeover;
pub(crate) mod tx;
pub(crate) mod value;
