//! Calls of small strict servers on this machine, hostile ones among them.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod clickup;
mod guide;
mod hostile;
mod limits;
mod lists;
mod server;
mod signing_in;
mod ssrf;
mod tool;
mod writes;
