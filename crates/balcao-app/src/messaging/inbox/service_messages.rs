//! What a service of a pack tells a contact of: it waits in the inbox as a message does, and a turn of its own answers it.
//!
//! Invariants: the row is the service's, not the contact's. It opens no service window, ends no follow-up and does not show that the contact
//! wrote. A contact who wants no proactive messages gets none.

use balcao_channel::channels::whatsapp::window;
use balcao_domain::burst::BurstRules;
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_store::messaging::conversation;
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::{Tx, crm::contact};
use jiff::Timestamp;

use super::schedule_turn;
use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::reach::{Place, WHATSAPP, find_place, is_window_open};

/// The contact of a service's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressee {
    /// The contact of this number.
    Contact(ContactId),
    /// The contact with this phone.
    Phone(Phone),
}

/// A message of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceMessage {
    /// Its contact.
    pub to: Addressee,
    /// What it says: a text of the operator with values of the service in it.
    pub text: String,
}

/// Finds the conversation that a message of a service belongs to.
///
/// The error is for staff and says why no turn can answer the message. It holds no value of the service.
pub(crate) fn find_conversation(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    to: &Addressee,
    now: Timestamp,
) -> Result<Result<Place, &'static str>, UseCaseError> {
    let found = match to {
        Addressee::Contact(id) => contact::find(tx, organization, *id)?,
        Addressee::Phone(phone) => contact::find_by_phone(tx, organization, phone)?,
    };
    let Some(found) = found else { return Ok(Err("no contact has the phone or the id that the delivery names")) };
    if conversation::opted_out(tx, organization, found.id)? {
        return Ok(Err("the contact wants no messages that they did not ask for"));
    }
    let Some(place) = find_place(tx, organization, found.id)? else {
        return Ok(Err("the contact has no conversation on a channel"));
    };
    if place.conversation.channel == WHATSAPP && !is_window_open(&place.route, window::SERVICE, window::MARGIN, now) {
        return Ok(Err("the service window of the contact is closed, so no answer of the agent could leave"));
    }
    Ok(Ok(place))
}

/// Stores a message of a service for the next turn of its conversation; a message of the same `key` is stored once.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    place: &Place,
    (key, text): (&str, &str),
    burst: BurstRules,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let new = NewInbox {
        channel: &place.conversation.channel,
        account: &place.route.account,
        key,
        kind: inbox::SERVICE,
        conversation: Some(place.conversation.id),
        provider_message: None,
        text: Some(text),
        payload: "{}",
        provider_at: None,
        ignored: None,
    };
    inbox::insert(tx, organization, &new, now)?;
    schedule_turn(tx, organization, place.conversation.id, burst)
}
