//! Messages without readable words, such as a sticker: no model is asked (F-26). Staff see the message, and the contact is asked for words,
//! at most once a day, so that two programs do not answer each other for ever.

use balcao_agent::notice::notices;
use balcao_domain::OrganizationId;
use balcao_domain::conversation::ConversationState;
use balcao_store::messaging::conversation::Conversation;
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::{Tx, messaging::attachment, messaging::conversation, messaging::outbox};
use balcao_tool::Locale;
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};

/// The kind of such a message in the outbox.
const KIND: &str = "wordless";
/// The contact is asked at most once in this period.
const ONCE_IN: SignedDuration = SignedDuration::from_hours(24);

/// Answers the messages that wait in a conversation if none of them has words. Returns whether it did.
pub(super) fn ask_if_wordless(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &mut Conversation,
    locale: Locale,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let rows = inbox::take_wordless(tx, organization, conversation.id, "it has no words that could be read")?;
    let Some(last) = rows.last() else { return Ok(false) };
    for row in &rows {
        show(tx, organization, conversation, row)?;
    }
    let since = now.saturating_sub(ONCE_IN).unwrap_or(Timestamp::MIN);
    // No model is asked, so a conversation that is closed counts as one of the agent, too: the next words reopen it.
    let speaks = matches!(conversation.state, ConversationState::Ai | ConversationState::Closed);
    if speaks && outbox::count_of_kind(tx, organization, conversation.id, KIND, since)? == 0 {
        ask(tx, organization, conversation, last, &notices(locale).wordless, now)?;
    }
    conversation.last_message_at = now;
    conversation::update(tx, organization, conversation)?;
    Ok(true)
}

/// Stores a message in the thread.
fn show(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &Conversation,
    row: &InboxRow,
) -> Result<(), UseCaseError> {
    let new = NewMessage {
        conversation: conversation.id,
        turn: None,
        author: Author::Contact,
        text: &row.text,
        subject: None,
    };
    let message = message::insert(tx, organization, &new, row.received_at)?;
    Ok(attachment::show_with(tx, organization, row.id, message)?)
}

fn ask(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &Conversation,
    last: &InboxRow,
    text: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let new = NewMessage { conversation: conversation.id, turn: None, author: Author::System, text, subject: None };
    let message = message::insert(tx, organization, &new, now)?;
    let outgoing = OutgoingMessage {
        conversation: conversation.id,
        channel: &conversation.channel,
        turn: None,
        message: Some(message),
        kind: KIND,
        name: &format!("{KIND}/{}", last.id),
        text,
        file: None,
        choices: None,
        about: None,
        fallback: None,
    };
    enqueue::enqueue(tx, organization, &outgoing, now)
}
