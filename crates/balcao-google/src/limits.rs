//! What one call may take.

use std::time::Duration;

/// Limits of one call; all are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To open a connection.
    pub connect: Duration,
    /// The whole call with its second try and every page.
    pub whole: Duration,
    /// The pause before the second try, if the service asks for none.
    pub pause: Duration,
    /// Bytes of one answer, unpacked.
    pub bytes: usize,
    /// Values in one answer: arrays, objects and what is in them.
    pub values: usize,
    /// Pages that are read where a call reads them all.
    pub pages: usize,
}

impl Default for Limits {
    /// As they suit a live conversation: a customer waits for the answer.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            whole: Duration::from_secs(8),
            pause: Duration::from_secs(1),
            bytes: 4 << 20,
            values: 200_000,
            pages: 20,
        }
    }
}
