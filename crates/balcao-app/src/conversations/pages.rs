//! Conversations, messages and handoffs, page by page.

use balcao_domain::conversation::ConversationState;
use balcao_domain::{ConversationId, MessageId, OrganizationId, TurnId};
use balcao_store::{crm::staff, queries::pages};
use jiff::Timestamp;

use super::{Answer, ConversationRefusal, ConversationView, Conversations, Said, find, view, with_files};
use crate::context::app_context::UseCaseError;
use crate::context::page::cut;

/// Some conversations, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationPage {
    /// The latest first.
    pub items: Vec<ConversationView>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<(Timestamp, ConversationId)>,
}

/// Some messages, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePage {
    /// The latest first.
    pub items: Vec<Said>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<MessageId>,
}

/// A handoff in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffView {
    /// Its number.
    pub id: i64,
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn that ended in it.
    pub turn: Option<TurnId>,
    /// Why: for staff.
    pub reason: String,
    /// What the conversation was about.
    pub summary: Option<String>,
    /// The name of the person that it was assigned to.
    pub assigned_to: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the conversation was given back or closed.
    pub resolved_at: Option<Timestamp>,
}

impl Conversations {
    /// A page of at most `limit` conversations, the latest first: of one state, if it is given.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        organization: OrganizationId,
        state: Option<ConversationState>,
        after: Option<(Timestamp, ConversationId)>,
        limit: u32,
    ) -> Result<ConversationPage, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let mut found = pages::conversations(tx, organization, state, after, limit.saturating_add(1))?;
                let next = cut(&mut found, limit).map(|last| (last.last_message_at, last.id));
                let staff = staff::list_with_archived(tx, organization)?;
                let items = found.iter().map(|one| view(tx, organization, &staff, one));
                Ok(ConversationPage { items: items.collect::<Result<_, _>>()?, next })
            })
            .await
    }

    /// A page of at most `limit` messages of a conversation, the latest first.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn messages(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        before: Option<MessageId>,
        limit: u32,
    ) -> Answer<MessagePage> {
        self.app
            .look(move |tx, _now| {
                if find(tx, organization, id)?.is_none() {
                    return Ok(Err(ConversationRefusal::NotFound { id }));
                }
                let mut items = pages::messages(tx, organization, id, before, limit.saturating_add(1))?;
                let next = cut(&mut items, limit).map(|last| last.id);
                Ok(Ok(MessagePage { items: with_files(tx, organization, id, items)?, next }))
            })
            .await
    }

    /// A page of at most `limit` handoffs, the latest first: open ones only, if `open`. With it, where the next page begins.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn handoffs(
        &self,
        organization: OrganizationId,
        open: bool,
        before: Option<i64>,
        limit: u32,
    ) -> Result<(Vec<HandoffView>, Option<i64>), UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let mut found = pages::handoffs(tx, organization, open, before, limit.saturating_add(1))?;
                let next = cut(&mut found, limit).map(|last| last.id);
                let staff = staff::list_with_archived(tx, organization)?;
                let shown = |one: pages::HandoffRow| HandoffView {
                    id: one.id,
                    conversation: one.conversation,
                    turn: one.turn,
                    reason: one.reason,
                    summary: one.summary,
                    assigned_to: staff.iter().find(|s| Some(s.id) == one.assigned_staff).map(|s| s.name.clone()),
                    created_at: one.created_at,
                    resolved_at: one.resolved_at,
                };
                Ok((found.into_iter().map(shown).collect(), next))
            })
            .await
    }
}
