//! How a database is opened, and how long statements may take.

use std::time::Duration;

/// A read that takes longer is given up: as long as it lasts, what was written since cannot be moved into the file (F-79).
pub(crate) const LONGEST_READ: Duration = Duration::from_secs(5);
/// The statement timeout that the session sets on the server.
pub(crate) const LONGEST_STATEMENT: Duration = Duration::from_secs(6);

/// How a database is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// How long to wait for another process's lock.
    pub busy_timeout: Duration,
    /// How many threads read at a time. A database in memory has none: it is read by its writer.
    pub readers: usize,
    /// How many waiting writes may share one commit.
    pub group_size: usize,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), readers: 4, group_size: 128 }
    }
}
