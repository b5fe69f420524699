//! What a message of the gateway holds. WhatsApp wraps messages in messages: those that disappear, that may be seen once, that correct an
//! earlier one, a document with words to it. Whatever the wrapper is called, what it wraps is read.

use serde_json::Value;

use crate::{
    channels::whatsapp::json,
    id::{Number, ProviderMediaId, ProviderMessageId},
    inbound::{CardPhone, ContactCard, Content, Forwarded, Location, Media, MediaKind, Quoted},
};

/// So many wrappers in one another are opened: more than WhatsApp makes, and few enough that none costs a stack.
const WRAPPERS: usize = 8;
/// From so many on WhatsApp itself says "forwarded many times".
const OFTEN: i64 = 4;

/// The files that a message may be, by the key of their part.
const FILES: [(&str, MediaKind); 6] = [
    ("imageMessage", MediaKind::Image),
    ("videoMessage", MediaKind::Video),
    ("ptvMessage", MediaKind::Video),
    ("audioMessage", MediaKind::Audio),
    ("documentMessage", MediaKind::Document),
    ("stickerMessage", MediaKind::Sticker),
];
/// Where words stand that a customer wrote, or passed on from a business.
const WORDS: [&[&str]; 7] = [
    &["conversation"],
    &["extendedTextMessage", "text"],
    &["templateMessage", "hydratedTemplate", "hydratedContentText"],
    &["templateMessage", "hydratedFourRowTemplate", "hydratedContentText"],
    &["interactiveMessage", "body", "text"],
    &["buttonsMessage", "contentText"],
    &["listMessage", "description"],
];
/// What a telephone sends by itself, beside or instead of a message.
const BY_ITSELF: [&str; 7] = [
    "protocolMessage",
    "messageContextInfo",
    "albumMessage",
    "pinInChatMessage",
    "keepInChatMessage",
    "stickerSyncRmrMessage",
    "messageHistoryBundle",
];
/// How the names of the parts end by which telephones tell each other their keys.
const KEYS: &str = "KeyDistributionMessage";

/// The innermost message, out of all its wrappers.
pub(super) fn unwrapped(message: &Value) -> &Value {
    let mut inner = message;
    for _ in 0..WRAPPERS {
        match inside(inner) {
            Some(wrapped) => inner = wrapped,
            None => break,
        }
    }
    inner
}

/// The message within a wrapper: an object that holds a `message` of its own, whatever it is called, and if it has no name. A correction
/// may also hold the new message without that.
fn inside(message: &Value) -> Option<&Value> {
    fn inner_message(part: &Value) -> Option<&Value> {
        part.get("message").filter(|inner| inner.is_object())
    }
    let wrapped = inner_message(message).or_else(|| message.as_object()?.values().find_map(inner_message));
    wrapped.or_else(|| message.get("editedMessage").filter(|inner| inner.is_object()))
}

/// What the message holds; `None` if a telephone sent it by itself, without a person. `id` is the message's own, by which the
/// gateway gives its file.
pub(super) fn content(message: &Value, id: &ProviderMessageId, kind: Option<&str>) -> Option<Content> {
    content_within(message, id, kind, WRAPPERS)
}

fn content_within(message: &Value, id: &ProviderMessageId, kind: Option<&str>, left: usize) -> Option<Content> {
    let message = unwrapped(message);
    if let Some(change) = json::value_at(message, &["protocolMessage"]).and_then(|change| changed(change, left)) {
        return Some(change);
    }
    if let Some(body) = WORDS.iter().find_map(|path| json::owned(message, path)) {
        return Some(Content::Text { body });
    }
    let understood = file(message, id)
        .or_else(|| place(message))
        .or_else(|| reply(message))
        .or_else(|| cards(message))
        .or_else(|| reaction(message));
    if understood.is_some() {
        return understood;
    }
    if is_by_itself(message) {
        return None;
    }
    let original = kind.map_or_else(|| "unknown".to_owned(), str::to_owned);
    Some(Content::Unsupported { original, code: None, detail: None })
}

/// Whether a message has parts, and a telephone sent each of them by itself.
fn is_by_itself(message: &Value) -> bool {
    let parts = message.as_object().into_iter().flatten().filter(|(_, part)| !part.is_null());
    let mut by_itself = parts.map(|(key, _)| BY_ITSELF.contains(&key.as_str()) || key.ends_with(KEYS)).peekable();
    by_itself.peek().is_some() && by_itself.all(|one| one)
}

/// Whether a kind is this one. The gateway writes a kind as a word or as its number.
pub(super) fn is_kind(kind: &Value, number: i64, word: &str) -> bool {
    kind == word || json::integer(kind, &[]) == Some(number)
}

/// What the customer did to an earlier message: corrected it, or took it back.
pub(super) fn change(change: &Value) -> Option<Content> {
    changed(change, WRAPPERS)
}

/// An earlier message with what it says now, unless that tells by itself what was done, and to which message.
pub(super) fn correction(message: ProviderMessageId, now: &Value) -> Option<Content> {
    corrected(message, now, WRAPPERS)
}

fn changed(change: &Value, left: usize) -> Option<Content> {
    let left = left.checked_sub(1)?;
    let message = ProviderMessageId::new(json::text(change, &["key", "id"])?);
    match (json::value_at(change, &["type"]), json::value_at(change, &["editedMessage"])) {
        (Some(kind), _) if is_kind(kind, 0, "REVOKE") => Some(Content::Delete { message }),
        // The number of this kind is 0, which the format of the message leaves out.
        (None, None) => Some(Content::Delete { message }),
        (None, Some(now)) => corrected(message, now, left),
        (Some(kind), Some(now)) if is_kind(kind, 14, "MESSAGE_EDIT") => corrected(message, now, left),
        (Some(_), _) => None,
    }
}

fn corrected(message: ProviderMessageId, now: &Value, left: usize) -> Option<Content> {
    let content = content_within(now, &message, None, left)?;
    let is_change = matches!(content, Content::Edit { .. } | Content::Delete { .. });
    Some(if is_change { content } else { Content::Edit { message, content: Box::new(content) } })
}

fn file(message: &Value, id: &ProviderMessageId) -> Option<Content> {
    let (part, media) = FILES.iter().find_map(|(key, kind)| Some((json::value_at(message, &[key])?, *kind)))?;
    Some(Content::Media(Media {
        media,
        // The gateway gives a file by its message.
        id: ProviderMediaId::new(id.as_str()),
        mime: json::owned(part, &["mimetype"]),
        sha256: None,
        caption: json::owned(part, &["caption"]),
        filename: json::owned(part, &["fileName"]).or_else(|| json::owned(part, &["title"])),
        voice: json::flag(part, &["ptt"]),
    }))
}

fn place(message: &Value) -> Option<Content> {
    let place =
        json::value_at(message, &["locationMessage"]).or_else(|| json::value_at(message, &["liveLocationMessage"]))?;
    let latitude = json::decimal(place, &["degreesLatitude"])?;
    let longitude = json::decimal(place, &["degreesLongitude"])?;
    let (name, address) = (json::owned(place, &["name"]), json::owned(place, &["address"]));
    Some(Content::Location(Location { latitude, longitude, name, address, url: json::owned(place, &["url"]) }))
}

/// An answer by a button or a row of a list: the words on it count as the customer's.
fn reply(message: &Value) -> Option<Content> {
    if let Some(row) = json::value_at(message, &["listResponseMessage"]) {
        let id = json::owned(row, &["singleSelectReply", "selectedRowId"]);
        let description = json::owned(row, &["description"]);
        let (title, description) = match json::owned(row, &["title"]) {
            Some(title) => (title, description),
            None => (description.or_else(|| id.clone())?, None),
        };
        return Some(Content::ListReply { id: id.unwrap_or_default(), title, description });
    }
    let buttons = [
        ("buttonsResponseMessage", "selectedButtonId"),
        ("templateButtonReplyMessage", "selectedId"),
        ("interactiveResponseMessage", "id"),
    ];
    let (part, id) = buttons.iter().find_map(|(key, id)| Some((json::value_at(message, &[key])?, *id)))?;
    // A flow says what was chosen as JSON within a text.
    let flow = json::text(part, &["nativeFlowResponseMessage", "paramsJson"])
        .and_then(|params| balcao_json::read_delivered(params.as_bytes(), WRAPPERS).ok())
        .unwrap_or_default();
    let titles: [Option<String>; 5] = [
        json::owned(part, &["selectedDisplayText"]),
        json::owned(part, &["body", "text"]),
        json::owned(&flow, &["display_text"]),
        json::owned(&flow, &["title"]),
        json::owned(&flow, &["description"]),
    ];
    let id = json::owned(part, &[id]).or_else(|| json::owned(&flow, &["id"])).unwrap_or_default();
    let title = titles.into_iter().flatten().next().or_else(|| (!id.is_empty()).then(|| id.clone()))?;
    Some(Content::ButtonReply { id, title })
}

fn reaction(message: &Value) -> Option<Content> {
    let reaction = json::value_at(message, &["reactionMessage"])?;
    let to = ProviderMessageId::new(json::text(reaction, &["key", "id"])?);
    Some(Content::Reaction { message: to, emoji: json::owned(reaction, &["text"]) })
}

fn cards(message: &Value) -> Option<Content> {
    let cards = match json::value_at(message, &["contactMessage"]) {
        Some(one) => vec![card(one)],
        None => {
            json::items(json::value_at(message, &["contactsArrayMessage"])?, &["contacts"]).iter().map(card).collect()
        }
    };
    Some(Content::ContactCards { cards, own_number: false })
}

/// A card as RFC 6350 writes it, of which the name and the numbers are read: `item1.TEL;waid=5541…:+55 41 …`.
fn card(contact: &Value) -> ContactCard {
    let lines = json::text(contact, &["vcard"]).unwrap_or_default().lines();
    let number = |line: &str| {
        let (what, written) = line.split_once(':')?;
        let name = what.split(';').next().unwrap_or_default();
        let is_number = name.rsplit('.').next().is_some_and(|name| name.eq_ignore_ascii_case("TEL"));
        let known = what.split(';').find_map(|part| part.strip_prefix("waid="));
        is_number.then(|| CardPhone { written: written.trim().to_owned(), number: known.map(Number::new) })
    };
    ContactCard {
        name: json::owned(contact, &["displayName"]),
        phones: lines.filter_map(number).collect(),
        emails: Vec::new(),
    }
}

/// What stands beside the words: which message is answered, and whether it was forwarded. Each part of a message may have its own.
fn context<'a>(item: &'a Value, message: &'a Value) -> impl Iterator<Item = &'a Value> {
    let parts = message.as_object().into_iter().flat_map(|parts| parts.values());
    let within = parts.filter_map(|part| json::value_at(part, &["contextInfo"]));
    within.chain(json::value_at(item, &["contextInfo"])).chain(json::value_at(item, &["message", "contextInfo"]))
}

pub(super) fn quoted(item: &Value, message: &Value) -> Option<Quoted> {
    let id = context(item, message).find_map(|context| json::text(context, &["stanzaId"]))?;
    Some(Quoted { message: Some(ProviderMessageId::new(id)), product: None })
}

pub(super) fn forwarded(item: &Value, message: &Value) -> Forwarded {
    let score = context(item, message).filter_map(|context| json::integer(context, &["forwardingScore"])).max();
    let said = context(item, message).any(|context| json::flag(context, &["isForwarded"]));
    match score {
        Some(score) if score >= OFTEN => Forwarded::Often,
        Some(score) if score > 0 => Forwarded::Once,
        Some(_) | None if said => Forwarded::Once,
        Some(_) | None => Forwarded::No,
    }
}
