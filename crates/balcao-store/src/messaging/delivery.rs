//! How far messages of a thread came on their way to the customer, and what messages cost.

use balcao_domain::outbox::OutboxState;
use balcao_domain::{ConversationId, MessageId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{read_word, values};

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
    /// What the provider bills it as, in its word.
    pub category: Option<String>,
    /// What it costs, in millionths of the business's currency; `None` if messages are not metered.
    pub price_micros: Option<i64>,
}

/// What messages of one category cost together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// What the provider bills them as, in its word.
    pub category: String,
    /// How many.
    pub messages: u32,
    /// Millionths of the business's currency.
    pub micros: i64,
}

/// When the first message was written to a contact since an instant that left: by us, or by staff on the shop's own phone.
///
/// # Errors
/// What the database said.
pub fn first_left(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT min(written.at) FROM (
                   SELECT created_at AS at FROM outbox WHERE organization_id = ?1 AND conversation_id = ?2
                       AND state = 'sent' AND created_at >= ?3
                   UNION ALL
                   SELECT m.created_at AS at FROM message m WHERE m.organization_id = ?1 AND m.conversation_id = ?2
                       AND m.author = 'staff' AND m.created_at >= ?3
                       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.message_id = m.id)) AS written";
    tx.query_one(sql, values![organization, conversation, since], |row| row.get(0))
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
        "SELECT message_id, state, delivery, failure, category, price_micros FROM outbox
         WHERE organization_id = ?1 AND conversation_id = ?2 AND message_id BETWEEN ?3 AND ?4 ORDER BY message_id, part",
        values![organization, conversation, first, last],
        |row| {
            Ok(Part {
                message: row.get(0)?,
                state: read_word(row, 1, OutboxState::from_word)?,
                delivery: row.get(2)?,
                failure: row.get(3)?,
                category: row.get(4)?,
                price_micros: row.get(5)?,
            })
        },
    )
}

/// What an organization's messages cost that were priced since an instant, by category. What was not sent and will not be costs
/// nothing.
///
/// # Errors
/// What the database said.
pub fn costs(tx: &mut Tx<'_>, organization: OrganizationId, since: Timestamp) -> Result<Vec<Cost>, StoreError> {
    tx.query_all(
        "SELECT category, COUNT(*), CAST(COALESCE(sum(price_micros), 0) AS BIGINT) FROM outbox
         WHERE organization_id = ?1 AND priced_at >= ?2 AND state <> 'dead' AND category IS NOT NULL
         GROUP BY category ORDER BY category",
        values![organization, since],
        |row| Ok(Cost { category: row.get(0)?, messages: row.get(1)?, micros: row.get(2)? }),
    )
}
