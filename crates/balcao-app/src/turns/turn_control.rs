//! The two ends of a run of a turn: it is closed, or it begins again because the contact wrote more.

use super::TurnOutcome;
use super::opened::Opened;
use super::stale_inbound::InboundText;

/// What the run of a turn came to.
pub(super) enum TurnControl {
    /// The turn is closed.
    Finished(Box<TurnOutcome>),
    /// The contact wrote more before the turn had an effect: it begins again.
    Superseded(Restart),
}

/// A turn that begins again, with everything that the contact wrote.
pub(super) struct Restart {
    pub(super) opened: Box<Opened>,
    pub(super) inbound: InboundText,
}
