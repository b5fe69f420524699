//! What staff did in conversations, for the audit log: who, what, and how the conversation stood before and after. Words are not
//! kept there: they are deleted by age, and the log is not.

use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::messaging::conversation::Conversation;
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde_json::{Value, json};

/// An act of staff.
pub(super) struct Act<'a> {
    /// Who: an e-mail address, or the name of a program.
    pub(super) actor: &'a str,
    /// What: `conversation.take`, …
    pub(super) action: &'static str,
    /// In which conversation.
    pub(super) on: ConversationId,
    /// What was before.
    pub(super) before: Option<Value>,
    /// What is now.
    pub(super) after: Value,
}

/// How a conversation stands.
pub(super) fn standing(found: &Conversation) -> Value {
    json!({ "state": found.state, "assigned_to": found.assigned_staff.map(|staff| staff.to_string()) })
}

/// Writes an act down.
pub(super) fn write_down(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    act: Act<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        at: now,
        actor: act.actor.to_owned(),
        action: act.action.to_owned(),
        subject: act.on.to_string(),
        before: act.before.map(|value| value.to_string()),
        after: Some(act.after.to_string()),
    };
    audit::append(tx, organization, &entry)
}
