//! The text that a turn answers.

use balcao_domain::inbox::Speaker;
use balcao_store::messaging::inbox::InboxRow;

/// What a turn answers: words of the contact, or messages of services.
#[derive(Debug, Clone, Default)]
pub(super) struct InboundText {
    /// The contact's messages, joined by line breaks.
    pub(super) words: String,
    /// The messages of services; if there is one, `words` is empty.
    pub(super) service_messages: Vec<String>,
}

impl InboundText {
    /// Holds messages of the contact.
    pub(super) fn of_contact(words: String) -> Self {
        Self { words, service_messages: Vec::new() }
    }
}

/// Reads the messages of a turn. The text does not mention their age, because the contact did not write it; the prompt does.
pub(super) fn inbound_text(rows: &[InboxRow]) -> InboundText {
    let of = |speaker| rows.iter().filter(move |row| row.speaker == speaker).map(|row| row.text.clone());
    let words = of(Speaker::Contact).collect::<Vec<_>>().join("\n");
    InboundText { words, service_messages: of(Speaker::Service).collect() }
}
