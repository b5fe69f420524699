//! The fence of a transaction that belongs to a conversation's work.

use balcao_domain::{ConversationId, OrganizationId};

/// The right to work on a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Whose.
    pub organization: OrganizationId,
    /// On what.
    pub conversation: ConversationId,
    /// The fence.
    pub epoch: i64,
}
