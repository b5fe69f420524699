//! Writing into the outbox, and taking out of it what must not leave any more.

use balcao_channel::inbound::{Media, MediaKind};
use balcao_channel::outbound::{CorrelationId, MediaSource, OutboundContent, Template, limits};
use balcao_channel::{Outbound, split_text};
use balcao_domain::{AttachmentId, ConversationId, MessageId, OrganizationId, ReminderId, TurnId};
use balcao_store::messaging::choice::{self, NewChoice};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::{Tx, messaging::message, turns::lease};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::messaging::API_CHANNEL;
use crate::messaging::outbound::choices::Choices;
use crate::messaging::outbound::message_templates::QuickReplyAction;

/// What the names of our buttons and rows begin with: what comes back under such a name is looked up, never believed.
pub(crate) const CHOICE: &str = "balcao:";

/// The name of the answer to a reminder.
pub(crate) fn reminder_choice(reminder: ReminderId, answer: QuickReplyAction) -> String {
    format!("{CHOICE}{reminder}:{}", word_of(answer))
}

/// The reminder that a choice confirms; `None` if the choice is another one.
pub(crate) fn confirmed_reminder(choice: &str) -> Option<ReminderId> {
    let (reminder, answer) = choice.strip_prefix(CHOICE)?.split_once(':')?;
    reminder.parse().ok().filter(|_| answer == word_of(QuickReplyAction::Confirm))
}

const fn word_of(answer: QuickReplyAction) -> &'static str {
    match answer {
        QuickReplyAction::Confirm => "confirm",
        QuickReplyAction::Move => "move",
    }
}

/// A text on its way to a contact, with a file or without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutgoingMessage<'a> {
    /// Where.
    pub(crate) conversation: ConversationId,
    /// The conversation's channel.
    pub(crate) channel: &'a str,
    /// The turn whose reply it is.
    pub(crate) turn: Option<TurnId>,
    /// The message of the thread that it is; without one, the turn's reply.
    pub(crate) message: Option<MessageId>,
    /// What it is: `reply`, `staff`, `reminder`, …
    pub(crate) kind: &'a str,
    /// What it is named after, unique in the organization: a turn, a message.
    pub(crate) name: &'a str,
    /// The words; empty only beside a file.
    pub(crate) text: &'a str,
    /// A file of staff that leaves with them.
    pub(crate) file: Option<(AttachmentId, &'a Media)>,
    /// The same words with what may be chosen, for a channel that can.
    pub(crate) choices: Option<&'a Choices>,
    /// What an unasked-for message is about.
    pub(crate) about: Option<&'a str>,
    /// The template that takes its place once the channel's window is closed.
    pub(crate) fallback: Option<&'a Template>,
}

/// Writes a text into the outbox, in as many parts as channels need. A conversation that did not come by a channel has none,
/// and a program that asked through the API reads the text there: then nothing is written.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    outgoing: &OutgoingMessage<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if outgoing.channel == API_CHANNEL {
        return Ok(());
    }
    let Some(route) = lease::route(tx, organization, outgoing.conversation)? else { return Ok(()) };
    let contents = match outgoing.choices {
        Some(choices) => {
            store_choices(tx, organization, outgoing.conversation, choices, now)?;
            vec![choices.content.clone()]
        }
        None => {
            let (file, rest) = match outgoing.file {
                Some((id, media)) => with_file(id, media, outgoing.text),
                None => (None, outgoing.text),
            };
            let text = |body| OutboundContent::Text { body, preview_url: false };
            file.into_iter().chain(split_text(rest, limits::TEXT).into_iter().map(text)).collect()
        }
    };
    let mut fallback = match outgoing.fallback {
        Some(template) => Some(Outbound::new(OutboundContent::Template(template.clone()))?),
        None => None,
    };
    for (part, content) in (1_u32..).zip(contents) {
        let correlation = format!("{organization}:{}:{part}", outgoing.name);
        let tracked =
            |message: Outbound| Ok::<_, UseCaseError>(message.tracked(CorrelationId::new(correlation.as_str())?));
        let message = tracked(Outbound::new(content)?)?;
        // One template stands for all parts: those behind it would say the same.
        let fallback = fallback.take().map(tracked).transpose()?;
        let fallback = fallback.map(|template| serde_json::to_string(&template).unwrap_or_default());
        let new = NewOutbox {
            conversation: outgoing.conversation,
            turn: outgoing.turn,
            message: outgoing.message,
            part,
            kind: outgoing.kind,
            channel: outgoing.channel,
            account: &route.account,
            recipient: &route.recipient,
            body: &serde_json::to_string(&message).unwrap_or_default(),
            correlation: &correlation,
            about: outgoing.about,
            fallback: fallback.as_deref(),
        };
        outbox::push(tx, organization, &new, now)?;
    }
    Ok(())
}

/// A file with what of the words fits below it: all, or nothing. What is left over is sent behind it.
fn with_file<'a>(id: AttachmentId, media: &Media, text: &'a str) -> (Option<OutboundContent>, &'a str) {
    let captioned = media.media != MediaKind::Audio && limits::length(text) <= limits::CAPTION;
    let file = OutboundContent::Media {
        media: media.media,
        source: MediaSource::Kept(id),
        caption: (captioned && !text.is_empty()).then(|| text.to_owned()),
        filename: media.filename.clone().filter(|_| media.media == MediaKind::Document),
        voice: false,
    };
    (Some(file), if captioned { "" } else { text })
}

/// Remembers what may be chosen.
fn store_choices(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    choices: &Choices,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for one in &choices.all {
        let new = NewChoice { conversation, name: &one.name, words: &one.words, expires_at: one.expires_at };
        choice::insert(tx, organization, &new, now)?;
    }
    Ok(())
}

/// A person took a conversation over: what the agent had still to say there is a draft.
pub(crate) fn withdraw_unsent(
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
