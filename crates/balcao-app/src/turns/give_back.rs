//! Giving a conversation back to the agent.

use balcao_domain::conversation::ConversationEvent;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::{conversation, handoff};

use crate::desk::{Desk, UseCaseError};

pub(super) async fn give_back(
    desk: &Desk,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<bool, UseCaseError> {
    let now = desk.clock.now();
    desk.store
        .write(move |tx| {
            let mut found = conversation::get(tx, organization, id)?;
            let Some(next) = found.state.after(ConversationEvent::GiveBack) else { return Ok(false) };
            found.state = next;
            found.assigned_staff = None;
            found.breaker = None;
            conversation::update(tx, organization, &found)?;
            handoff::resolve(tx, organization, id, now)?;
            Ok(true)
        })
        .await
}
