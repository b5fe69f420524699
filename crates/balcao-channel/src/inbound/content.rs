//! What a message holds.

use serde::{Deserialize, Serialize};

use crate::id::{Number, ProviderMediaId, ProviderMessageId, UserId};

/// What a message holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Words.
    Text {
        /// The words.
        body: String,
    },
    /// A file.
    Media(Media),
    /// A place.
    Location(Location),
    /// Cards of an address book.
    ContactCards {
        /// The cards.
        cards: Vec<ContactCard>,
        /// True if the customer tapped "share my number": then the card is their own, and checked by the provider.
        own_number: bool,
    },
    /// A button below our message was tapped.
    ButtonReply {
        /// The id that we gave the button.
        id: String,
        /// The words on it.
        title: String,
    },
    /// A row of our list was chosen.
    ListReply {
        /// The id that we gave the row.
        id: String,
        /// Its words.
        title: String,
        /// Its second line.
        description: Option<String>,
    },
    /// A reaction to another message. Starts no turn.
    Reaction {
        /// The other message.
        message: ProviderMessageId,
        /// The sign; `None` takes it back.
        emoji: Option<String>,
    },
    /// An earlier message of theirs reads otherwise now.
    Edit {
        /// The earlier message.
        message: ProviderMessageId,
        /// What it holds now.
        content: Box<Content>,
    },
    /// An earlier message of theirs was taken back: forget its words.
    Delete {
        /// The earlier message.
        message: ProviderMessageId,
    },
    /// An order from a catalogue.
    Order(Order),
    /// The provider tells something about the customer; they wrote nothing.
    System(SystemNotice),
    /// Something that cannot be read here.
    Unsupported {
        /// What the provider calls it, as far as known: `poll`, `unknown`, …
        original: String,
        /// The provider's error number.
        code: Option<i64>,
        /// The provider's words, for staff.
        detail: Option<String>,
    },
}

impl Content {
    /// True if the customer did something that deserves an answer; false for what only changes an earlier message or
    /// what the provider tells by itself. What is unsupported deserves a polite one, by a person or from a template, and
    /// not each time: it is also what comes when two programs write to each other.
    #[must_use]
    pub const fn wakes(&self) -> bool {
        match self {
            Self::Text { .. }
            | Self::Media(_)
            | Self::Location(_)
            | Self::ContactCards { .. }
            | Self::ButtonReply { .. }
            | Self::ListReply { .. }
            | Self::Order(_)
            | Self::Unsupported { .. } => true,
            Self::Reaction { .. } | Self::Edit { .. } | Self::Delete { .. } | Self::System(_) => false,
        }
    }
}

/// What kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// A still picture.
    Image,
    /// A film.
    Video,
    /// Sound.
    Audio,
    /// Any other file.
    Document,
    /// A small picture without words.
    Sticker,
}

impl MediaKind {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Document => "document",
            Self::Sticker => "sticker",
        }
    }
}

/// A file of a customer. It is not here yet: fetch it soon, the provider keeps it for days only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// What kind of file. Named so that it does not meet the tag of [`Content`].
    pub media: MediaKind,
    /// The file at the provider.
    pub id: ProviderMediaId,
    /// Its type, as the provider says.
    pub mime: Option<String>,
    /// SHA-256 of its bytes in base64, as the provider says.
    pub sha256: Option<String>,
    /// The customer's words to it.
    pub caption: Option<String>,
    /// Its name at the customer's.
    pub filename: Option<String>,
    /// True for a voice note, recorded in the conversation.
    pub voice: bool,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// What is there.
    pub name: Option<String>,
    /// Its address.
    pub address: Option<String>,
    /// Its page.
    pub url: Option<String>,
}

/// A card of an address book.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactCard {
    /// The name on it.
    pub name: Option<String>,
    /// The numbers on it.
    pub phones: Vec<CardPhone>,
    /// The e-mail addresses on it.
    pub emails: Vec<String>,
}

/// A number on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPhone {
    /// As it is written.
    pub written: String,
    /// As the channel knows it, if it does.
    pub number: Option<Number>,
}

/// An order from a catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The catalogue.
    pub catalog: Option<String>,
    /// The customer's words to it.
    pub text: Option<String>,
    /// What was ordered.
    pub items: Vec<OrderItem>,
}

/// One line of an order. Prices are what the catalogue showed: look the real one up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderItem {
    /// The shop's own number of the article.
    pub product: String,
    /// How many.
    pub quantity: u64,
    /// Price of one, in the currency's unit.
    pub price: Option<f64>,
    /// The currency, such as `BRL`.
    pub currency: Option<String>,
}

/// What the provider tells about a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemNotice {
    /// What happened.
    pub change: SystemChange,
    /// The provider's words.
    pub body: Option<String>,
    /// The customer's number from now on. The message's sender is the old one.
    pub number: Option<Number>,
    /// The customer's user id from now on.
    pub user: Option<UserId>,
}

/// What happened to a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemChange {
    /// They moved to another number: the contact stays, its keys change.
    Number,
    /// Their user id changed: the contact stays, its keys change.
    User,
    /// They installed the app again; perhaps another person holds the number now.
    Identity,
    /// Something else, in the provider's word.
    Other(String),
}
