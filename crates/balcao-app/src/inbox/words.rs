//! What a turn reads of a message: the customer's words, and a description in brackets of what is no words.

use balcao_channel::inbound::{Content, Location, Media, MediaKind, Order};

/// Longest text of one message that a turn reads, in characters.
const MAX_CHARS: usize = 8_000;

/// The words of a message in the business's language. Never empty, so that nothing is answered by silence.
pub(super) fn of(content: &Content, locale: &str) -> String {
    let said = if locale.starts_with("en") { &ENGLISH } else { &PORTUGUESE };
    let text = in_full(content, said);
    let text: String = text.trim().chars().take(MAX_CHARS).collect();
    if text.is_empty() { format!("[{}]", said.unreadable) } else { text }
}

struct Words {
    image: &'static str,
    video: &'static str,
    audio: &'static str,
    document: &'static str,
    sticker: &'static str,
    location: &'static str,
    card: &'static str,
    order: &'static str,
    unreadable: &'static str,
}

const PORTUGUESE: Words = Words {
    image: "imagem, que não posso ver",
    video: "vídeo, que não posso ver",
    audio: "áudio, que não posso ouvir",
    document: "documento, que não posso abrir",
    sticker: "figurinha",
    location: "localização",
    card: "cartão de contato",
    order: "pedido do catálogo",
    unreadable: "mensagem que não posso ler",
};

const ENGLISH: Words = Words {
    image: "image that I cannot see",
    video: "video that I cannot see",
    audio: "audio that I cannot hear",
    document: "document that I cannot open",
    sticker: "sticker",
    location: "location",
    card: "contact card",
    order: "catalogue order",
    unreadable: "message that I cannot read",
};

fn in_full(content: &Content, said: &Words) -> String {
    match content {
        Content::Text { body } => body.clone(),
        Content::Media(media) => described(media, said),
        Content::Location(place) => located(place, said),
        Content::ContactCards { cards, .. } => {
            let cards = cards.iter().map(|card| {
                let phones = card.phones.iter().map(|phone| phone.written.as_str());
                card.name.as_deref().into_iter().chain(phones).collect::<Vec<_>>().join(" ")
            });
            bracket(said.card, &cards.collect::<Vec<_>>().join("; "))
        }
        Content::ButtonReply { title, .. } => title.clone(),
        Content::ListReply { title, description, .. } => match description {
            Some(more) => format!("{title} – {more}"),
            None => title.clone(),
        },
        Content::Order(order) => ordered(order, said),
        Content::Edit { content, .. } => in_full(content, said),
        Content::Unsupported { original, .. } => bracket(said.unreadable, original),
        Content::Reaction { .. } | Content::Delete { .. } | Content::System(_) => String::new(),
    }
}

fn described(media: &Media, said: &Words) -> String {
    let kind = match media.media {
        MediaKind::Image => said.image,
        MediaKind::Video => said.video,
        MediaKind::Audio => said.audio,
        MediaKind::Document => said.document,
        MediaKind::Sticker => said.sticker,
    };
    let file = bracket(kind, media.filename.as_deref().unwrap_or_default());
    match media.caption.as_deref().map(str::trim).filter(|caption| !caption.is_empty()) {
        Some(caption) => format!("{caption}\n{file}"),
        None => file,
    }
}

fn located(place: &Location, said: &Words) -> String {
    let named: Vec<&str> = [&place.name, &place.address].into_iter().flatten().map(String::as_str).collect();
    let where_ = if named.is_empty() { format!("{}, {}", place.latitude, place.longitude) } else { named.join(", ") };
    bracket(said.location, &where_)
}

fn ordered(order: &Order, said: &Words) -> String {
    let items = order.items.iter().map(|item| format!("{} × {}", item.quantity, item.product));
    let list = bracket(said.order, &items.collect::<Vec<_>>().join(", "));
    match &order.text {
        Some(text) => format!("{text}\n{list}"),
        None => list,
    }
}

fn bracket(kind: &str, more: &str) -> String {
    if more.is_empty() { format!("[{kind}]") } else { format!("[{kind}: {more}]") }
}
