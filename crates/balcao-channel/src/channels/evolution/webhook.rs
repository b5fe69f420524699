//! What the gateway posts: its key, and its events as [`InboundEvent`]s.

use std::fmt;

use balcao_json::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{changes, content, people};
use crate::{
    channels::whatsapp::json,
    error::SendClass,
    id::{AccountId, Number, ProviderMessageId},
    inbound::{
        Content, DeliveryFailure, DeliveryState, Echo, InboundEvent, InboundMessage, Origin, Person, StatusUpdate,
        UnknownEvent,
    },
};

/// Largest body, in bytes.
pub const MAX_BODY: usize = 3 * 1024 * 1024;
/// Largest body of a request that shows no key before it: a gateway that posts larger ones shows it in the header.
pub const MAX_UNPROVEN_BODY: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;

/// An event that is acted on. The gateway posts only events that its webhook is set to, so docs/GUIDE.md names each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Upsert,
    Update,
    Edited,
    Delete,
}

impl Known {
    const ALL: [Self; 4] = [Self::Upsert, Self::Update, Self::Edited, Self::Delete];

    /// Its name in the settings of the webhook. A body may have it in lower case, with dots.
    const fn name(self) -> &'static str {
        match self {
            Self::Upsert => "MESSAGES_UPSERT",
            Self::Update => "MESSAGES_UPDATE",
            Self::Edited => "MESSAGES_EDITED",
            Self::Delete => "MESSAGES_DELETE",
        }
    }
}

/// Why a body is not a webhook of the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// Answer 401: nothing is stored.
    #[error("the webhook's key is missing or wrong")]
    Key,
    /// Answer 413.
    #[error("the body is larger than {most} bytes")]
    TooLarge {
        /// What it may have, with the key in its header or without.
        most: usize,
    },
    /// Answer 400.
    #[error("cannot read the body as JSON")]
    NotJson,
}

/// Whether a request with this `apikey` header need not be read: it shows a wrong key. Without the header the body may hold it.
#[must_use]
pub fn is_forged(header: Option<&str>, key: &SecretString) -> bool {
    header.is_some_and(|given| !same(given, key))
}

/// Reads a body. `header` is the value of its `apikey` header; without one the body's own `apikey` must be right.
///
/// # Errors
/// [`WebhookError`]; nothing of the body counts then.
pub fn parse(body: &[u8], header: Option<&str>, key: &SecretString) -> Result<Vec<InboundEvent>, WebhookError> {
    // A wrong key in the header is looked at before anything else.
    if is_forged(header, key) {
        return Err(WebhookError::Key);
    }
    let most = if header.is_some() { MAX_BODY } else { MAX_UNPROVEN_BODY };
    if body.len() > most {
        return Err(WebhookError::TooLarge { most });
    }
    // A tree takes many times the room of its text: none is built for a client that has not shown the key; the client learns nothing either.
    if header.is_none() && !shows_key(body, key) {
        return Err(WebhookError::Key);
    }
    let body = balcao_json::read_delivered(body, MAX_DEPTH).map_err(|fault| match fault {
        Fault::TooMany { .. } => WebhookError::TooLarge { most },
        Fault::Malformed { .. } | Fault::TooDeep { .. } | Fault::TooLarge { .. } | Fault::KeyTwice { .. } => {
            WebhookError::NotJson
        }
    })?;
    let account = json::text(&body, &["instance"]).map(AccountId::new);
    let origin = Origin { account, business: String::new() };
    let event = json::text(&body, &["event"]).unwrap_or("missing").to_ascii_lowercase().replace('_', ".");
    let known = Known::ALL.into_iter().find(|one| one.name().to_ascii_lowercase().replace('_', ".") == event);
    let data = json::value_at(&body, &["data"]).unwrap_or(&Value::Null);
    // One event, or a list of them, which may stand under a name of its own.
    let listed = ["messages", "keys"].iter().filter_map(|name| json::value_at(data, &[name]));
    let data = listed.into_iter().find(|inner| inner.is_array()).unwrap_or(data);
    let items = data.as_array().map_or_else(|| std::slice::from_ref(data), Vec::as_slice);
    // The gateway tells whose number it runs.
    let own = json::text(&body, &["sender"]).and_then(people::number);
    let own = own.as_ref();
    let read = |item: &Value| -> Vec<InboundEvent> {
        let read = match known {
            None => [None, None],
            Some(Known::Upsert) => [message(&origin, item, own), None],
            // A status and a correction may come as one.
            Some(Known::Update) => [status(&origin, item), changes::read_change(&origin, item, own)],
            Some(Known::Edited) => [changes::read_change(&origin, item, own), None],
            Some(Known::Delete) => [changes::deleted(&origin, item, own), None],
        };
        let read: Vec<_> = read.into_iter().flatten().collect();
        if read.is_empty() { vec![unknown(&origin, &event, item)] } else { read }
    };
    Ok(items.iter().flat_map(read).collect())
}

/// Whether the object that the text is shows the key, once, at its top. Nothing else of it is kept, whatever it holds.
fn shows_key(body: &[u8], key: &SecretString) -> bool {
    // A delivery is not lost for a character elsewhere in it.
    has_key(body, key) || has_key(&balcao_json::mended(body), key)
}

fn has_key(body: &[u8], key: &SecretString) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let shown = reader.deserialize_map(KeyVisitor(key));
    shown.is_ok_and(|shown| shown) && reader.end().is_ok()
}

/// Looks for the key at the top of an object.
struct KeyVisitor<'a>(&'a SecretString);

impl<'de> Visitor<'de> for KeyVisitor<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let mut shown = None;
        while let Some(is_key) = fields.next_key_seed(IsKey)? {
            if !is_key {
                fields.next_value::<IgnoredAny>()?;
            } else if shown.replace(same(&fields.next_value::<String>()?, self.0)).is_some() {
                return Err(A::Error::custom("the key twice"));
            }
        }
        Ok(shown.unwrap_or(false))
    }
}

/// Whether a field is the one that holds the key.
struct IsKey;

impl<'de> DeserializeSeed<'de> for IsKey {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == "apikey")
    }
}

fn same(given: &str, key: &SecretString) -> bool {
    let key = key.expose_secret();
    // Digests have one length, so that not even the key's length shows.
    !key.is_empty() && bool::from(Sha256::digest(given.as_bytes()).ct_eq(&Sha256::digest(key.as_bytes())))
}

fn message(origin: &Origin, item: &Value, own: Option<&Number>) -> Option<InboundEvent> {
    let id = ProviderMessageId::new(json::text(item, &["key", "id"])?);
    let jid = json::text(item, &["key", "remoteJid"])?;
    let name = json::owned(item, &["pushName"]);
    let from_us = json::flag(item, &["key", "fromMe"]);
    if changes::is_taken_back(item) {
        return (!from_us).then(|| changes::event(origin, item, Content::Delete { message: id }, own));
    }
    if changes::is_note(item) {
        return None;
    }
    let written = json::value_at(item, &["message"]).unwrap_or(&Value::Null);
    let content = content::content(written, &id, json::text(item, &["messageType"]))?;
    let inner = content::unwrapped(written);
    // The gateway passes a number of 64 bits on as its halves.
    let at = json::instant(item, &["messageTimestamp"]).or_else(|| json::instant(item, &["messageTimestamp", "low"]));
    let quoted = content::quoted(item, inner);
    let group = jid.ends_with("@g.us").then(|| jid.to_owned());
    if from_us && group.is_none() {
        // Our own messages come back the same way; what a telephone sent was written by a person.
        let phone = matches!(json::text(item, &["source"]), Some("android" | "ios"));
        let to = people::person(&[jid], item, None, own)?;
        let echo = Echo { origin: origin.clone(), id, to, at, content, quoted };
        return phone.then(|| InboundEvent::Echo(Box::new(echo)));
    }
    let sender = match &group {
        Some(_) => people::person(&[json::text(item, &["key", "participant"])?], item, name, own)?,
        None => people::person(&[jid], item, name, own)?,
    };
    let forwarded = content::forwarded(item, inner);
    let origin = origin.clone();
    let message = InboundMessage { origin, id, sender, at, content, quoted, referral: None, forwarded, group };
    (!from_us).then(|| InboundEvent::Message(Box::new(message)))
}

fn status(origin: &Origin, item: &Value) -> Option<InboundEvent> {
    let id = json::text(item, &["keyId"]).or(json::text(item, &["key", "id"]))?;
    let state = match changes::status(item)? {
        "SERVER_ACK" => DeliveryState::Sent,
        "DELIVERY_ACK" => DeliveryState::Delivered,
        "READ" => DeliveryState::Read,
        "PLAYED" => DeliveryState::Played,
        "ERROR" => DeliveryState::Failed,
        _ => return None,
    };
    let failed =
        || DeliveryFailure { class: SendClass::Unknown, code: None, detail: Some("the gateway says so".into()) };
    Some(InboundEvent::Status(Box::new(StatusUpdate {
        origin: origin.clone(),
        message: ProviderMessageId::new(id),
        state,
        at: None,
        recipient: Person::default(),
        participant: None,
        correlation: None,
        failure: (state == DeliveryState::Failed).then(failed),
        pricing: None,
    })))
}

fn unknown(origin: &Origin, event: &str, item: &Value) -> InboundEvent {
    let hash = Sha256::new().chain_update(event).chain_update([0]).chain_update(item.to_string()).finalize();
    InboundEvent::Unknown(Box::new(UnknownEvent {
        origin: origin.clone(),
        field: event.to_owned(),
        reason: "nothing in it that is acted on here".to_owned(),
        raw: item.clone(),
        digest: changes::hex(&hash),
    }))
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
