//! Scenario evaluation: a file tells a customer's story and what must come of it.
//!
//! [`scenario`] is the file format, [`snapshot`] what the database holds for one contact and for all others, [`expect`] holds
//! them against each other without I/O, [`run`] plays a scenario on a fresh database.

pub(crate) mod expect;
pub(crate) mod run;
pub(crate) mod scenario;
pub(crate) mod snapshot;
