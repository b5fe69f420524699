//! Who a customer is: user ids, numbers, and Brazil's ninth digit.
//!
//! WhatsApp's number of a person (`wa_id`) may lack the ninth digit that their real number has, and since 2026 it may be
//! missing altogether. It is kept as it came, because messages must be sent to it; [`Phone`] has the real number.

use std::collections::HashMap;

use balcao_domain::Phone;
use serde_json::Value;

use super::json;
use crate::{
    id::{Number, UserId},
    inbound::Person,
};

/// The names of the fields that hold a person's ids; they differ from place to place.
pub(super) struct Keys {
    pub(super) number: &'static str,
    pub(super) user: &'static str,
    pub(super) parent: &'static str,
}

/// Who wrote a message.
pub(super) const SENDER: Keys = Keys { number: "from", user: "from_user_id", parent: "from_parent_user_id" };
/// The recipient of a message of staff.
pub(super) const ECHO_TO: Keys = Keys { number: "to", user: "to_user_id", parent: "to_parent_user_id" };
/// The recipient of our message.
pub(super) const RECIPIENT: Keys =
    Keys { number: "recipient_id", user: "recipient_user_id", parent: "recipient_parent_user_id" };
/// The contact that a preference is about; also how contacts are written.
pub(super) const CONTACT: Keys = Keys { number: "wa_id", user: "user_id", parent: "parent_user_id" };

/// The `contacts` of a change, found by their ids: one look for each item, however many of both there are.
pub(super) struct Contacts<'a> {
    all: &'a [Value],
    by_user: HashMap<String, usize>,
    by_number: HashMap<String, usize>,
}

impl<'a> Contacts<'a> {
    /// Reads the ids of all contacts once. Of several with one id the first counts.
    pub(super) fn read(all: &'a [Value]) -> Self {
        let (mut by_user, mut by_number) = (HashMap::new(), HashMap::new());
        for (place, contact) in all.iter().enumerate() {
            if let Some(user) = json::id(contact, &[CONTACT.user]) {
                by_user.entry(user).or_insert(place);
            }
            if let Some(number) = json::id(contact, &[CONTACT.number]) {
                by_number.entry(number).or_insert(place);
            }
        }
        Self { all, by_user, by_number }
    }

    /// The first contact that is this person.
    fn find(&self, person: &Person) -> Option<&'a Value> {
        let by_user = person.user.as_ref().and_then(|user| self.by_user.get(user.as_str()));
        let by_number = person.number.as_ref().and_then(|number| self.by_number.get(number.as_str()));
        self.all.get(*by_user.into_iter().chain(by_number).min()?)
    }
}

/// The person that `item` names, with what the `contacts` beside it tell about them.
///
/// Contacts are matched by id, never by their place. An item without an id belongs to the one contact, if there is one only.
pub(super) fn person(item: &Value, keys: &Keys, contacts: &Contacts<'_>) -> Person {
    let mut person = named(item, keys);
    let contact = match contacts.all {
        [only] if person.is_nobody() => Some(only),
        _ => contacts.find(&person),
    };
    if let Some(contact) = contact {
        let Person { user, parent_user, number, .. } = named(contact, &CONTACT);
        person.user = person.user.or(user);
        person.parent_user = person.parent_user.or(parent_user);
        person.number = person.number.or(number);
        person.name = json::owned(contact, &["profile", "name"]);
        let username = json::text(contact, &["profile", "username"]);
        person.username = username.map(|name| name.trim_start_matches('@').to_owned());
    }
    person.phone = person.number.as_ref().and_then(phone);
    person
}

fn named(item: &Value, keys: &Keys) -> Person {
    Person {
        user: json::id(item, &[keys.user]).map(UserId::new),
        parent_user: json::id(item, &[keys.parent]).map(UserId::new),
        number: json::id(item, &[keys.number]).map(Number::new),
        ..Person::default()
    }
}

/// The telephone number that a number of WhatsApp means: in Brazil with the ninth digit. `None` if there is none such.
#[must_use]
pub fn phone(number: &Number) -> Option<Phone> {
    // Always with its country code, also without a plus sign; read bare, a foreign one would be taken for Brazilian.
    let digits = number.as_str().strip_prefix('+').unwrap_or(number.as_str());
    let written = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("+{digits}"))?;
    Phone::parse(&written).ok()
}

/// The other way to write a Brazilian mobile number: without the ninth digit if it has one, else with it. `None` for
/// landlines and other countries. For one more attempt after [`crate::GiveUpReason::Unreachable`], and to look up who
/// may be stored under the other spelling.
#[must_use]
pub fn other_spelling(number: &Number) -> Option<Number> {
    let digits = number.as_str().strip_prefix('+').unwrap_or(number.as_str());
    let real = phone(number)?;
    let national = real.e164().strip_prefix("+55")?;
    let (area, line) = national.split_at_checked(2)?;
    let short = line.strip_prefix('9').filter(|_| line.len() == 9)?;
    let (with, without) = (format!("55{area}9{short}"), format!("55{area}{short}"));
    // A line of 2 to 5 would be a landline without its 9: another person.
    let lone_is_mobile = matches!(short.bytes().next(), Some(b'6'..=b'9'));
    if digits == with { lone_is_mobile.then(|| Number::new(without)) } else { Some(Number::new(with)) }
}

/// The number to send to for a contact whose number WhatsApp has not sent yet: E.164 without the plus sign.
#[must_use]
pub fn first_number(phone: &Phone) -> Number {
    Number::new(phone.e164().trim_start_matches('+'))
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
