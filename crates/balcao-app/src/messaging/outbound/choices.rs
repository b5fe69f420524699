//! What may be chosen below a message.

use balcao_channel::outbound::OutboundContent;
use jiff::Timestamp;

/// Something that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) name: String,
    /// What a turn reads when it was chosen.
    pub(crate) words: String,
    pub(crate) expires_at: Timestamp,
}

/// A reply with what may be chosen below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choices {
    pub(crate) content: OutboundContent,
    pub(crate) all: Vec<Choice>,
}
