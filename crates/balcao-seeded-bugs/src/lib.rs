//! Bugs that a build switches on to prove that the simulator finds them (G-03).
//!
//! A bug lies beside the code that it breaks, in a module `seeded_bugs` if it is more than a condition. The code calls it at one place.
//! Without the feature `seeded-bugs` nothing of this is in the program: [`is_on`] is `false` at compile time.

/// A seeded bug. The code that asks for it shows what it breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its name says, where the code asks for it")]
pub enum Bug {
    AcknowledgedBeforeCommit,
    DedupedByReading,
    EpochNotGuarded,
    ModelAskedAgain,
    OutcomeBeforeEffect,
    EffectOutsideOfItsRecord,
    NewKeyOnRetry,
    AbsentBeforeSettled,
    BlindRepeated,
    OutboxAfterClose,
    LeaseByHostClock,
    SlotNotGuarded,
    HoldExpiredInParts,
    ReminderNotLookedAtAgain,
    TimerMarkedApart,
    TakeoverNotChecked,
    UnknownCommitRetriedAnew,
    AttemptsCountedAtFailure,
    PlanNotCompared,
    MarkNotCompared,
    RenewalNotCompared,
    TermsNotKept,
    HitByItsStart,
    CarriedTagRemoved,
    PaymentStandsWhenTakenBack,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::AcknowledgedBeforeCommit,
        Self::DedupedByReading,
        Self::EpochNotGuarded,
        Self::ModelAskedAgain,
        Self::OutcomeBeforeEffect,
        Self::EffectOutsideOfItsRecord,
        Self::NewKeyOnRetry,
        Self::AbsentBeforeSettled,
        Self::BlindRepeated,
        Self::OutboxAfterClose,
        Self::LeaseByHostClock,
        Self::SlotNotGuarded,
        Self::HoldExpiredInParts,
        Self::ReminderNotLookedAtAgain,
        Self::TimerMarkedApart,
        Self::TakeoverNotChecked,
        Self::UnknownCommitRetriedAnew,
        Self::AttemptsCountedAtFailure,
        Self::PlanNotCompared,
        Self::MarkNotCompared,
        Self::RenewalNotCompared,
        Self::TermsNotKept,
        Self::HitByItsStart,
        Self::CarriedTagRemoved,
        Self::PaymentStandsWhenTakenBack,
    ];

    /// Within how many seeds it must be found.
    #[must_use]
    pub const fn max_seeds(self) -> u64 {
        match self {
            Self::AcknowledgedBeforeCommit
            | Self::NewKeyOnRetry
            | Self::BlindRepeated
            | Self::OutboxAfterClose
            | Self::PlanNotCompared
            | Self::MarkNotCompared
            | Self::RenewalNotCompared
            | Self::HitByItsStart
            | Self::PaymentStandsWhenTakenBack
            | Self::UnknownCommitRetriedAnew => 50,
            Self::ModelAskedAgain
            | Self::EffectOutsideOfItsRecord
            | Self::SlotNotGuarded
            | Self::TimerMarkedApart
            | Self::TakeoverNotChecked
            | Self::TermsNotKept
            | Self::CarriedTagRemoved
            | Self::AttemptsCountedAtFailure => 100,
            // A process drops its own turn when its lease runs out; only one whose clock jumped back meanwhile needs the guard.
            Self::EpochNotGuarded => 1_000,
            Self::OutcomeBeforeEffect | Self::AbsentBeforeSettled | Self::ReminderNotLookedAtAgain => 200,
            // Two processes must read before either of them writes.
            Self::DedupedByReading | Self::LeaseByHostClock | Self::HoldExpiredInParts => 300,
        }
    }
}

impl Bug {
    /// By which oracles it must be found: what else goes wrong beside it proves nothing about them.
    #[must_use]
    pub const fn oracles(self) -> &'static [&'static str] {
        match self {
            Self::AcknowledgedBeforeCommit | Self::OutboxAfterClose => &["O-1"],
            Self::DedupedByReading => &["O-1", "O-2"],
            Self::EpochNotGuarded => &["O-6", "O-3"],
            Self::ModelAskedAgain | Self::NewKeyOnRetry | Self::AbsentBeforeSettled | Self::BlindRepeated => &["O-3"],
            Self::OutcomeBeforeEffect | Self::EffectOutsideOfItsRecord => &["O-5"],
            Self::LeaseByHostClock => &["O-6"],
            Self::SlotNotGuarded | Self::HoldExpiredInParts => &["O-4"],
            Self::ReminderNotLookedAtAgain | Self::TimerMarkedApart => &["O-12"],
            Self::TakeoverNotChecked => &["O-13"],
            Self::UnknownCommitRetriedAnew => &["O-3", "O-4"],
            Self::AttemptsCountedAtFailure => &["O-8"],
            Self::PlanNotCompared => &["O-18"],
            Self::MarkNotCompared => &["O-16"],
            Self::RenewalNotCompared | Self::PaymentStandsWhenTakenBack => &["O-17"],
            Self::TermsNotKept => &["O-19"],
            Self::CarriedTagRemoved => &["O-20"],
            Self::HitByItsStart => &["O-21"],
        }
    }
}

/// Whether this build can switch bugs on.
pub const AVAILABLE: bool = cfg!(feature = "seeded-bugs");

#[cfg(feature = "seeded-bugs")]
mod switch {
    use std::sync::Mutex;

    use super::Bug;

    static ACTIVE: Mutex<Option<Bug>> = Mutex::new(None);

    /// Switches one bug on and every other off; `None` switches all off.
    pub fn switch(bug: Option<Bug>) {
        *ACTIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = bug;
    }

    /// Whether this bug is switched on.
    #[must_use]
    pub fn is_on(bug: Bug) -> bool {
        *ACTIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner) == Some(bug)
    }
}

#[cfg(not(feature = "seeded-bugs"))]
mod switch {
    use super::Bug;

    /// Does nothing, because this build has no bugs to switch on.
    pub const fn switch(_bug: Option<Bug>) {}

    /// Returns `false`, because this build has no bugs to switch on.
    #[must_use]
    pub const fn is_on(_bug: Bug) -> bool {
        false
    }
}

pub use switch::{is_on, switch};
