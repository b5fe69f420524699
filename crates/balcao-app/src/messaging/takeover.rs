//! A person of staff speaks in a conversation: what that changes, wherever they do it.

use balcao_domain::conversation::ConversationEvent;
use balcao_domain::{OrganizationId, StaffId};
use balcao_store::messaging::conversation::Conversation;
use balcao_store::{Tx, messaging::conversation, scheduling::follow_up};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::enqueue;

/// Gives a conversation to staff, to `me` where it is known who that is. The agent becomes silent, its pending replies become drafts, and
/// the contact's follow-ups are cancelled. Returns `true` if the state of the conversation changed.
pub(crate) fn take_over(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    found: &mut Conversation,
    me: Option<StaffId>,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let next = found.state.after(ConversationEvent::StaffSpeaks);
    found.state = next.unwrap_or(found.state);
    found.assigned_staff = me.or(found.assigned_staff);
    // What the agent asked is not answered by what the contact says to a person.
    found.pending_confirmation = None;
    conversation::update(tx, organization, found)?;
    follow_up::drop_open(tx, organization, found.contact)?;
    enqueue::withdraw_unsent(tx, organization, found.id, now)?;
    Ok(next.is_some())
}
