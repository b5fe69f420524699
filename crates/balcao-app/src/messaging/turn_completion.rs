//! Tells those who wait in this process that a turn is over.
//!
//! A hint only: who waits looks into the database, also when nothing is reported, because the turn may have run elsewhere.

use balcao_domain::ConversationId;
use tokio::sync::broadcast::{self, Receiver, Sender};

/// How many turns may end before a slow listener reads; a listener that misses some reads the store at once.
const ROOM: usize = 1_024;

/// Rings when a turn of a conversation is over. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CompletionNotifier(Sender<ConversationId>);

impl Default for CompletionNotifier {
    fn default() -> Self {
        Self(broadcast::channel(ROOM).0)
    }
}

impl CompletionNotifier {
    /// A turn of this conversation is over.
    pub fn notify(&self, conversation: ConversationId) {
        // The channel usually has no listener, and `send` then fails.
        drop(self.0.send(conversation));
    }

    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> CompletionListener {
        CompletionListener(self.0.subscribe())
    }
}

/// Receives what a [`CompletionNotifier`] reports.
#[derive(Debug)]
pub struct CompletionListener(Receiver<ConversationId>);

impl CompletionListener {
    /// Returns when a turn of this conversation is over, or when notifications were missed; never if the notifier is gone.
    pub async fn wait_for(&mut self, conversation: ConversationId) {
        loop {
            match self.0.recv().await {
                Ok(ended) if ended == conversation => return,
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => return,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
