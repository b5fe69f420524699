//! The two ends of a run of a turn: the turn is closed, or it starts over because the contact wrote more.

use super::TurnOutcome;
use super::opened_turn::Opened;
use super::stale_inbound::InboundText;

/// The end of a run of a turn.
pub(super) enum TurnControl {
    /// The turn is closed.
    Finished(Box<TurnOutcome>),
    /// The contact wrote more before the turn had an effect, so the turn starts over.
    Superseded(Restart),
}

/// A turn that starts over, with all messages of the contact.
pub(super) struct Restart {
    pub(super) opened: Box<Opened>,
    pub(super) inbound: InboundText,
}
