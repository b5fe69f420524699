//! What comes in, normalised: the same data for every channel, ready to be stored.
//!
//! Texts, names and file names are the customer's own words: untrusted. Unknown things are kept, never an error, because
//! a provider repeats for days what is refused.

use balcao_domain::Phone;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AccountId, Number, ProviderMessageId, UserId};

mod content;
mod status;

pub use content::{
    CardPhone, ContactCard, Content, Location, Media, MediaKind, Order, OrderItem, SystemChange, SystemNotice,
};
pub use status::{DeliveryFailure, DeliveryState, Pricing, StatusUpdate};

/// One event of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum InboundEvent {
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

impl InboundEvent {
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
    /// The writer. [`Content::System`] may have none.
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

#[cfg(test)]
#[path = "inbound_tests.rs"]
mod tests;
