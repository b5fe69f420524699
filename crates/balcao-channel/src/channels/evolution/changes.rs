//! News of earlier messages: they were corrected or taken back. Such news has no id of its own, and tells the same in many ways.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{content, people};
use crate::{
    channels::whatsapp::json,
    id::{Number, ProviderMessageId},
    inbound::{Content, Forwarded, InboundEvent, InboundMessage, Origin},
};

/// What stands for a message that is a note of WhatsApp's own, and that a message was taken back.
const REVOKED: (i64, &str) = (1, "REVOKE");
/// That a message could not be decrypted: a person wrote it, and the telephone is asked for it again.
const UNDECRYPTED: (i64, &str) = (2, "CIPHERTEXT");

/// The correction or deletion that an item of `messages.update` or `messages.edited` tells; `None` if it tells none.
pub(super) fn read_change(origin: &Origin, item: &Value, own: Option<&Number>) -> Option<InboundEvent> {
    Some(event(origin, item, change(item)?, own))
}

/// The deletion that an item of `messages.delete` tells: the key of the message, bare or under its name, or the message that asks for it.
pub(super) fn deleted(origin: &Origin, item: &Value, own: Option<&Number>) -> Option<InboundEvent> {
    let change = change(item).filter(|change| matches!(change, Content::Delete { .. }));
    let content = change.or_else(|| Some(Content::Delete { message: name(item)? }))?;
    Some(event(origin, item, content, own))
}

/// Whether an item says that its message was taken back.
pub(super) fn is_taken_back(item: &Value) -> bool {
    let is_revoked = note(item).is_some_and(|note| content::is_kind(note, REVOKED.0, REVOKED.1));
    // What is left of a message after its deletion is nothing, said in so many words.
    let left = item.get("update").and_then(|update| update.get("message"));
    let is_emptied = left.is_some_and(Value::is_null) && note(item).is_none() && status(item).is_none();
    is_revoked || is_emptied || status(item) == Some("DELETED")
}

/// Whether an item is a note of WhatsApp's own in the place of a message: that a call was missed, that someone joined.
pub(super) fn is_note(item: &Value) -> bool {
    let is_empty = json::value_at(item, &["message"]).is_none();
    is_empty && note(item).is_some_and(|note| !content::is_kind(note, UNDECRYPTED.0, UNDECRYPTED.1))
}

/// What was done to an earlier message, as an event of its own: its id is the message's with what it says now, and who says so, because
/// what another person says of the message does not repeat it.
pub(super) fn event(origin: &Origin, item: &Value, content: Content, own: Option<&Number>) -> InboundEvent {
    let sender = people::named(item, own).unwrap_or_default();
    let mut id = if let Content::Edit { message, content } = &content {
        let now = Sha256::digest(serde_json::to_vec(content).unwrap_or_default());
        format!("{message}:edit:{}", hex(&now))
    } else {
        let earlier = if let Content::Delete { message } = &content { message.as_str() } else { "unknown" };
        format!("{earlier}:delete")
    };
    let by = sender.user.as_ref().map(|user| user.as_str()).or(sender.number.as_ref().map(|number| number.as_str()));
    if let Some(by) = by {
        id.push(':');
        id.push_str(by);
    }
    InboundEvent::Message(Box::new(InboundMessage {
        origin: origin.clone(),
        id: ProviderMessageId::new(id),
        sender,
        at: None,
        content,
        quoted: None,
        referral: None,
        forwarded: Forwarded::No,
        group: None,
    }))
}

fn change(item: &Value) -> Option<Content> {
    if is_taken_back(item) {
        return Some(Content::Delete { message: name(item)? });
    }
    // The change as its writer's telephone sent it: it says of what kind it is.
    let sent = json::value_at(item, &["type"]).and_then(|_| content::change(item));
    if sent.is_some() {
        return sent;
    }
    // A message beside its status is the one that was delivered, unless it says that it corrects one.
    let corrects = |message: &&Value| ["editedMessage", "protocolMessage"].iter().any(|key| message.get(key).is_some());
    let beside = || json::value_at(item, &["message"]).filter(|new| status(item).is_none() || corrects(new));
    let new = json::value_at(item, &["update", "message"]).or_else(|| json::value_at(item, &["editedMessage"]));
    content::correction(name(item)?, new.or_else(beside)?)
}

/// The name of the message that an item is about.
fn name(item: &Value) -> Option<ProviderMessageId> {
    let paths: [&[&str]; 4] = [&["key", "id"], &["keyId"], &["id"], &["message", "key", "id"]];
    paths.iter().find_map(|path| json::text(item, path)).map(ProviderMessageId::new)
}

/// What became of a message, as the gateway writes it.
pub(super) fn status(item: &Value) -> Option<&str> {
    json::text(item, &["status"]).or_else(|| json::text(item, &["update", "status"]))
}

fn note(item: &Value) -> Option<&Value> {
    json::value_at(item, &["messageStubType"]).or_else(|| json::value_at(item, &["update", "messageStubType"]))
}

/// Bytes in hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
