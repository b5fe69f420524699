//! Which contact a person of a channel is.
//!
//! The provider's id of a person is the first key, their number the second. A number passes to other people in time. A message
//! from a known number under another id comes from a new contact: the number moves to that contact, who learns nothing about the old
//! one. The same rule applies to a number that was silent for a year, if no id proves that its owner is unchanged. A name or a number
//! alone never merges two contacts (F-28).

use std::borrow::Cow;

use balcao_channel::Recipient;
use balcao_channel::channels::web;
use balcao_channel::channels::whatsapp::identity;
use balcao_channel::inbound::{Content, InboundMessage, Person};
use balcao_domain::contact::Contact;
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_store::turns::lease::{self, Route};
use balcao_store::{Tx, crm::contact, messaging::conversation, turns::event};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::context::app_context::UseCaseError;

/// How long a number may be silent before another person may have it: 365 days.
const SILENT: SignedDuration = SignedDuration::from_hours(365 * 24);
/// Longest name that is kept, in characters.
const NAME_CHARS: usize = 120;

/// Returns the author of a message: the person that the channel names, with the number that they shared if it is hidden. The provider
/// vouches for an own number; a shared card of another person comes from an address book and proves nothing.
pub(super) fn sender(message: &InboundMessage) -> Cow<'_, Person> {
    let sender = &message.sender;
    let Content::ContactCards { cards, own_number: true } = &message.content else { return Cow::Borrowed(sender) };
    let numbers = cards.iter().flat_map(|card| &card.phones).filter_map(|one| one.number.as_ref());
    let mut phones = numbers.filter_map(identity::phone);
    // With several numbers it is unclear which one is the author's.
    match (phones.next(), phones.next()) {
        (Some(phone), None) if sender.user.is_some() && sender.phone.is_none() => {
            Cow::Owned(Person { phone: Some(phone), ..sender.clone() })
        }
        (Some(_) | None, _) => Cow::Borrowed(sender),
    }
}

/// The contact, by the channel's own id first, then by number.
pub(super) fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    person: &Person,
) -> Result<Option<Contact>, UseCaseError> {
    if let Some(user) = user_key(person)
        && let Some(found) = contact::find_by_channel_user(tx, organization, &user)?
    {
        return Ok(Some(found));
    }
    let Some(phone) = &person.phone else { return Ok(None) };
    let found = contact::find_by_phone(tx, organization, phone)?;
    Ok(found.filter(|holder| !is_somebody_else(holder, person)))
}

/// Whether the provider's ids say that a contact is not this person.
pub(super) fn is_somebody_else(holder: &Contact, person: &Person) -> bool {
    let user = person.user.as_ref().map(|user| user.as_str());
    let (Some(theirs), Some(user)) = (holder.channel_user.as_deref(), user) else { return false };
    is_lasting(theirs) && is_lasting(user) && theirs != user
}

/// Returns `true` if what is known of a person does not tell them from a contact. One id alone says nothing of a contact who is known
/// only by the other: a channel may name the same person now by their number, now by an id that hides it.
pub(super) fn may_be(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: &Contact,
    person: &Person,
) -> Result<bool, UseCaseError> {
    if let Some(found) = find(tx, organization, person)? {
        return Ok(found.id == contact.id);
    }
    let other_number = person.phone.is_some() && contact.phone.is_some();
    let other_user = user_key(person).is_some() && contact.channel_user.is_some();
    Ok(!other_number && !other_user)
}

/// Whether an id is the provider's own of a person, and not a visitor's of the web chat, a number that could not be read, or
/// what an unofficial gateway shows: those say nothing about who has a number.
fn is_lasting(user: &str) -> bool {
    let web = user.strip_prefix(web::KIND).is_some_and(|rest| rest.starts_with(':'));
    !web && !is_of_number(user)
}

/// Returns `true` if an id belongs to the number rather than to a person.
fn is_of_number(user: &str) -> bool {
    user.starts_with("number:") || user.contains('@')
}

/// Finds another contact who has the number that a person writes from.
fn other_holder(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    person: &Person,
) -> Result<Option<Contact>, UseCaseError> {
    let Some(phone) = &person.phone else { return Ok(None) };
    let holder = contact::find_by_phone(tx, organization, phone)?;
    Ok(holder.filter(|holder| is_somebody_else(holder, person)))
}

/// Finds the previous holder of the number that a person writes from, if only the number identifies them and it was silent for too
/// long.
pub(super) fn gone_silent(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    person: &Person,
    at: Timestamp,
) -> Result<Option<Contact>, UseCaseError> {
    let Some(holder) = find(tx, organization, person)? else { return Ok(None) };
    let user = user_key(person).filter(|user| !is_of_number(user));
    if user.is_some() && holder.channel_user == user {
        return Ok(None);
    }
    let long_ago = at.checked_sub(SILENT).unwrap_or(Timestamp::MIN);
    let known_at = contact::last_known_at(tx, organization, holder.id)?;
    Ok(known_at.is_some_and(|known_at| known_at < long_ago).then_some(holder))
}

/// Takes a number from a contact who may have lost it. Nothing is sent to them there any more; staff find them by name.
pub(super) fn let_go(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    mut holder: Contact,
    channel: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    tracing::warn!(before = %holder.id, "a number was silent for a year: whoever writes from it now is somebody new");
    let payload = json!({ "contact": holder.id.to_string(), "reason": "silent_for_a_year" }).to_string();
    event::push(tx, organization, "number_released", &holder.id.to_string(), &payload, now)?;
    if holder.channel_user.as_deref().is_some_and(is_lasting) {
        return release(tx, organization, holder, channel);
    }
    holder.phone = None;
    holder.channel_user = holder.channel_user.filter(|user| !is_of_number(user));
    Ok(contact::update(tx, organization, &holder)?)
}

/// Takes the number from a contact who lost it: what is still to be sent to them on this channel goes to their id.
pub(super) fn release(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    mut holder: Contact,
    channel: &str,
) -> Result<(), UseCaseError> {
    let (Some(lost), Some(user)) = (holder.phone.take(), holder.channel_user.clone()) else { return Ok(()) };
    contact::update(tx, organization, &holder)?;
    let to = Recipient::User(balcao_channel::UserId::new(user));
    readdress(tx, organization, holder.id, channel, &to, |route| is_for(route, &lost))
}

/// Sends what is still to be sent to a contact on a channel elsewhere, where `which` says so of how it goes now.
pub(super) fn readdress(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    channel: &str,
    to: &Recipient,
    which: impl Fn(&Route) -> bool,
) -> Result<(), UseCaseError> {
    let to = serde_json::to_string(to).unwrap_or_default();
    for one in conversation::of_contact(tx, organization, contact)?.iter().filter(|one| one.channel == channel) {
        if lease::route(tx, organization, one.id)?.is_some_and(|route| which(&route)) {
            lease::readdress(tx, organization, one.id, &to)?;
        }
    }
    Ok(())
}

fn is_for(route: &Route, phone: &Phone) -> bool {
    match serde_json::from_str(&route.recipient) {
        Ok(Recipient::Number(number)) => identity::phone(&number).is_some_and(|to| to.identity() == phone.identity()),
        Ok(Recipient::User(_)) | Err(_) => false,
    }
}

/// Whether a contact wrote on a channel after an instant.
fn wrote_after(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    channel: &str,
    at: Timestamp,
) -> Result<bool, UseCaseError> {
    for one in conversation::of_contact(tx, organization, contact)?.iter().filter(|one| one.channel == channel) {
        let wrote_at = lease::route(tx, organization, one.id)?.and_then(|route| route.customer_wrote_at);
        if wrote_at.is_some_and(|wrote_at| wrote_at > at) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Finds or adds the contact who wrote on a channel, or received a message, at an instant, with the address for answers. A previous
/// holder loses the number, unless they wrote later: then this event came late.
pub(super) fn who_wrote(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    person: &Person,
    channel: &str,
    at: Timestamp,
    now: Timestamp,
) -> Result<(ContactId, Option<Recipient>), UseCaseError> {
    let mut person = person.clone();
    if let Some(holder) = other_holder(tx, organization, &person)? {
        if wrote_after(tx, organization, holder.id, channel, at)? {
            (person.phone, person.number) = (None, None);
        } else {
            tracing::warn!(before = %holder.id, "a number belongs to somebody else now");
            release(tx, organization, holder, channel)?;
        }
    }
    Ok((find_or_add(tx, organization, &person, now)?, person.recipient()))
}

/// Finds the contact, or adds one if the person is unknown. A contact that was known by one key gets the other, too.
pub(super) fn find_or_add(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    person: &Person,
    now: Timestamp,
) -> Result<ContactId, UseCaseError> {
    if let Some(known) = find(tx, organization, person)? {
        let id = known.id;
        learn(tx, organization, known, person)?;
        return Ok(id);
    }
    let new = contact::NewContact {
        name: name(person),
        phone: person.phone.clone(),
        channel_user: user_key(person),
        ..contact::NewContact::default()
    };
    Ok(contact::insert(tx, organization, &new, now)?)
}

/// Adds what was not known of a contact; what was known stays, and a key that is another contact's is left to them.
pub(super) fn learn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    mut known: Contact,
    person: &Person,
) -> Result<(), UseCaseError> {
    let mut changed = false;
    if known.channel_user.is_none()
        && let Some(user) = user_key(person)
        && contact::find_by_channel_user(tx, organization, &user)?.is_none()
    {
        known.channel_user = Some(user);
        changed = true;
    }
    if known.phone.is_none()
        && let Some(phone) = &person.phone
        && contact::find_by_phone(tx, organization, phone)?.is_none()
    {
        known.phone = Some(phone.clone());
        changed = true;
    }
    if known.name.is_none()
        && let Some(name) = name(person)
    {
        known.name = Some(name);
        changed = true;
    }
    if changed {
        contact::update(tx, organization, &known)?;
    }
    Ok(())
}

/// Returns the channel's own key of a person; for a person with an unreadable number, the number as it came.
fn user_key(person: &Person) -> Option<String> {
    let user = person.user.as_ref().map(|user| user.as_str().to_owned());
    let unread = || {
        let number = person.number.as_ref().filter(|_| person.phone.is_none())?;
        Some(format!("number:{number}"))
    };
    user.or_else(unread)
}

/// Returns the name that the person chose, without invisible characters.
fn name(person: &Person) -> Option<String> {
    let name: String = person.name.as_deref()?.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_sender_is_cut_at_120_characters() {
        let person = Person { name: Some(format!("{}END", "é".repeat(NAME_CHARS))), ..Person::default() };
        assert_eq!(name(&person), Some("é".repeat(120)));
    }
}
