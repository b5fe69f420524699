//! What leaves: a text becomes rows of the outbox, in the transaction of the decision that caused it.

use balcao_channel::outbound::{CorrelationId, limits};
use balcao_channel::{Outbound, split_text};
use balcao_domain::{MessageId, OrganizationId, TurnId};
use balcao_store::conversation::Conversation;
use balcao_store::outbox::{self, NewOutbox};
use balcao_store::{Tx, dispatch};
use jiff::Timestamp;

use crate::desk::UseCaseError;

/// What a text comes from: it makes the row's correlation, by which it is recognised when its fate is unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum From {
    /// A turn's reply.
    Turn(TurnId),
    /// A message of staff.
    Staff(MessageId),
}

/// Writes a text into the outbox, in as many parts as the channel needs. Nothing is written for a conversation that did not
/// come in by a channel, such as one in the terminal.
pub(crate) fn push(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &Conversation,
    from: From,
    text: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(route) = dispatch::route(tx, organization, conversation.id)? else { return Ok(()) };
    let (source, turn, kind) = match from {
        From::Turn(turn) => (turn.to_string(), Some(turn), "reply"),
        From::Staff(message) => (message.to_string(), None, "staff"),
    };
    for (part, text) in (1_u32..).zip(split_text(text, limits::TEXT)) {
        let correlation = format!("{organization}:{source}:{part}");
        let message = Outbound::text(text)?.tracked(CorrelationId::new(correlation.as_str())?);
        let new = NewOutbox {
            conversation: conversation.id,
            turn,
            part,
            kind,
            channel: &conversation.channel,
            account: &route.account,
            recipient: &route.recipient,
            body: &serde_json::to_string(&message).unwrap_or_default(),
            correlation: &correlation,
        };
        outbox::push(tx, organization, &new, now)?;
    }
    Ok(())
}
