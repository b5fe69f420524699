//! A program writes for a contact and waits for the reply: the same inbox row, turn and journal as
//! for any channel, so that a crash loses nothing and a repeated request is the same one.
//!
//! A program calls a conversation by a name of its own, unique in the organization. The channel `api` has no outbox, because the
//! caller reads the reply.

use std::sync::Arc;
use std::time::Duration;

use balcao_channel::inbound::Person;
use balcao_channel::{Recipient, UserId};
use balcao_domain::inbox::InboxState;
use balcao_domain::{ContactId, ConversationId, InboxId, OrganizationId, Phone, TurnId, VersionName};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::turns::lease::{self, Route};
use balcao_store::turns::ledger::{EffectKey, Recorded};
use balcao_store::{Tx, crm::contact, messaging::api_conversation, messaging::conversation, queries::pages};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::sender_identity;
use crate::context::app_context::{AppContext, Effect, UseCaseError};
use crate::messaging::API_CHANNEL;
use crate::messaging::turn_completion::CompletionNotifier;

/// How often the database is looked at when no turn is reported as complete.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What a program writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The program's name of the conversation.
    pub conversation: String,
    /// What the contact says.
    pub text: String,
    /// The contact's number. The first message of a conversation binds the contact with this number, or a new contact if none has it.
    pub phone: Option<Phone>,
    /// Their name, kept if none is known.
    pub name: Option<String>,
}

/// Something that waits for its turn, or had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The inbox row.
    pub row: InboxId,
    /// Where it was written.
    pub conversation: ConversationId,
    /// The contact of the conversation.
    pub contact: ContactId,
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRefusal {
    /// The conversation is with another contact than the one of that number.
    OtherContact,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOver {
    /// `reply`, `handoff` or `silence`.
    pub outcome: String,
    /// What is said to the contact.
    pub reply: Option<String>,
    /// The turn; `None` if the message was put aside without one.
    pub turn: Option<TurnId>,
    /// The versions of business, knowledge and prompt that the turn ran under.
    pub versions: Vec<VersionName>,
}

/// Takes in what programs write, and tells how it was answered. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Calls {
    app: AppContext,
    wake: Arc<Notify>,
    completion: CompletionNotifier,
}

impl Calls {
    /// Creates the use case. It fires `wake` when a message waits for an answer; `completion` reports the turn that answers it.
    #[must_use]
    pub fn new(app: AppContext, wake: Arc<Notify>, completion: CompletionNotifier) -> Self {
        Self { app, wake, completion }
    }

    /// Stores what a program writes, once per key. Durable when it returns. It is due at once: a program says all that it has
    /// to say; what is written while a turn runs is answered with it or by the next one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or the key was used for something else.
    pub async fn write(&self, organization: OrganizationId, key: EffectKey, call: Call) -> Effect<Called, CallRefusal> {
        let name = key.key.clone();
        let work = move |tx: &mut Tx<'_>, now| take_in(tx, organization, &name, &call, now);
        let written = self.app.effect(organization, key, work).await?;
        if matches!(&written, Recorded { repeated: false, value: Ok(_) }) {
            self.wake.notify_one();
        }
        Ok(written)
    }

    /// Waits until the turn of what was written is over, wherever it runs.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn over(&self, organization: OrganizationId, called: Called) -> Result<TurnOver, UseCaseError> {
        let mut listener = self.completion.listen();
        loop {
            if let Some(over) = self.look(organization, called).await? {
                return Ok(over);
            }
            tokio::select! {
                () = listener.wait_for(called.conversation) => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    async fn look(&self, organization: OrganizationId, called: Called) -> Result<Option<TurnOver>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let row = inbox::get(tx, organization, called.row)?;
                if matches!(row.state, InboxState::New | InboxState::Assigned) {
                    return Ok(None);
                }
                let end = row.turn.map(|turn| pages::turn_end(tx, organization, turn)).transpose()?.flatten();
                Ok(Some(match end {
                    Some(end) => TurnOver {
                        outcome: end.outcome,
                        reply: end.reply,
                        turn: row.turn,
                        versions: end.versions.names().collect(),
                    },
                    None => {
                        TurnOver { outcome: "silence".to_owned(), reply: None, turn: row.turn, versions: Vec::new() }
                    }
                }))
            })
            .await
    }
}

fn take_in(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &str,
    call: &Call,
    now: Timestamp,
) -> Result<Result<Called, CallRefusal>, UseCaseError> {
    let person = Person { phone: call.phone.clone(), name: call.name.clone(), ..Person::default() };
    let found = match api_conversation::find(tx, organization, &call.conversation)? {
        Some(id) => {
            let found = conversation::get(tx, organization, id)?;
            let known = contact::get(tx, organization, found.contact)?;
            let same = |phone: &Phone| known.phone.as_ref().is_none_or(|own| own.identity() == phone.identity());
            if !call.phone.as_ref().is_none_or(same) {
                return Ok(Err(CallRefusal::OtherContact));
            }
            sender_identity::learn(tx, organization, known, &person)?;
            found
        }
        None => {
            let contact = sender_identity::find_or_add(tx, organization, &person, now)?;
            let found = conversation::find_or_begin(tx, organization, contact, API_CHANNEL, now)?;
            api_conversation::insert(tx, organization, &call.conversation, found.id)?;
            found
        }
    };
    let recipient = Recipient::User(UserId::new(call.conversation.as_str()));
    let route = Route {
        account: API_CHANNEL.to_owned(),
        recipient: serde_json::to_string(&recipient).unwrap_or_default(),
        customer_wrote_at: Some(now),
    };
    lease::set_route(tx, organization, found.id, &route)?;
    let payload = serde_json::json!({ "conversation": call.conversation, "text": call.text }).to_string();
    let new = NewInbox {
        channel: API_CHANNEL,
        account: API_CHANNEL,
        key,
        kind: "message",
        conversation: Some(found.id),
        provider_message: None,
        text: Some(&call.text),
        payload: &payload,
        provider_at: Some(now),
        ignored: None,
    };
    let Some(row) = inbox::insert(tx, organization, &new, now)? else {
        // The ledger lets a key in once; only a key that is older than the ledger's memory can come here.
        return Err(balcao_store::StoreError::KeyReused { key: key.to_owned() }.into());
    };
    super::event_handler::record_contact_wrote(tx, organization, found.contact, found.id, now)?;
    lease::set_due(tx, organization, found.id, Some(now))?;
    Ok(Ok(Called { row, conversation: found.id, contact: found.contact }))
}
