//! How a run of a turn ends: the turn is closed, or it starts over.

use super::TurnOutcome;
use super::inbound_text::InboundText;
use super::opened_turn::Opened;

/// The end of a run of a turn.
pub(super) enum TurnControl {
    /// The turn is closed.
    Finished(Box<TurnOutcome>),
    /// The turn starts over: the contact wrote more before it had an effect, or staff gave the conversation back.
    Restarted(Restart),
}

/// A turn that starts over, with all messages of the contact.
pub(super) struct Restart {
    pub(super) opened: Box<Opened>,
    pub(super) inbound: InboundText,
}
