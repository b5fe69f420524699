//! Where a turn comes from: a caller that waits for the answer, or a leased conversation. The run of a turn is the same for both.

use balcao_agent::streaming::ReplySink;

use super::turn_lease::TurnLease;
use crate::messaging::web_chat::Drafting;

/// What differs by where a turn comes from.
pub(super) trait TurnSource: Send + Sync {
    /// The lease that every transaction of the turn demands; none where a caller waits.
    fn lease(&self) -> Option<&TurnLease>;

    /// Who sees the reply while it is written.
    fn sink(&self) -> Option<&dyn ReplySink>;

    /// The turn begins again: what was shown of its reply is void.
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

/// A conversation that the dispatcher leased; an open page of the web chat shows the draft.
pub(super) struct Leased {
    pub(super) lease: TurnLease,
    pub(super) draft: Option<Drafting>,
}

impl TurnSource for Leased {
    fn lease(&self) -> Option<&TurnLease> {
        Some(&self.lease)
    }

    fn sink(&self) -> Option<&dyn ReplySink> {
        self.draft.as_ref().map(|draft| -> &dyn ReplySink { draft })
    }

    fn restarted(&mut self) {
        self.draft.as_ref().inspect(|draft| draft.retract());
        // The first opening has made the sanitiser of them.
        self.lease.load_options.public_texts = false;
    }
}
