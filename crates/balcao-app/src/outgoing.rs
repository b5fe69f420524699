//! Writing into the outbox, and taking out of it what must not leave any more.

use balcao_channel::outbound::{CorrelationId, limits};
use balcao_channel::{Outbound, split_text};
use balcao_domain::{ConversationId, OrganizationId, TurnId};
use balcao_store::outbox::{self, NewOutbox};
use balcao_store::{Tx, dispatch, message};
use jiff::Timestamp;

use crate::desk::UseCaseError;
use crate::inbox::calls;

/// A text on its way to a contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    /// Where.
    pub(crate) conversation: ConversationId,
    /// The conversation's channel.
    pub(crate) channel: &'a str,
    /// The turn whose reply it is.
    pub(crate) turn: Option<TurnId>,
    /// What it is: `reply`, `staff`.
    pub(crate) kind: &'a str,
    /// What it is named after, unique in the organization: a turn, a message.
    pub(crate) name: &'a str,
    /// The words.
    pub(crate) text: &'a str,
}

/// Writes a text into the outbox, in as many parts as channels need. A conversation that did not come by a channel has none,
/// and a program that asked through the API reads the text there: then nothing is written.
pub(crate) fn push(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    outgoing: &Outgoing<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if outgoing.channel == calls::CHANNEL {
        return Ok(());
    }
    let Some(route) = dispatch::route(tx, organization, outgoing.conversation)? else { return Ok(()) };
    for (part, text) in (1_u32..).zip(split_text(outgoing.text, limits::TEXT)) {
        let correlation = format!("{organization}:{}:{part}", outgoing.name);
        let message = Outbound::text(text)?.tracked(CorrelationId::new(correlation.as_str())?);
        let new = NewOutbox {
            conversation: outgoing.conversation,
            turn: outgoing.turn,
            part,
            kind: outgoing.kind,
            channel: outgoing.channel,
            account: &route.account,
            recipient: &route.recipient,
            body: &serde_json::to_string(&message).unwrap_or_default(),
            correlation: &correlation,
        };
        outbox::push(tx, organization, &new, now)?;
    }
    Ok(())
}

/// A person took a conversation over: what the agent had still to say there is a draft.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for turn in outbox::withdraw(tx, organization, conversation, "a person took over", now)? {
        message::unsend(tx, organization, turn)?;
    }
    Ok(())
}
