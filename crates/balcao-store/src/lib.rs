//! The database: SQLite in a file or in memory, or PostgreSQL, behind one enum.
//!
//! [`Store::write`] and [`Store::read`] run a synchronous closure in a transaction; all SQL lives in the repository modules,
//! written once, over the small interface of [`Tx`]. Every table carries the organization and every repository function
//! takes it. Constraints repeat what the use cases check, so that a race loses cleanly.
//!
//! Not here: rules (`balcao-domain`), and what one transaction consists of (`balcao-app`).

pub mod crm;
pub mod database;
pub mod knowledge;
pub mod messaging;
pub mod ops;
pub mod queries;
pub mod scheduling;
pub mod turns;

pub use database::driver_error::{DriverError, PostgresCause};
pub use database::durability_check::{DurabilityError, ExclusiveLock};
pub use database::error::{ConstraintKind, StoreError, StoreErrorClass};
pub use database::in_memory::{CommitOutcome, FaultInjector, InlineDatabase};
pub use database::lease::Lease;
pub use database::limits::OpenOptions;
pub use database::migrate::{AppliedMigration, SchemaStatus};
pub use database::postgres::Listener;
pub use database::single_connection::SingleConnection;
pub use database::statement::Statement;
pub use database::statement_log::{CommitFate, Probe, RecordedTransaction};
pub use database::store::{Backend, Store};
pub use database::tx::Tx;
pub use database::value::{FromValue, Row, Value, ValueRef};
pub use database::wakeup::Wakeup;
