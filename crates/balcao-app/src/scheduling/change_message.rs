//! A message to a customer about a change that staff chose: found to reach them, and sent once the change stands.

use balcao_channel::outbound::Template;
use balcao_domain::{AppointmentId, ConversationId, OrganizationId};
use balcao_store::Tx;
use balcao_store::messaging::message::{self, Author, NewMessage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};
use crate::messaging::outbound::reach::{Prospect, Reach};
use crate::messaging::outbound::sender::pre_send;

/// A message that can reach its customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeMessage {
    conversation: ConversationId,
    channel: String,
    /// Its kind in the outbox.
    kind: String,
    text: String,
    /// The appointment that it is about, as the outbox names it.
    about: String,
    template: Option<Template>,
}

impl ChangeMessage {
    /// The message of these words about an appointment and its start; `None` if nothing reaches the customer.
    pub(crate) fn of_prospect(
        prospect: &Prospect,
        (kind, text): (&str, &str),
        (appointment, start): (AppointmentId, Timestamp),
    ) -> Option<Self> {
        let place = prospect.place.as_ref().filter(|_| !matches!(prospect.reach, Reach::Nothing { .. }))?;
        Some(Self {
            conversation: place.conversation.id,
            channel: place.conversation.channel.clone(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            about: pre_send::about_appointment(appointment, start),
            template: prospect.template.clone(),
        })
    }

    /// Writes it into its conversation and into the outbox.
    pub(crate) fn enqueue(&self, tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<(), UseCaseError> {
        let (conversation, text) = (self.conversation, self.text.as_str());
        let new = NewMessage { conversation, turn: None, author: Author::System, text, subject: Some(text) };
        let message = message::insert(tx, id, &new, now)?;
        let outgoing = OutgoingMessage {
            conversation,
            channel: &self.channel,
            turn: None,
            message: Some(message),
            kind: &self.kind,
            name: &format!("{}/{message}", self.kind),
            text,
            file: None,
            choices: None,
            about: Some(&self.about),
            fallback: self.template.as_ref(),
        };
        enqueue::enqueue(tx, id, &outgoing, now)
    }
}
