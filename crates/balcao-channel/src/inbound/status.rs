//! What becomes of a message that we sent.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Origin, Person};
use crate::{error::SendClass, id::ProviderMessageId};

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
    /// The recipient.
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

    /// The state of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        const ALL: [DeliveryState; 5] = [
            DeliveryState::Sent,
            DeliveryState::Delivered,
            DeliveryState::Read,
            DeliveryState::Played,
            DeliveryState::Failed,
        ];
        ALL.into_iter().find(|state| state.as_str() == word)
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
