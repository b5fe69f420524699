//! Reminders: how long before an appointment a business sends them without being asked.
//!
//! Sending is the work of the timers; [`ReminderLeads::plan`] only says which reminders a new start gets.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::span::plus_minutes;

/// The longest time before an appointment at which a reminder may leave, in minutes: a leap year.
pub const MAX_LEAD_MIN: u32 = 366 * 24 * 60;

/// The most automatic reminders of one appointment.
pub const MAX_LEADS: usize = 10;

/// Who wanted a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderOrigin {
    /// The business reminds of every appointment.
    Automatic,
    /// The contact asked for it.
    Asked,
}

impl ReminderOrigin {
    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Asked => "asked",
        }
    }
}

impl std::str::FromStr for ReminderOrigin {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        [Self::Automatic, Self::Asked].into_iter().find(|one| one.as_str() == word).ok_or(())
    }
}

/// A reminder that is to be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedReminder {
    /// How long before the start it leaves, in minutes.
    pub minutes_before: u32,
    /// When it leaves.
    pub remind_at: Timestamp,
}

/// Times before the start of an appointment, in minutes, from the longest to the shortest. Empty: no automatic reminders.
///
/// As a rule a day and an hour before. At most [`MAX_LEADS`], each from 1 to [`MAX_LEAD_MIN`] and each once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct ReminderLeads(Vec<u32>);

/// Why a list of times before an appointment is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReminderLeadsError {
    /// A time is zero or longer than a year.
    #[error("invalid minutes {minutes}; expected a number from 1 to {MAX_LEAD_MIN}")]
    OutOfRange {
        /// The time.
        minutes: u32,
    },
    /// A time is there twice.
    #[error("invalid minutes {minutes}; expected each number once")]
    Repeated {
        /// The time.
        minutes: u32,
    },
    /// There are too many times.
    #[error("invalid list of {count} reminders; expected at most {MAX_LEADS}")]
    TooMany {
        /// How many.
        count: usize,
    },
}

impl ReminderLeads {
    /// Creates the list from minutes in any order.
    ///
    /// # Errors
    /// [`ReminderLeadsError`] names the first mistake.
    pub fn new(mut minutes: Vec<u32>) -> Result<Self, ReminderLeadsError> {
        if minutes.len() > MAX_LEADS {
            return Err(ReminderLeadsError::TooMany { count: minutes.len() });
        }
        minutes.sort_unstable_by_key(|one| std::cmp::Reverse(*one));
        for (place, one) in minutes.iter().enumerate() {
            if !(1..=MAX_LEAD_MIN).contains(one) {
                return Err(ReminderLeadsError::OutOfRange { minutes: *one });
            }
            if minutes.get(place.saturating_add(1)) == Some(one) {
                return Err(ReminderLeadsError::Repeated { minutes: *one });
            }
        }
        Ok(Self(minutes))
    }

    /// The minutes, from the longest time to the shortest.
    #[must_use]
    pub fn minutes(&self) -> &[u32] {
        &self.0
    }

    /// Whether the list is the one of a business that says nothing about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The reminders of an appointment with this start, in order of time. One that is due at `now`, or was due before, is left out.
    #[must_use]
    pub fn plan(&self, start: Timestamp, now: Timestamp) -> Vec<PlannedReminder> {
        self.0.iter().filter_map(|minutes| plan_one(start, *minutes, now)).collect()
    }
}

/// The reminder `minutes_before` a start; `None` if it is due at `now`, or was due before.
#[must_use]
pub fn plan_one(start: Timestamp, minutes_before: u32, now: Timestamp) -> Option<PlannedReminder> {
    let remind_at = plus_minutes(start, -i64::from(minutes_before));
    (remind_at > now).then_some(PlannedReminder { minutes_before, remind_at })
}

impl Default for ReminderLeads {
    fn default() -> Self {
        Self(vec![24 * 60, 60])
    }
}

impl TryFrom<Vec<u32>> for ReminderLeads {
    type Error = ReminderLeadsError;

    fn try_from(minutes: Vec<u32>) -> Result<Self, ReminderLeadsError> {
        Self::new(minutes)
    }
}

impl From<ReminderLeads> for Vec<u32> {
    fn from(leads: ReminderLeads) -> Self {
        leads.0
    }
}

#[cfg(test)]
#[path = "reminder_tests.rs"]
mod tests;
