//! What a message holds, by its `type`. Nothing here fails: what is not understood is [`Content::Unsupported`].

use serde_json::Value;

use super::{json, limits::MAX_DEPTH};
use crate::{
    id::{Number, ProviderMediaId, ProviderMessageId, UserId},
    inbound::{
        CardPhone, ContactCard, Content, Forwarded, Location, Media, MediaKind, Order, OrderItem, Quoted, Referral,
        SystemChange, SystemNotice,
    },
};

/// Edits of edits do not exist; a few are read, so that no depth of them costs a stack.
const MAX_EDITS: usize = 2;

pub(super) fn content(message: &Value) -> Content {
    content_within(message, MAX_EDITS)
}

fn content_within(message: &Value, edits: usize) -> Content {
    let kind = json::text(message, &["type"]).unwrap_or("missing");
    let understood = match kind {
        "text" => text(message),
        "image" => media(message, kind, MediaKind::Image),
        "video" => media(message, kind, MediaKind::Video),
        "audio" | "voice" => media(message, kind, MediaKind::Audio),
        "document" => media(message, kind, MediaKind::Document),
        "sticker" => media(message, kind, MediaKind::Sticker),
        "location" => location(message),
        "contacts" => Some(contact_cards(message)),
        "button" => template_button(message),
        "interactive" => interactive(message),
        "reaction" => reaction(message),
        "edit" => edits.checked_sub(1).and_then(|left| edit(message, left)),
        "revoke" => {
            named_message(message, &["revoke", "original_message_id"]).map(|message| Content::Delete { message })
        }
        "order" => Some(order(message)),
        "system" => Some(system(message)),
        _ => None,
    };
    understood.unwrap_or_else(|| unsupported(message, kind))
}

fn named_message(message: &Value, path: &[&str]) -> Option<ProviderMessageId> {
    json::text(message, path).map(ProviderMessageId::new)
}

fn text(message: &Value) -> Option<Content> {
    Some(Content::Text { body: json::owned(message, &["text", "body"])? })
}

fn media(message: &Value, key: &str, kind: MediaKind) -> Option<Content> {
    let file = json::value_at(message, &[key])?;
    Some(Content::Media(Media {
        media: kind,
        id: ProviderMediaId::new(json::text(file, &["id"])?),
        mime: json::owned(file, &["mime_type"]),
        sha256: json::owned(file, &["sha256"]),
        caption: json::owned(file, &["caption"]),
        filename: json::owned(file, &["filename"]),
        voice: json::flag(file, &["voice"]),
    }))
}

fn location(message: &Value) -> Option<Content> {
    let place = json::value_at(message, &["location"])?;
    Some(Content::Location(Location {
        latitude: json::decimal(place, &["latitude"])?,
        longitude: json::decimal(place, &["longitude"])?,
        name: json::owned(place, &["name"]),
        address: json::owned(place, &["address"]),
        url: json::owned(place, &["url"]),
    }))
}

fn contact_cards(message: &Value) -> Content {
    let phone = |phone: &Value| {
        let number = json::text(phone, &["wa_id"]).map(Number::new);
        let written = json::owned(phone, &["phone"]).or_else(|| number.as_ref().map(ToString::to_string))?;
        Some(CardPhone { written, number })
    };
    let card = |card: &Value| ContactCard {
        name: json::owned(card, &["name", "formatted_name"]).or_else(|| json::owned(card, &["name", "first_name"])),
        phones: json::items(card, &["phones"]).iter().filter_map(phone).collect(),
        emails: json::items(card, &["emails"]).iter().filter_map(|email| json::owned(email, &["email"])).collect(),
    };
    let cards = json::items(message, &["contacts"]);
    // Meta puts the origin beside the cards, and in some payloads into them.
    let origin = json::text(message, &["origin"])
        .or_else(|| cards.iter().find_map(|card| json::text(card, &["origin"])))
        .unwrap_or_default();
    Content::ContactCards { cards: cards.iter().map(card).collect(), own_number: origin == "contact_request" }
}

fn template_button(message: &Value) -> Option<Content> {
    let title = json::owned(message, &["button", "text"]);
    let id = json::owned(message, &["button", "payload"]).or_else(|| title.clone())?;
    Some(Content::ButtonReply { title: title.unwrap_or_else(|| id.clone()), id })
}

/// An answer by a button, a row or a form. Without the name of what was chosen the words on it count, and the other way round.
fn interactive(message: &Value) -> Option<Content> {
    let kind = json::text(message, &["interactive", "type"])?;
    let reply = json::value_at(message, &["interactive", kind])?;
    let part = |key: &str| json::owned(reply, &[key]);
    let (id, title, description) = (part("id"), part("title"), part("description"));
    let words = title.clone().or_else(|| description.clone()).or_else(|| id.clone());
    match kind {
        "button_reply" => Some(Content::ButtonReply { id: id.or_else(|| words.clone())?, title: words? }),
        "list_reply" => Some(Content::ListReply {
            id: id.or_else(|| words.clone())?,
            description: description.filter(|_| title.is_some()),
            title: words?,
        }),
        "nfm_reply" => Some(Content::Text { body: filled_in(reply).or_else(|| part("body"))? }),
        _ => None,
    }
}

/// What the customer filled into a form, a line for each field. The form's own token is left out.
fn filled_in(reply: &Value) -> Option<String> {
    let fields = balcao_json::read_delivered(json::text(reply, &["response_json"])?.as_bytes(), MAX_DEPTH).ok()?;
    let line = |(name, value): (&String, &Value)| {
        let written = written(value);
        (name != "flow_token" && !written.is_empty()).then(|| format!("{name}: {written}"))
    };
    let lines: Vec<String> = fields.as_object()?.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A field's value: several choices stand one after another.
fn written(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(several) => several.iter().map(written).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

fn reaction(message: &Value) -> Option<Content> {
    let target = named_message(message, &["reaction", "message_id"])?;
    Some(Content::Reaction { message: target, emoji: json::owned(message, &["reaction", "emoji"]) })
}

fn edit(message: &Value, edits: usize) -> Option<Content> {
    let target = named_message(message, &["edit", "original_message_id"])?;
    let content = content_within(json::value_at(message, &["edit", "message"])?, edits);
    Some(Content::Edit { message: target, content: Box::new(content) })
}

fn order(message: &Value) -> Content {
    let item = |item: &Value| {
        Some(OrderItem {
            product: json::owned(item, &["product_retailer_id"])?,
            quantity: json::integer(item, &["quantity"]).and_then(|count| u64::try_from(count).ok()).unwrap_or(1),
            price: json::decimal(item, &["item_price"]),
            currency: json::owned(item, &["currency"]),
        })
    };
    Content::Order(Order {
        catalog: json::owned(message, &["order", "catalog_id"]),
        text: json::owned(message, &["order", "text"]),
        items: json::items(message, &["order", "product_items"]).iter().filter_map(item).collect(),
    })
}

fn system(message: &Value) -> Content {
    let change = match json::text(message, &["system", "type"]).unwrap_or("missing") {
        "user_changed_number" | "customer_changed_number" => SystemChange::Number,
        "user_changed_user_id" => SystemChange::User,
        "customer_identity_changed" | "user_identity_changed" => SystemChange::Identity,
        other => SystemChange::Other(other.to_owned()),
    };
    let number = json::text(message, &["system", "wa_id"]).or_else(|| json::text(message, &["system", "new_wa_id"]));
    Content::System(SystemNotice {
        change,
        body: json::owned(message, &["system", "body"]),
        number: number.map(Number::new),
        user: json::text(message, &["system", "user_id"]).map(UserId::new),
    })
}

/// A message that says itself that it cannot be shown, or one that this does not know.
fn unsupported(message: &Value, kind: &str) -> Content {
    let error = json::items(message, &["errors"]).first();
    let inner = json::text(message, &["unsupported", "type"]).or_else(|| json::text(message, &["interactive", "type"]));
    Content::Unsupported {
        original: match inner {
            Some(inner) => format!("{kind}:{inner}"),
            None => kind.to_owned(),
        },
        code: error.and_then(|error| json::integer(error, &["code"])),
        detail: error.and_then(super::errors::detail),
    }
}

pub(super) fn quoted(message: &Value) -> Option<Quoted> {
    let answered = named_message(message, &["context", "id"]);
    let article = |key| json::owned(message, &["context", "referred_product", key]);
    let product = article("catalog_id").zip(article("product_retailer_id"));
    (answered.is_some() || product.is_some()).then_some(Quoted { message: answered, product })
}

pub(super) fn forwarded(message: &Value) -> Forwarded {
    if json::flag(message, &["context", "frequently_forwarded"]) {
        Forwarded::Often
    } else if json::flag(message, &["context", "forwarded"]) {
        Forwarded::Once
    } else {
        Forwarded::No
    }
}

pub(super) fn referral(message: &Value) -> Option<Referral> {
    let source = json::value_at(message, &["referral"])?;
    let part = |key| json::owned(source, &[key]);
    Some(Referral {
        source_type: part("source_type"),
        source_id: part("source_id"),
        source_url: part("source_url"),
        headline: part("headline"),
        body: part("body"),
        click_id: part("ctwa_clid"),
    })
}
