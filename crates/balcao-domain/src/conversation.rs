//! The lasting thread with a contact, and who speaks in it.

use serde::{Deserialize, Serialize};

/// Who has the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationState {
    /// The agent answers.
    Ai,
    /// Handed over; no staff member has taken it yet. The agent is silent.
    WaitingHuman,
    /// A person of staff has it. The agent is silent.
    Human,
    /// Over; a later message reopens it with a fresh context.
    Closed,
}

impl ConversationState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Ai, Self::WaitingHuman, Self::Human, Self::Closed];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ai => "ai",
            Self::WaitingHuman => "waiting_human",
            Self::Human => "human",
            Self::Closed => "closed",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether the agent may speak.
    #[must_use]
    pub const fn agent_speaks(self) -> bool {
        matches!(self, Self::Ai)
    }

    /// Whether a person has it, or is waited for: no proactive message leaves meanwhile.
    #[must_use]
    pub const fn is_with_staff(self) -> bool {
        matches!(self, Self::WaitingHuman | Self::Human)
    }

    /// The state after `event`, or `None` where the event changes nothing or has no meaning.
    #[must_use]
    pub const fn after(self, event: ConversationEvent) -> Option<Self> {
        use ConversationEvent::{Close, ContactWrites, GiveBack, HandOff, StaffSpeaks};
        match (self, event) {
            (Self::Ai, HandOff) => Some(Self::WaitingHuman),
            // A person's reply takes the conversation over at once, whatever its state.
            (Self::Ai | Self::WaitingHuman | Self::Closed, StaffSpeaks) => Some(Self::Human),
            (Self::WaitingHuman | Self::Human, GiveBack) | (Self::Closed, ContactWrites) => Some(Self::Ai),
            (Self::Ai | Self::WaitingHuman | Self::Human, Close) => Some(Self::Closed),
            (
                Self::Ai | Self::WaitingHuman | Self::Human | Self::Closed,
                HandOff | StaffSpeaks | GiveBack | Close | ContactWrites,
            ) => None,
        }
    }
}

/// What can change who has a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversationEvent {
    /// The turn ended in a handoff, or staff asked for one.
    HandOff,
    /// Staff took the conversation or wrote in it.
    StaffSpeaks,
    /// Staff gave it back to the agent.
    GiveBack,
    /// It was ended.
    Close,
    /// The contact wrote.
    ContactWrites,
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
