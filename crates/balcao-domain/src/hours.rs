//! Opening and working hours: weekly periods, exceptions of a date, holidays.
//!
//! A date's exception replaces everything else of that date; a holiday closes the day; else the weekly hours hold.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Weekday};
use serde::{Deserialize, Serialize};

use crate::intervals::merged;

/// Minutes of a civil day.
const DAY_MIN: u16 = 1440;

/// From one minute of a civil day, included, to another, excluded. 24:00 is allowed as an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period {
    opens_min: u16,
    closes_min: u16,
}

/// Why hours are not well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HoursError {
    /// Not `HH:MM`.
    #[error("invalid time of day `{text}`; expected HH:MM from 00:00 to 24:00")]
    Time {
        /// The text as given.
        text: String,
    },
    /// Not `HH:MM-HH:MM`.
    #[error("invalid period `{text}`; expected the form 09:00-12:00")]
    Period {
        /// The text as given.
        text: String,
    },
    /// Closes before it opens.
    #[error("the period {text} ends before it begins: a period lies within one day and ends at 24:00 at the latest")]
    Backwards {
        /// The text as given.
        text: String,
    },
    /// Two periods of one day share time.
    #[error("the periods {first} and {second} overlap")]
    Overlap {
        /// The earlier period.
        first: Period,
        /// The later period.
        second: Period,
    },
}

impl Period {
    /// A period from `opens_min` to `closes_min`, in minutes since local midnight.
    ///
    /// # Errors
    /// [`HoursError::Backwards`] if it is empty, ends before it begins, or ends after 24:00.
    pub fn new(opens_min: u16, closes_min: u16) -> Result<Self, HoursError> {
        let period = Self { opens_min, closes_min };
        if opens_min < closes_min && closes_min <= DAY_MIN {
            Ok(period)
        } else {
            Err(HoursError::Backwards { text: period.to_string() })
        }
    }

    /// When it begins, in minutes since local midnight.
    #[must_use]
    pub fn opens_min(&self) -> u16 {
        self.opens_min
    }

    /// When it ends, in minutes since local midnight; 1440 is the end of the day.
    #[must_use]
    pub fn closes_min(&self) -> u16 {
        self.closes_min
    }

    /// When it begins, as `HH:MM`.
    #[must_use]
    pub fn opens(&self) -> String {
        format_minute(self.opens_min)
    }

    /// When it ends, as `HH:MM`.
    #[must_use]
    pub fn closes(&self) -> String {
        format_minute(self.closes_min)
    }

    /// What both periods cover.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        Self::new(self.opens_min.max(other.opens_min), self.closes_min.min(other.closes_min)).ok()
    }
}

impl FromStr for Period {
    type Err = HoursError;

    fn from_str(text: &str) -> Result<Self, HoursError> {
        let Some((opens, closes)) = text.split_once('-') else {
            return Err(HoursError::Period { text: text.to_owned() });
        };
        let (opens, closes) = (parse_minute(opens.trim())?, parse_minute(closes.trim())?);
        Self::new(opens, closes).map_err(|_source| HoursError::Backwards { text: text.to_owned() })
    }
}

impl TryFrom<String> for Period {
    type Error = HoursError;

    fn try_from(text: String) -> Result<Self, HoursError> {
        text.parse()
    }
}

impl From<Period> for String {
    fn from(period: Period) -> String {
        period.to_string()
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.opens(), self.closes())
    }
}

/// Reads `HH:MM`, 00:00 to 24:00, as minutes since midnight.
///
/// # Errors
/// [`HoursError::Time`] for anything else.
pub fn parse_minute(text: &str) -> Result<u16, HoursError> {
    let refuse = || HoursError::Time { text: text.to_owned() };
    let (hour, minute) = text.split_once(':').ok_or_else(refuse)?;
    let well_formed = hour.len() == 2 && minute.len() == 2 && text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let (hour, minute) = match (hour.parse::<u16>(), minute.parse::<u16>()) {
        (Ok(hour), Ok(minute)) if well_formed && minute < 60 => (hour, minute),
        _ => return Err(refuse()),
    };
    Some(hour * 60 + minute).filter(|total| *total <= DAY_MIN).ok_or_else(refuse)
}

/// Minutes since midnight as `HH:MM`.
#[must_use]
pub fn format_minute(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// Puts the periods of one day in order.
///
/// # Errors
/// [`HoursError::Overlap`] if two of them share time. Periods that touch are kept apart.
pub fn in_order(mut periods: Vec<Period>) -> Result<Vec<Period>, HoursError> {
    periods.sort_unstable();
    for pair in periods.windows(2) {
        if let [first, second] = pair
            && second.opens_min < first.closes_min
        {
            return Err(HoursError::Overlap { first: *first, second: *second });
        }
    }
    Ok(periods)
}

/// The time that any of these periods covers: in order, and without touching.
#[must_use]
pub fn covered(periods: impl IntoIterator<Item = Period>) -> Vec<Period> {
    of_minutes(&merged(periods.into_iter().map(|one| (one.opens_min, one.closes_min)).collect()))
}

/// Minutes of a day as periods; what is none is left out.
#[must_use]
pub fn of_minutes(minutes: &[(u16, u16)]) -> Vec<Period> {
    minutes.iter().filter_map(|(from, to)| Period::new(*from, *to).ok()).collect()
}

/// Periods for each day of the week; a day without any is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeeklyHours {
    /// Monday first; each day in order and without overlap.
    days: [Vec<Period>; 7],
}

impl WeeklyHours {
    /// Sets the periods of a weekday.
    ///
    /// # Errors
    /// [`HoursError::Overlap`] if two of them share time.
    pub fn set(&mut self, weekday: Weekday, periods: Vec<Period>) -> Result<(), HoursError> {
        let periods = in_order(periods)?;
        if let Some(day) = self.days.get_mut(index(weekday)) {
            *day = periods;
        }
        Ok(())
    }

    /// The periods of a weekday, in order.
    #[must_use]
    pub fn on(&self, weekday: Weekday) -> &[Period] {
        self.days.get(index(weekday)).map_or(&[], Vec::as_slice)
    }

    /// Whether no day has a period.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.iter().all(Vec::is_empty)
    }
}

fn index(weekday: Weekday) -> usize {
    usize::try_from(weekday.to_monday_zero_offset()).unwrap_or_default()
}

/// What is different on one date. No periods means closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayException {
    /// The periods that replace the weekly ones, in order.
    pub periods: Vec<Period>,
    /// Why, for staff and customers.
    pub note: Option<String>,
}

/// The hours of a business or of a professional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// The usual week.
    pub weekly: WeeklyHours,
    /// What replaces it on certain dates.
    pub exceptions: BTreeMap<Date, DayException>,
    /// Dates that are closed, with the holiday's name. An exception of the date wins.
    pub holidays: BTreeMap<Date, String>,
}

impl Hours {
    /// The periods of a date, in order.
    #[must_use]
    pub fn on(&self, date: Date) -> &[Period] {
        match self.exceptions.get(&date) {
            Some(exception) => &exception.periods,
            None if self.holidays.contains_key(&date) => &[],
            None => self.weekly.on(date.weekday()),
        }
    }

    /// Whether no date has a period: nothing was ever registered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weekly.is_empty() && self.exceptions.values().all(|exception| exception.periods.is_empty())
    }

    /// Why a date is not like its weekday: the exception's note, or the holiday's name.
    #[must_use]
    pub fn note_on(&self, date: Date) -> Option<&str> {
        let exception = self.exceptions.get(&date).and_then(|exception| exception.note.as_deref());
        exception.or_else(|| self.holidays.get(&date).map(String::as_str))
    }
}

#[cfg(test)]
#[path = "hours_tests.rs"]
mod tests;
