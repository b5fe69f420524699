//! How far messages of a thread came on their way to the customer.

use balcao_domain::outbox::OutboxState;
use balcao_domain::{ConversationId, MessageId, OrganizationId};

use crate::error::StoreError;
use crate::tx::Tx;
use crate::value::{values, word};

/// A part of a message, on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The message of the thread.
    pub message: MessageId,
    /// What became of it here.
    pub state: OutboxState,
    /// How far it came, in the channel's word.
    pub delivery: Option<String>,
    /// Why it failed, or why it is tried again, for staff.
    pub failure: Option<String>,
}

/// The parts of the messages of a conversation from `first` to `last`, in the order of messages and parts. What came in, and what no
/// channel takes, has none.
///
/// # Errors
/// What the database said.
pub fn of_messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    first: MessageId,
    last: MessageId,
) -> Result<Vec<Part>, StoreError> {
    tx.query_all(
        "SELECT message_id, state, delivery, failure FROM outbox
         WHERE organization_id = ?1 AND conversation_id = ?2 AND message_id BETWEEN ?3 AND ?4 ORDER BY message_id, part",
        values![organization, conversation, first, last],
        |row| {
            Ok(Part {
                message: row.get(0)?,
                state: word(row, 1, OutboxState::from_word)?,
                delivery: row.get(2)?,
                failure: row.get(3)?,
            })
        },
    )
}
