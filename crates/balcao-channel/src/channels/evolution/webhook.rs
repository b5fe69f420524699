//! What the gateway posts: its key, and its events as [`Inbound`]s.

use std::fmt;

use balcao_domain::Phone;
use secrecy::{ExposeSecret, SecretString};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    channels::whatsapp::{identity, json},
    error::SendClass,
    id::{AccountId, Number, ProviderMediaId, ProviderMessageId, UserId},
    inbound::{
        Content, DeliveryFailure, DeliveryState, Echo, Forwarded, Inbound, InboundMessage, Location, Media, MediaKind,
        Origin, Person, Quoted, StatusUpdate, UnknownEvent,
    },
};

/// Largest body, in bytes.
pub const MAX_BODY: usize = 3 * 1024 * 1024;
/// Largest body of a request that shows no key before it: a gateway that posts larger ones shows it in the header.
pub const MAX_UNPROVEN_BODY: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;

/// Why a body is no webhook of the gateway.
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
    #[error("the body is no JSON that is read here")]
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
pub fn parse(body: &[u8], header: Option<&str>, key: &SecretString) -> Result<Vec<Inbound>, WebhookError> {
    // A wrong key in the header is looked at before anything else.
    if is_forged(header, key) {
        return Err(WebhookError::Key);
    }
    let most = if header.is_some() { MAX_BODY } else { MAX_UNPROVEN_BODY };
    if body.len() > most {
        return Err(WebhookError::TooLarge { most });
    }
    // A tree takes many times the room of its text: none is built for whoever has not shown the key, who learns nothing either.
    if header.is_none() && !shows_key(body, key) {
        return Err(WebhookError::Key);
    }
    let body = balcao_json::read(body, MAX_DEPTH).map_err(|_fault| WebhookError::NotJson)?;
    let account = json::text(&body, &["instance"]).map(AccountId::new);
    let origin = Origin { account, business: String::new() };
    let event = json::text(&body, &["event"]).unwrap_or("missing").to_ascii_lowercase().replace('_', ".");
    let data = json::at(&body, &["data"]).unwrap_or(&Value::Null);
    // One event, or a list of them.
    let items = data.as_array().map_or_else(|| std::slice::from_ref(data), Vec::as_slice);
    let read = |item: &Value| match event.as_str() {
        "messages.upsert" => message(&origin, item),
        "messages.update" => status(&origin, item),
        _ => None,
    };
    Ok(items.iter().map(|item| read(item).unwrap_or_else(|| unknown(&origin, &event, item))).collect())
}

/// Whether the object that the text is shows the key, once, at its top. Nothing else of it is kept, whatever it holds.
fn shows_key(body: &[u8], key: &SecretString) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let shown = reader.deserialize_map(Shown(key));
    shown.is_ok_and(|shown| shown) && reader.end().is_ok()
}

/// Looks for the key at the top of an object.
struct Shown<'a>(&'a SecretString);

impl<'de> Visitor<'de> for Shown<'_> {
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

fn message(origin: &Origin, item: &Value) -> Option<Inbound> {
    let id = ProviderMessageId::new(json::text(item, &["key", "id"])?);
    let jid = json::text(item, &["key", "remoteJid"])?;
    let name = json::owned(item, &["pushName"]);
    let from_us = json::flag(item, &["key", "fromMe"]);
    let content = content(item, &id);
    let at = json::instant(item, &["messageTimestamp"]);
    let quoted = json::text(item, &["contextInfo", "stanzaId"])
        .map(|id| Quoted { message: Some(ProviderMessageId::new(id)), product: None });
    if jid.ends_with("@g.us") {
        let sender = person(json::text(item, &["key", "participant"])?, item, name)?;
        let group = Some(jid.to_owned());
        return (!from_us).then(|| inbound(origin, id, sender, at, content, quoted, group));
    }
    if from_us {
        // Our own messages come back the same way; what a telephone sent was written by a person.
        let phone = matches!(json::text(item, &["source"]), Some("android" | "ios"));
        let to = person(jid, item, None)?;
        let echo = Echo { origin: origin.clone(), id, to, at, content, quoted };
        return phone.then(|| Inbound::Echo(Box::new(echo)));
    }
    Some(inbound(origin, id, person(jid, item, name)?, at, content, quoted, None))
}

fn inbound(
    origin: &Origin,
    id: ProviderMessageId,
    sender: Person,
    at: Option<jiff::Timestamp>,
    content: Content,
    quoted: Option<Quoted>,
    group: Option<String>,
) -> Inbound {
    Inbound::Message(Box::new(InboundMessage {
        origin: origin.clone(),
        id,
        sender,
        at,
        content,
        quoted,
        referral: None,
        forwarded: Forwarded::No,
        group,
    }))
}

/// Who stands behind a gateway's id: `554187654321@s.whatsapp.net` is a number, `…@lid` hides one.
fn person(jid: &str, item: &Value, name: Option<String>) -> Option<Person> {
    let (local, host) = jid.split_once('@')?;
    // A device of theirs: `554187654321:12@s.whatsapp.net`.
    let number = |local: &str| {
        let digits = local.split(':').next().unwrap_or_default();
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| Number::new(digits))
    };
    let (user, number) = match host {
        "s.whatsapp.net" | "c.us" => (None, Some(number(local)?)),
        "lid" => {
            let shown = json::text(item, &["key", "senderPn"]).or(json::text(item, &["key", "remoteJidAlt"]));
            (Some(UserId::new(jid)), shown.and_then(|jid| number(jid.split('@').next().unwrap_or_default())))
        }
        _ => return None,
    };
    let phone: Option<Phone> = number.as_ref().and_then(identity::phone);
    Some(Person { user, number, phone, name, ..Person::default() })
}

fn content(item: &Value, id: &ProviderMessageId) -> Content {
    let message = json::at(item, &["message"]).unwrap_or(&Value::Null);
    if let Some(body) =
        json::owned(message, &["conversation"]).or(json::owned(message, &["extendedTextMessage", "text"]))
    {
        return Content::Text { body };
    }
    let kinds = [
        ("imageMessage", MediaKind::Image),
        ("videoMessage", MediaKind::Video),
        ("audioMessage", MediaKind::Audio),
        ("documentMessage", MediaKind::Document),
        ("stickerMessage", MediaKind::Sticker),
    ];
    if let Some((part, media)) = kinds.iter().find_map(|(key, kind)| Some((json::at(message, &[key])?, *kind))) {
        return Content::Media(Media {
            media,
            // The gateway gives a file by its message.
            id: ProviderMediaId::new(id.as_str()),
            mime: json::owned(part, &["mimetype"]),
            sha256: None,
            caption: json::owned(part, &["caption"]),
            filename: json::owned(part, &["fileName"]),
            voice: json::flag(part, &["ptt"]),
        });
    }
    if let Some(place) = json::at(message, &["locationMessage"])
        && let (Some(latitude), Some(longitude)) =
            (json::decimal(place, &["degreesLatitude"]), json::decimal(place, &["degreesLongitude"]))
    {
        let (name, address) = (json::owned(place, &["name"]), json::owned(place, &["address"]));
        return Content::Location(Location { latitude, longitude, name, address, url: None });
    }
    if let Some(reaction) = json::at(message, &["reactionMessage"])
        && let Some(to) = json::text(reaction, &["key", "id"])
    {
        return Content::Reaction { message: ProviderMessageId::new(to), emoji: json::owned(reaction, &["text"]) };
    }
    let original = json::owned(item, &["messageType"]).unwrap_or_else(|| "unknown".to_owned());
    Content::Unsupported { original, code: None, detail: None }
}

fn status(origin: &Origin, item: &Value) -> Option<Inbound> {
    let id = json::text(item, &["keyId"]).or(json::text(item, &["key", "id"]))?;
    let state = match json::text(item, &["status"]).or(json::text(item, &["update", "status"]))? {
        "SERVER_ACK" => DeliveryState::Sent,
        "DELIVERY_ACK" => DeliveryState::Delivered,
        "READ" => DeliveryState::Read,
        "PLAYED" => DeliveryState::Played,
        "ERROR" => DeliveryState::Failed,
        _ => return None,
    };
    let failed =
        || DeliveryFailure { class: SendClass::Unknown, code: None, detail: Some("the gateway says so".into()) };
    Some(Inbound::Status(Box::new(StatusUpdate {
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

fn unknown(origin: &Origin, event: &str, item: &Value) -> Inbound {
    let hash = Sha256::new().chain_update(event).chain_update([0]).chain_update(item.to_string()).finalize();
    Inbound::Unknown(Box::new(UnknownEvent {
        origin: origin.clone(),
        field: event.to_owned(),
        reason: "nothing in it that is acted on here".to_owned(),
        raw: item.clone(),
        digest: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
    }))
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
