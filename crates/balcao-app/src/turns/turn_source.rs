//! Where a turn comes from: a caller that waits for the answer, or a leased conversation. The run of a turn is the same for both.

use balcao_agent::streaming::ReplySink;

use super::turn_lease::TurnLease;
use crate::messaging::web_chat::ReplyPreview;

/// The differences between the sources of a turn.
pub(super) trait TurnSource: Send + Sync {
    /// The lease that every transaction of the turn checks; `None` if a caller waits.
    fn lease(&self) -> Option<&TurnLease>;

    /// Who sees the reply while it is written.
    fn sink(&self) -> Option<&dyn ReplySink>;

    /// Handles a restart of the turn: withdraws the part of the reply that was already shown.
    fn restarted(&mut self);
}

/// A caller that waits for the answer.
pub(super) struct Caller<'a> {
    pub(super) sink: Option<&'a dyn ReplySink>,
}

impl TurnSource for Caller<'_> {
    fn lease(&self) -> Option<&TurnLease> {
        None
    }

    fn sink(&self) -> Option<&dyn ReplySink> {
        self.sink
    }

    fn restarted(&mut self) {}
}

/// A conversation that the dispatcher leased; an open page of the web chat shows the reply while it is written.
pub(super) struct Leased {
    pub(super) lease: TurnLease,
    pub(super) preview: Option<ReplyPreview>,
}

impl TurnSource for Leased {
    fn lease(&self) -> Option<&TurnLease> {
        Some(&self.lease)
    }

    fn sink(&self) -> Option<&dyn ReplySink> {
        self.preview.as_ref().map(|preview| -> &dyn ReplySink { preview })
    }

    fn restarted(&mut self) {
        self.preview.as_ref().inspect(|preview| preview.retract());
        // The sanitiser exists since the first opening, so no restart needs the public texts.
        self.lease.load_options.public_texts = false;
    }
}
