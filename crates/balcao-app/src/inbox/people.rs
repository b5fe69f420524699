//! Which contact a person of a channel is.

use balcao_channel::inbound::Person;
use balcao_domain::contact::Contact;
use balcao_domain::{ContactId, OrganizationId};
use balcao_store::{Tx, contact};
use jiff::Timestamp;

use crate::desk::UseCaseError;

/// Longest name that is kept, in characters.
const NAME_CHARS: usize = 120;

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
    match &person.phone {
        Some(phone) => Ok(contact::find_by_phone(tx, organization, phone)?),
        None => Ok(None),
    }
}

/// The contact; they are added if nobody knows them. A contact that was known by one key learns the other.
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

/// The channel's own key of a person; for somebody whose number cannot be read, the number as it came.
fn user_key(person: &Person) -> Option<String> {
    let user = person.user.as_ref().map(|user| user.as_str().to_owned());
    let unread = || {
        let number = person.number.as_ref().filter(|_| person.phone.is_none())?;
        Some(format!("number:{number}"))
    };
    user.or_else(unread)
}

/// The name that they chose, without what nobody can see.
fn name(person: &Person) -> Option<String> {
    let name: String = person.name.as_deref()?.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
