//! What Meta posts: the handshake, and bodies that become [`InboundEvent`]s.
//!
//! Only a body that is not a webhook of WhatsApp at all is an error. Everything else is read as far as it can be, because
//! what is refused comes again for seven days: unknown kinds of messages become [`crate::inbound::Content::Unsupported`],
//! unknown events [`InboundEvent::Unknown`]. Deliveries repeat and come in any order; [`InboundEvent::dedupe_key`] tells them apart.
//! Verify the signature first ([`super::signature`]).

use crate::channels::whatsapp::limits::MAX_DEPTH;
use std::fmt::Write;

use balcao_json::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{content, errors, identity, json};
use crate::{
    id::{AccountId, ProviderMessageId, UserId},
    inbound::{
        Content, DeliveryFailure, DeliveryState, Echo, InboundEvent, InboundMessage, Origin, Preference, Pricing,
        Renamed, StatusUpdate, UnknownEvent,
    },
};

/// Largest body: Meta sends up to 3 MB.
pub const MAX_BODY: usize = 3 * 1024 * 1024;

/// Longest challenge of a handshake.
const MAX_CHALLENGE: usize = 64;

/// Why a handshake is refused. All of them mean 403.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// A parameter is missing or given twice.
    #[error("hub.mode, hub.verify_token and hub.challenge must each be given once")]
    Parameters,
    /// `hub.mode` is not `subscribe`.
    #[error("hub.mode is not `subscribe`")]
    Mode,
    /// The token is not ours, or we have none.
    #[error("hub.verify_token is not the one that is configured")]
    Token,
    /// The challenge is not 1 to 64 letters, digits, `-` or `_`: it would be sent back as it is.
    #[error("hub.challenge is not 1 to 64 letters, digits, `-` or `_`")]
    Challenge,
}

/// Answers Meta's check of the webhook's address (`GET`). Of the query's parameters, decoded, returns the text to send
/// back with status 200 as `text/plain`, and nothing else.
///
/// # Errors
/// [`HandshakeError`]: answer 403.
pub fn handshake<K: AsRef<str>, V: AsRef<str>>(
    query: impl IntoIterator<Item = (K, V)>,
    verify_token: &SecretString,
) -> Result<String, HandshakeError> {
    let (mut mode, mut token, mut challenge) = (None, None, None);
    for (key, value) in query {
        let place = match key.as_ref() {
            "hub.mode" => &mut mode,
            "hub.verify_token" => &mut token,
            "hub.challenge" => &mut challenge,
            _ => continue,
        };
        if place.replace(value.as_ref().to_owned()).is_some() {
            return Err(HandshakeError::Parameters);
        }
    }
    let (Some(mode), Some(token), Some(challenge)) = (mode, token, challenge) else {
        return Err(HandshakeError::Parameters);
    };
    if mode != "subscribe" {
        return Err(HandshakeError::Mode);
    }
    // Digests have one length, so that not even the token's length shows.
    let expected = Sha256::digest(verify_token.expose_secret().as_bytes());
    let same = bool::from(Sha256::digest(token.as_bytes()).ct_eq(&expected));
    if !same || verify_token.expose_secret().is_empty() {
        return Err(HandshakeError::Token);
    }
    let plain = challenge.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if !plain || !(1..=MAX_CHALLENGE).contains(&challenge.len()) {
        return Err(HandshakeError::Challenge);
    }
    Ok(challenge)
}

/// Why a body is not a webhook of WhatsApp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// Answer 413. Reading should have stopped before.
    #[error("the body is larger than {MAX_BODY} bytes")]
    TooLarge,
    /// Answer 400.
    #[error("the body is not JSON")]
    NotJson,
    /// Answer 400.
    #[error("the body is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Answer 400.
    #[error("an object in the body has one key twice")]
    KeyTwice,
    /// Answer 404: it is for another product.
    #[error("the body's `object` is not `whatsapp_business_account`")]
    NotWhatsApp,
}

/// Reads a body whose signature was verified. The order is that of the body.
///
/// # Errors
/// [`WebhookError`] if it is not a webhook of WhatsApp at all.
pub fn parse(body: &[u8]) -> Result<Vec<InboundEvent>, WebhookError> {
    if body.len() > MAX_BODY {
        return Err(WebhookError::TooLarge);
    }
    let body = balcao_json::read_delivered(body, MAX_DEPTH).map_err(|fault| match fault {
        Fault::Malformed { .. } => WebhookError::NotJson,
        Fault::TooDeep { .. } => WebhookError::TooDeep,
        Fault::TooMany { .. } | Fault::TooLarge { .. } => WebhookError::TooLarge,
        Fault::KeyTwice { .. } => WebhookError::KeyTwice,
    })?;
    if json::text(&body, &["object"]) != Some("whatsapp_business_account") {
        return Err(WebhookError::NotWhatsApp);
    }
    let mut events = Vec::new();
    for entry in json::items(&body, &["entry"]) {
        let business = json::id(entry, &["id"]).unwrap_or_default();
        for change in json::items(entry, &["changes"]) {
            read_change(&business, change, &mut events);
        }
    }
    Ok(events)
}

/// One change and what all its items share.
struct Change<'a> {
    origin: Origin,
    field: &'a str,
    contacts: identity::Contacts<'a>,
}

fn read_change(business: &str, change: &Value, events: &mut Vec<InboundEvent>) {
    let field = json::text(change, &["field"]).unwrap_or("missing");
    let value = json::value_at(change, &["value"]).unwrap_or(&Value::Null);
    let account = json::id(value, &["metadata", "phone_number_id"]).map(AccountId::new);
    let origin = Origin { account, business: business.to_owned() };
    let around = Change { origin, field, contacts: identity::Contacts::read(json::items(value, &["contacts"])) };
    let before = events.len();
    match field {
        "messages" => {
            events.extend(json::items(value, &["messages"]).iter().map(|item| around.message(item)));
            events.extend(json::items(value, &["statuses"]).iter().map(|item| around.status(item)));
            let error = |item| around.unknown(item, "an error of the account, not of a message");
            events.extend(json::items(value, &["errors"]).iter().map(error));
        }
        "smb_message_echoes" => {
            events.extend(json::items(value, &["message_echoes"]).iter().map(|item| around.echo(item)));
        }
        "user_preferences" => {
            events.extend(json::items(value, &["user_preferences"]).iter().map(|item| around.preference(item)));
        }
        "user_id_update" if json::value_at(value, &["user_id"]).is_some() => events.push(around.renamed(value)),
        "user_id_update" => {
            events.extend(json::items(value, &["user_id_update"]).iter().map(|item| around.renamed(item)));
        }
        _ => {}
    }
    if events.len() == before {
        events.push(around.unknown(change, "nothing in it that is known here"));
    }
}

impl Change<'_> {
    fn message(&self, item: &Value) -> InboundEvent {
        let Some(id) = json::text(item, &["id"]) else { return self.unknown(item, "a message without an id") };
        let sender = identity::person(item, &identity::SENDER, &self.contacts);
        let content = content::content(item);
        if sender.is_nobody() && !matches!(content, Content::System(_)) {
            return self.unknown(item, "a message without a sender");
        }
        InboundEvent::Message(Box::new(InboundMessage {
            origin: self.origin.clone(),
            id: ProviderMessageId::new(id),
            sender,
            at: json::instant(item, &["timestamp"]),
            content,
            quoted: content::quoted(item),
            referral: content::referral(item),
            forwarded: content::forwarded(item),
            group: json::owned(item, &["group_id"]),
        }))
    }

    fn echo(&self, item: &Value) -> InboundEvent {
        let Some(id) = json::text(item, &["id"]) else { return self.unknown(item, "an echo without an id") };
        let to = identity::person(item, &identity::ECHO_TO, &self.contacts);
        if to.is_nobody() {
            return self.unknown(item, "an echo without a recipient");
        }
        InboundEvent::Echo(Box::new(Echo {
            origin: self.origin.clone(),
            id: ProviderMessageId::new(id),
            to,
            at: json::instant(item, &["timestamp"]),
            content: content::content(item),
            quoted: content::quoted(item),
        }))
    }

    fn status(&self, item: &Value) -> InboundEvent {
        let Some(id) = json::text(item, &["id"]) else { return self.unknown(item, "a status without an id") };
        let state = match json::text(item, &["status"]) {
            Some("sent") => DeliveryState::Sent,
            Some("delivered") => DeliveryState::Delivered,
            Some("read") => DeliveryState::Read,
            Some("played") => DeliveryState::Played,
            Some("failed") => DeliveryState::Failed,
            Some(_) | None => return self.unknown(item, "a status that is not known here"),
        };
        let mut recipient = identity::person(item, &identity::RECIPIENT, &self.contacts);
        if json::text(item, &["recipient_type"]) == Some("group") {
            // The id is the group's.
            (recipient.number, recipient.phone) = (None, None);
        }
        let participant = json::owned(item, &["recipient_participant_user_id"])
            .or_else(|| json::owned(item, &["recipient_participant_id"]));
        InboundEvent::Status(Box::new(StatusUpdate {
            origin: self.origin.clone(),
            message: ProviderMessageId::new(id),
            state,
            at: json::instant(item, &["timestamp"]),
            recipient,
            participant,
            correlation: json::owned(item, &["biz_opaque_callback_data"]),
            failure: (state == DeliveryState::Failed).then(|| failure(item)),
            pricing: pricing(item),
        }))
    }

    fn preference(&self, item: &Value) -> InboundEvent {
        let person = identity::person(item, &identity::CONTACT, &self.contacts);
        let wanted = match json::text(item, &["value"]) {
            Some("stop") => false,
            Some("resume" | "signup") => true,
            Some(_) | None => return self.unknown(item, "a preference that is not known here"),
        };
        let Some(category) = json::owned(item, &["category"]).filter(|_| !person.is_nobody()) else {
            return self.unknown(item, "a preference of nobody, or for nothing");
        };
        InboundEvent::Preference(Box::new(Preference {
            origin: self.origin.clone(),
            person,
            category,
            wanted,
            at: json::instant(item, &["timestamp"]),
            digest: digest(self.field, item),
        }))
    }

    fn renamed(&self, item: &Value) -> InboundEvent {
        let ids = json::text(item, &["user_id", "previous"]).zip(json::text(item, &["user_id", "current"]));
        let Some((previous, current)) = ids else { return self.unknown(item, "a change without both user ids") };
        let mut person = identity::person(item, &identity::CONTACT, &self.contacts);
        person.user = Some(UserId::new(current));
        InboundEvent::Renamed(Box::new(Renamed {
            origin: self.origin.clone(),
            previous: UserId::new(previous),
            current: person,
            digest: digest(self.field, item),
        }))
    }

    fn unknown(&self, item: &Value, reason: &str) -> InboundEvent {
        InboundEvent::Unknown(Box::new(UnknownEvent {
            origin: self.origin.clone(),
            field: self.field.to_owned(),
            reason: reason.to_owned(),
            raw: item.clone(),
            digest: digest(self.field, item),
        }))
    }
}

fn failure(status: &Value) -> DeliveryFailure {
    let error = json::items(status, &["errors"]).first().unwrap_or(&Value::Null);
    let code = json::integer(error, &["code"]);
    DeliveryFailure { class: errors::class_of(code, false), code, detail: errors::detail(error) }
}

fn pricing(status: &Value) -> Option<Pricing> {
    let pricing = json::value_at(status, &["pricing"])?;
    Some(Pricing {
        billable: json::flag(pricing, &["billable"]),
        category: json::owned(pricing, &["category"]),
        price_type: json::owned(pricing, &["type"]),
    })
}

/// SHA-256, in hex, of an item that has no id. A redelivery repeats it to the byte, though perhaps in another batch.
fn digest(field: &str, item: &Value) -> String {
    let hash = Sha256::new().chain_update(field).chain_update([0]).chain_update(item.to_string()).finalize();
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
#[path = "webhook_status_tests.rs"]
mod status_tests;
#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
