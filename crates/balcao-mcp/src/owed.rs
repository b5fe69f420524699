//! Counts what a server asks of us: each answer waits in memory until the server takes it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Questions of a server that may wait for our answers.
const MAX_OWED: usize = 256;

/// Questions of a server that were read, less the answers that it took since.
#[derive(Debug, Default)]
pub(crate) struct Owed(AtomicUsize);

impl Owed {
    /// Notes a question; false if too many wait for their answers.
    pub(crate) fn ask(&self) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst) < MAX_OWED
    }

    /// Notes that the server took so many messages. Any message may be an answer.
    pub(crate) fn count_taken(&self, messages: usize) {
        let less = |owed: usize| Some(owed.saturating_sub(messages));
        let _before = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    }
}

/// Whether a message asks something of us: it has a method and an id (JSON-RPC 2.0 §4).
pub(crate) fn asks(message: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        id: Option<serde::de::IgnoredAny>,
        method: Option<serde::de::IgnoredAny>,
    }
    balcao_json::read_as::<Head>(message, balcao_json::MOST_VALUES)
        .is_ok_and(|head| head.id.is_some() && head.method.is_some())
}
