//! The text of a message as a turn reads it: the customer's words, and a description in brackets of other content.

use balcao_agent::prompt;
use balcao_channel::inbound::{Content, Location, Media, MediaKind, Order};
use balcao_tool::Locale;

/// Longest text of one message that a turn reads, in characters.
const MAX_CHARS: usize = 8_000;

/// The words of a message in the business's language. Never empty, so that nothing is answered by silence.
pub(super) fn compose(content: &Content, locale: &str) -> String {
    let said = words(locale);
    let text = in_full(content, said);
    let text: String = text.trim().chars().take(MAX_CHARS).collect();
    if text.is_empty() { format!("[{}]", said.unreadable) } else { text }
}

/// The same of a message that was forwarded.
pub(super) fn forwarded(text: &str, locale: &str) -> String {
    prompt::forwarded(text, language(locale))
}

/// The same of a message that answers another one than our last; `answered` is empty if that is none of ours.
pub(super) fn answering(answered: &str, text: &str, locale: &str) -> String {
    format!("{}\n{text}", prompt::answered(answered, language(locale)))
}

/// A message's new words: those of one that was forwarded stay marked as such, and those of one that answers another stay behind the
/// line that names it.
pub(crate) fn reworded(earlier: &str, text: String, locale: &str) -> String {
    if prompt::is_forwarded(earlier) {
        return forwarded(&text, locale);
    }
    match prompt::answered_line(earlier) {
        Some(line) => format!("{line}\n{text}"),
        None => text,
    }
}

/// What a turn reads of a sound that was written down: the words, and that they were spoken, because a machine may have
/// misheard them.
pub(crate) fn transcribed(media: &Media, spoken: &str, locale: &str) -> String {
    let said = words(locale);
    let spoken: String = spoken.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_CHARS).collect();
    match caption(media) {
        Some(caption) => format!("{caption}\n{spoken}\n[{}]", said.transcribed),
        None => format!("{spoken}\n[{}]", said.transcribed),
    }
}

/// What a turn reads of a file that could not be read: the agent asks for it again, or for words, or hands over.
pub(crate) fn unreadable(media: &Media, locale: &str) -> String {
    let said = words(locale);
    let kind = match media.media {
        MediaKind::Image => said.no_image,
        MediaKind::Video => said.no_video,
        MediaKind::Audio => said.no_audio,
        MediaKind::Document => said.no_document,
        MediaKind::Sticker => return in_full(&Content::Media(media.clone()), said),
    };
    match caption(media) {
        Some(caption) => format!("{caption}\n[{kind}]"),
        None => format!("[{kind}]"),
    }
}

/// What stands in the thread for a file that staff sent, below their words to it.
pub(crate) fn sent(media: &Media, text: &str, locale: &str) -> String {
    let said = words(locale);
    let kind = match media.media {
        MediaKind::Image => said.sent_image,
        MediaKind::Video => said.sent_video,
        MediaKind::Audio => said.sent_audio,
        MediaKind::Document => said.sent_document,
        MediaKind::Sticker => said.sticker,
    };
    let file = bracket(kind, media.filename.as_deref().unwrap_or_default());
    if text.is_empty() { file } else { format!("{text}\n{file}") }
}

/// What a turn reads when an option was chosen that does not count any more, or never did.
pub(crate) fn lapsed(meant: Option<&str>, locale: &str) -> String {
    bracket(words(locale).lapsed, meant.unwrap_or_default())
}

/// What stands in the place of a message that its customer took back, for staff and for later turns.
pub(crate) fn retracted(locale: &str) -> String {
    format!("[{}]", words(locale).retracted)
}

fn words(locale: &str) -> &'static Words {
    match language(locale) {
        Locale::En => &ENGLISH,
        Locale::PtBr => &PORTUGUESE,
    }
}

fn language(locale: &str) -> Locale {
    if locale.starts_with("en") { Locale::En } else { Locale::PtBr }
}

fn caption(media: &Media) -> Option<&str> {
    media.caption.as_deref().map(str::trim).filter(|caption| !caption.is_empty())
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
    transcribed: &'static str,
    lapsed: &'static str,
    no_image: &'static str,
    no_video: &'static str,
    no_audio: &'static str,
    no_document: &'static str,
    sent_image: &'static str,
    sent_video: &'static str,
    sent_audio: &'static str,
    sent_document: &'static str,
    retracted: &'static str,
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
    transcribed: "transcrição de áudio",
    lapsed: "o cliente tocou numa opção que não vale mais",
    no_image: "o cliente enviou uma imagem que não pôde ser lida",
    no_video: "o cliente enviou um vídeo que não pôde ser lido",
    no_audio: "o cliente enviou um áudio que não pôde ser ouvido",
    no_document: "o cliente enviou um documento que não pôde ser lido",
    sent_image: "imagem",
    sent_video: "vídeo",
    sent_audio: "áudio",
    sent_document: "documento",
    retracted: "mensagem apagada pelo cliente",
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
    transcribed: "transcribed from audio",
    lapsed: "the customer tapped an option that does not count any more",
    no_image: "the customer sent an image that could not be read",
    no_video: "the customer sent a video that could not be read",
    no_audio: "the customer sent an audio that could not be heard",
    no_document: "the customer sent a document that could not be read",
    sent_image: "image",
    sent_video: "video",
    sent_audio: "audio",
    sent_document: "document",
    retracted: "message deleted by the customer",
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
    // What a picture, a film or a sound is called its sender did not say.
    let name = media.filename.as_deref().filter(|_| media.media == MediaKind::Document);
    let file = bracket(kind, name.unwrap_or_default());
    match caption(media) {
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

#[cfg(test)]
#[path = "message_text_tests.rs"]
mod tests;
