//! What a turn runs under: fixed from its beginning to its end.

use std::sync::Arc;

use balcao_llm::TurnFacts;
use balcao_tool::Toolbox;

use crate::{history::History, profile::Profile, reply_checks::sanitise::Sanitiser};

/// The rules and data of one turn. A profile or pack that is reloaded meanwhile does not change it.
#[derive(Debug, Clone)]
pub struct TurnSetup {
    /// The profile.
    pub profile: Arc<Profile>,
    /// The tools on offer.
    pub toolbox: Arc<Toolbox>,
    /// The sanitiser of this profile and these tools.
    pub sanitiser: Arc<Sanitiser>,
    /// The system prompt.
    pub system: String,
    /// The system prompt without the summary, where that was written before the business changed: it proves no figure.
    pub proof: Option<String>,
    /// Earlier turns.
    pub history: History,
    /// The turn's facts as data.
    pub facts: TurnFacts,
    /// The contact, for the note to staff.
    pub contact: ContactCard,
    /// What we told the contact last without being asked, such as a free place: what they agree to may stand in it.
    pub notification: Option<String>,
    /// Whether the contact wrote the message hours before we sent our last one, so that it answers none of ours.
    pub is_overtaken: bool,
    /// When the team is back, in the customer's words, if the business is closed now.
    pub team_returns_at: Option<String>,
}

/// What staff are told of the contact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactCard {
    /// Name, if known.
    pub name: Option<String>,
    /// Phone, if known.
    pub phone: Option<String>,
}
