//! Where the web chat's messages go.

use async_trait::async_trait;
use balcao_channel::UserId;
use balcao_channel::channels::web::Mailbox;
use balcao_domain::{AttachmentId, OrganizationId};
use balcao_store::messaging::web_chat::{self, ChatAuthor, NewEntry};
use balcao_store::{StoreError, Tx};

use super::Hub;
use crate::context::app_context::AppContext;

/// Keeps what is sent to visitors in the database, and tells their open pages.
#[derive(Debug, Clone)]
pub struct ChatMailbox {
    app: AppContext,
    hub: Hub,
    organization: OrganizationId,
}

impl ChatMailbox {
    /// The mailbox of a business.
    #[must_use]
    pub fn new(app: AppContext, hub: Hub, organization: OrganizationId) -> Self {
        Self { app, hub, organization }
    }
}

#[async_trait]
impl Mailbox for ChatMailbox {
    async fn put(&self, visitor: &UserId, name: &str, text: &str, file: Option<AttachmentId>) -> Result<(), String> {
        let now = self.app.clock.now();
        let (organization, name, text) = (self.organization, name.to_owned(), text.to_owned());
        let kept = self.app.store.write::<_, StoreError, _>(move |tx: &mut Tx<'_>| {
            // The name is that of a row in the outbox. The row knows the conversation, so the recipient in the request does not matter.
            let Some((conversation, kind)) = web_chat::outgoing(tx, organization, &name)? else { return Ok(false) };
            let author = if kind == "staff" { ChatAuthor::Staff } else { ChatAuthor::Agent };
            web_chat::push(tx, organization, &NewEntry { conversation, name: &name, author, text: &text, file }, now)?;
            Ok(true)
        });
        match kept.await {
            Ok(true) => {
                self.hub.wake(visitor.as_str());
                Ok(())
            }
            Ok(false) => Err("the message is not in the outbox".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}
