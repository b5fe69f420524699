//! How the closing of a turn ended.

use crate::turns::TurnOutcome;
use crate::turns::open::Opened;

/// What came of closing.
pub(super) enum Closed {
    /// The turn is over.
    Done(Box<TurnOutcome>),
    /// It had changed nothing yet and the customer wrote more: it begins again with everything.
    Superseded { opened: Box<Opened>, inbound: String },
}
