//! What a business may use: its tier, a trial, single features beside them. [`Entitlement::allows`] is the one place that
//! decides.
//!
//! Not to be confused with the plans that customers subscribe to ([`crate::subscription`]).

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;

/// What can be withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// The assistant of staff, with its fixed reports.
    Assistant,
    /// Questions to the assistant that no fixed report answers.
    FreeQuestions,
}

/// What a business pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tier {
    /// The front desk alone.
    Basic,
    /// Everything: what a business has of which nothing else is known, for a business that hosts the program itself.
    #[default]
    Complete,
}

/// What a business may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entitlement {
    /// What it pays for.
    pub tier: Tier,
    /// Until then (not included) it has everything.
    pub trial_ends_at: Option<Timestamp>,
    /// What it has beside its tier.
    pub extra: BTreeSet<Feature>,
}

/// What a business has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{feature} is not part of the plan `{tier}`")]
pub struct UpgradeRequired {
    /// What was asked for.
    pub feature: Feature,
    /// What the business pays for.
    pub tier: Tier,
    /// When its trial ended, if it had one.
    pub trial_ended_at: Option<Timestamp>,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Assistant, Self::FreeQuestions];

    /// Its name in databases and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::FreeQuestions => "free_questions",
        }
    }

    /// The feature of a name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }
}

impl Tier {
    /// All of them, the smallest first.
    pub const ALL: [Self; 2] = [Self::Basic, Self::Complete];

    /// Its name in databases and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Complete => "complete",
        }
    }

    /// The tier of a name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }

    const fn includes(self, feature: Feature) -> bool {
        match (self, feature) {
            (Self::Complete, Feature::Assistant | Feature::FreeQuestions) => true,
            (Self::Basic, Feature::Assistant | Feature::FreeQuestions) => false,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Entitlement {
    /// Whether a feature may be used now.
    ///
    /// # Errors
    /// [`UpgradeRequired`] with what would have to change.
    pub fn allows(&self, feature: Feature, now: Timestamp) -> Result<(), UpgradeRequired> {
        let on_trial = self.trial_ends_at.is_some_and(|end| now < end);
        if on_trial || self.tier.includes(feature) || self.extra.contains(&feature) {
            return Ok(());
        }
        Err(UpgradeRequired { feature, tier: self.tier, trial_ended_at: self.trial_ends_at })
    }
}

#[cfg(test)]
#[path = "entitlement_tests.rs"]
mod tests;
