//! What comes in, normalised: the same data for every channel, ready to be stored.
//!
//! Texts, names and file names are the customer's own words: untrusted. Unknown things are kept, never an error, because
//! a provider repeats for days what is refused.

use balcao_domain::Phone;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::SendClass,
    id::{AccountId, Number, ProviderMediaId, ProviderMessageId, UserId},
};

/// One event of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Inbound {
    /// A customer wrote.
    Message(Box<InboundMessage>),
    /// News of a message that we sent.
    Status(Box<StatusUpdate>),
    /// Staff wrote to a customer from the shop's own phone: record it as theirs, and pause the AI.
    Echo(Box<Echo>),
    /// A customer allowed or refused a kind of message.
    Preference(Box<Preference>),
    /// A customer is known by another id from now on.
    Renamed(Box<Renamed>),
    /// Anything else: keep it, answer nothing.
    Unknown(Box<UnknownEvent>),
}

impl Inbound {
    /// Where it came in.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        match self {
            Self::Message(message) => &message.origin,
            Self::Status(status) => &status.origin,
            Self::Echo(echo) => &echo.origin,
            Self::Preference(preference) => &preference.origin,
            Self::Renamed(renamed) => &renamed.origin,
            Self::Unknown(unknown) => &unknown.origin,
        }
    }

    /// What makes two deliveries one event, unique within the account: providers deliver at least once, in any order.
    #[must_use]
    pub fn dedupe_key(&self) -> String {
        match self {
            Self::Message(message) => format!("message:{}", message.id),
            Self::Status(status) => match &status.participant {
                Some(participant) => format!("status:{}:{}:{participant}", status.message, status.state.as_str()),
                None => format!("status:{}:{}", status.message, status.state.as_str()),
            },
            Self::Echo(echo) => format!("echo:{}", echo.id),
            Self::Preference(preference) => format!("preference:{}", preference.digest),
            Self::Renamed(renamed) => format!("renamed:{}", renamed.digest),
            Self::Unknown(unknown) => format!("unknown:{}", unknown.digest),
        }
    }
}

/// Where something came in. It decides the tenant; nothing that a customer writes does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The account, as [`crate::Channel::account`] names it. `None` for events of the whole business.
    pub account: Option<AccountId>,
    /// The business at the provider that the account belongs to: on WhatsApp the id of the business account. Check it
    /// against the account's.
    pub business: String,
}

/// A customer's message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboundMessage {
    /// Where it came in.
    pub origin: Origin,
    /// The provider's id of it.
    pub id: ProviderMessageId,
    /// Who wrote. For [`Content::System`] perhaps nobody.
    pub sender: Person,
    /// When it was written, by the provider's clock; `None` if that cannot be read.
    pub at: Option<Timestamp>,
    /// What was written.
    pub content: Content,
    /// What it answers.
    pub quoted: Option<Quoted>,
    /// The advertisement that led here.
    pub referral: Option<Referral>,
    /// Whether it was forwarded.
    pub forwarded: Forwarded,
    /// The group it was written in; `None` in a conversation of two.
    pub group: Option<String>,
}

/// A person as a channel knows them. Every part may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The provider's id of them: the first key where there is one.
    pub user: Option<UserId>,
    /// Their id over several linked businesses.
    pub parent_user: Option<UserId>,
    /// Their number as the channel writes it.
    pub number: Option<Number>,
    /// The number that this means, if one can be read: with the ninth digit in Brazil.
    pub phone: Option<Phone>,
    /// The name they chose.
    pub name: Option<String>,
    /// The public name they chose, without the at sign.
    pub username: Option<String>,
}

impl Person {
    /// True if nothing says who they are.
    #[must_use]
    pub const fn is_nobody(&self) -> bool {
        self.user.is_none() && self.number.is_none()
    }

    /// Where to answer: to the number if it is known, else to the user id.
    #[must_use]
    pub fn recipient(&self) -> Option<crate::Recipient> {
        let number = self.number.clone().map(crate::Recipient::Number);
        number.or_else(|| self.user.clone().map(crate::Recipient::User))
    }
}

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
    /// A sign put on another message. Wakes nobody.
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
    /// They installed the app anew; perhaps someone else holds the number now.
    Identity,
    /// Something else, in the provider's word.
    Other(String),
}

/// What a message answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quoted {
    /// The answered message.
    pub message: Option<ProviderMessageId>,
    /// The article that they wrote about: catalogue and article.
    pub product: Option<(String, String)>,
}

/// The advertisement or post that led to a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referral {
    /// `ad` or `post`, in the provider's word.
    pub source_type: Option<String>,
    /// Its id.
    pub source_id: Option<String>,
    /// Its address.
    pub source_url: Option<String>,
    /// Its headline.
    pub headline: Option<String>,
    /// Its words.
    pub body: Option<String>,
    /// The id of the click, for measuring.
    pub click_id: Option<String>,
}

/// Whether a message was forwarded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forwarded {
    /// It was not.
    #[default]
    No,
    /// It was.
    Once,
    /// It was, many times: a chain letter.
    Often,
}

/// What staff wrote to a customer from the shop's own phone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Echo {
    /// Where it was written.
    pub origin: Origin,
    /// The provider's id of it.
    pub id: ProviderMessageId,
    /// The customer that it was written to.
    pub to: Person,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// What was written.
    pub content: Content,
    /// What it answers.
    pub quoted: Option<Quoted>,
}

/// News of a message that we sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusUpdate {
    /// Where it was sent from.
    pub origin: Origin,
    /// The message.
    pub message: ProviderMessageId,
    /// How far it came.
    pub state: DeliveryState,
    /// When.
    pub at: Option<Timestamp>,
    /// To whom it was sent.
    pub recipient: Person,
    /// The member of a group that this is about.
    pub participant: Option<String>,
    /// Our own name of the message, if we gave one: it settles attempts of unknown outcome.
    pub correlation: Option<String>,
    /// Why it failed.
    pub failure: Option<DeliveryFailure>,
    /// What it costs.
    pub pricing: Option<Pricing>,
}

/// How far a message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The provider took it.
    Sent,
    /// It is on the customer's phone.
    Delivered,
    /// The customer saw it.
    Read,
    /// The customer heard it (voice notes).
    Played,
    /// It will not come.
    Failed,
}

impl DeliveryState {
    /// The name that it is stored and sent under.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Played => "played",
            Self::Failed => "failed",
        }
    }

    /// What is known once `news` came, in whatever order: the farther of the two. A failure beats `sent`, but not what
    /// proves that the message came.
    #[must_use]
    pub fn merge(self, news: Self) -> Self {
        if news.rank() > self.rank() { news } else { self }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Sent => 0,
            Self::Failed => 1,
            Self::Delivered => 2,
            Self::Read => 3,
            Self::Played => 4,
        }
    }
}

/// Why a message failed after it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryFailure {
    /// What may be done, by the same table as for an error of sending.
    pub class: SendClass,
    /// The provider's number of the error.
    pub code: Option<i64>,
    /// The provider's words, for staff.
    pub detail: Option<String>,
}

/// What a message costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pricing {
    /// Whether it is on the bill.
    pub billable: bool,
    /// The category, in the provider's word: `service`, `utility`, …
    pub category: Option<String>,
    /// `regular`, `free_customer_service` or `free_entry_point`.
    pub price_type: Option<String>,
}

/// A customer allowed or refused a kind of message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// Where it came in.
    pub origin: Origin,
    /// Who.
    pub person: Person,
    /// The kind of message, in the provider's word: `marketing_messages`.
    pub category: String,
    /// True if they want it (again).
    pub wanted: bool,
    /// When they said so.
    pub at: Option<Timestamp>,
    /// SHA-256 of what came, in hex.
    pub digest: String,
}

/// A customer is known by another id from now on: the contact stays, its key changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renamed {
    /// Where it came in.
    pub origin: Origin,
    /// The id until now.
    pub previous: UserId,
    /// Who they are now.
    pub current: Person,
    /// SHA-256 of what came, in hex.
    pub digest: String,
}

/// Something that is kept and not acted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnknownEvent {
    /// Where it came in.
    pub origin: Origin,
    /// What the provider calls it: `message_template_status_update`, …
    pub field: String,
    /// Why nothing is done with it.
    pub reason: String,
    /// What came.
    pub raw: Value,
    /// SHA-256 of what came, in hex.
    pub digest: String,
}
