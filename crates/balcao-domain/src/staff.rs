//! What people of staff are, as far as it decides what they may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The role of a staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whose business it is.
    Owner,
    /// Runs it.
    Manager,
    /// Answers customers.
    Attendant,
    /// Is booked, and sees their own appointments.
    Professional,
    /// Looks on.
    Viewer,
}

impl Role {
    /// Every role, the most powerful first.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Manager, Self::Attendant, Self::Professional, Self::Viewer];

    /// Whether a person of this role may change the business: its prices, hours, staff and all else of its file.
    #[must_use]
    pub const fn changes_business(self) -> bool {
        matches!(self, Self::Owner | Self::Manager)
    }

    /// The word it is stored and written as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Manager => "manager",
            Self::Attendant => "attendant",
            Self::Professional => "professional",
            Self::Viewer => "viewer",
        }
    }

    /// Whether they answer customers, and get alerts of what waits for an answer.
    #[must_use]
    pub const fn answers_customers(self) -> bool {
        match self {
            Self::Owner | Self::Manager | Self::Attendant => true,
            Self::Professional | Self::Viewer => false,
        }
    }

    /// Whether they may start, pay and end subscriptions: those who answer customers may.
    #[must_use]
    pub const fn changes_subscriptions(self) -> bool {
        self.answers_customers()
    }

    /// Whose visits they may mark: a professional only their own, and one who looks on none.
    #[must_use]
    pub const fn marks_visits_of(self) -> VisitsMarked {
        match self {
            Self::Owner | Self::Manager | Self::Attendant => VisitsMarked::All,
            Self::Professional => VisitsMarked::Own,
            Self::Viewer => VisitsMarked::None,
        }
    }

    /// Whether they see all prices and the revenue. A professional sees those of their own appointments.
    #[must_use]
    pub const fn sees_all_money(self) -> bool {
        match self {
            Self::Owner | Self::Manager => true,
            Self::Attendant | Self::Professional | Self::Viewer => false,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whose visits a staff member may mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitsMarked {
    /// Those of every professional.
    All,
    /// Those that they are booked for themselves.
    Own,
    /// No visit.
    None,
}

/// A word that is not a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid staff role `{word}`; expected owner, manager, attendant, professional or viewer")]
pub struct UnknownRole {
    /// As given.
    pub word: String,
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == word).ok_or_else(|| UnknownRole { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn a_role_is_read_as_it_is_written_and_nothing_else_is_one() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        for word in ["", "Owner", "boss", "owner "] {
            assert!(word.parse::<Role>().is_err(), "{word:?}");
        }
    }
}
