//! Shows customers that their message was read and that an answer is being written.
//!
//! No caller waits for the indicator: it runs beside the turn, and a failure in it is only logged. A contact whose conversation a
//! person has sees nothing of the agent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use balcao_channel::{Channel, ProviderMessageId};
use balcao_domain::inbox::InboxState;
use balcao_store::turns::lease::LeasedConversation;
use balcao_store::{messaging::conversation, messaging::inbox};

use crate::context::app_context::AppContext;

/// How long one attempt may take.
const WITHIN: Duration = Duration::from_secs(5);
/// How many of the latest messages are looked at.
const LATEST: u32 = 20;

/// Shows contacts that an answer is on its way. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct TypingIndicator {
    channels: Arc<BTreeMap<(String, String), Arc<dyn Channel>>>,
}

/// A message to show it at.
pub(crate) struct TypingTarget {
    channel: Arc<dyn Channel>,
    message: ProviderMessageId,
}

impl TypingIndicator {
    /// Over these channels; those that can show nothing are left out.
    #[must_use]
    pub fn new(channels: impl IntoIterator<Item = Arc<dyn Channel>>) -> Self {
        let can = |one: &Arc<dyn Channel>| one.capabilities().read_marks || one.capabilities().typing.is_some();
        let named = |one: Arc<dyn Channel>| ((one.kind().to_owned(), one.account().as_str().to_owned()), one);
        Self { channels: Arc::new(channels.into_iter().filter(can).map(named).collect()) }
    }

    /// Where to show it for a conversation that was leased; `None` if nothing is to be shown.
    pub(crate) async fn find(&self, app: &AppContext, leased: &LeasedConversation) -> Option<TypingTarget> {
        let channel = Arc::clone(self.channels.get(&(leased.channel.clone(), leased.account.clone()))?);
        let (organization, id) = (leased.lease.organization, leased.lease.conversation);
        let look = move |tx: &mut balcao_store::Tx<'_>, _now| {
            if !conversation::get(tx, organization, id)?.state.agent_speaks() {
                return Ok(None);
            }
            let rows = inbox::of_conversation(tx, organization, id, LATEST)?;
            let open = rows.into_iter().rev().filter(|row| matches!(row.state, InboxState::New | InboxState::Assigned));
            Ok(open.filter_map(|row| row.provider_message).next())
        };
        let message = app.look(look).await.ok()??;
        Some(TypingTarget { channel, message: ProviderMessageId::new(message) })
    }
}

impl TypingTarget {
    /// Shows "is writing…" now, and again before it vanishes; never ends. Calls `shown` each time the customer saw it.
    pub(crate) async fn typing(&self, shown: impl Fn()) {
        let Some(lasts) = self.channel.capabilities().typing else { return std::future::pending().await };
        loop {
            match tokio::time::timeout(WITHIN, self.channel.typing(&self.message)).await {
                Ok(Ok(())) => shown(),
                Ok(Err(error)) => tracing::debug!(%error, "a typing indicator was not shown"),
                Err(_elapsed) => tracing::debug!("a typing indicator was not shown in time"),
            }
            tokio::time::sleep(lasts.mul_f32(0.8)).await;
        }
    }

    /// Marks the message as read.
    pub(crate) async fn read(&self) {
        match tokio::time::timeout(WITHIN, self.channel.mark_read(&self.message)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a message was not marked as read"),
            Err(_elapsed) => tracing::debug!("a message was not marked as read in time"),
        }
    }
}
