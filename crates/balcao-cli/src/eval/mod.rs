//! Scenario evaluation: a file contains a customer's story and the expected outcome.
//!
//! [`scenario`] is the file format. [`snapshot`] is what the database holds for one contact and for all others. [`expect`] compares the two
//! without I/O, and [`run`] plays a scenario on a fresh database.

pub(crate) mod expect;
pub(crate) mod run;
pub(crate) mod scenario;
pub(crate) mod snapshot;
