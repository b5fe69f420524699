//! People who want a slot that is taken.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::hours::Period;
use crate::ids::{ContactId, ProfessionalId, ServiceId, WaitlistId};

/// Part of a day, as customers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayPeriod {
    /// Until noon.
    Morning,
    /// From noon to 18:00.
    Afternoon,
    /// From 18:00 on.
    Evening,
}

impl DayPeriod {
    /// Every part of the day.
    pub const ALL: [Self; 3] = [Self::Morning, Self::Afternoon, Self::Evening];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Morning => "morning",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
        }
    }

    /// The part of the day of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.as_str() == word)
    }

    /// Whether a start at that minute since local midnight lies in it.
    #[must_use]
    pub const fn contains_minute(self, minute: u16) -> bool {
        match self {
            Self::Morning => minute < 720,
            Self::Afternoon => 720 <= minute && minute < 1080,
            Self::Evening => 1080 <= minute,
        }
    }
}

/// A place on the waitlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitlistEntry {
    /// Its id; entries are served in order of it.
    pub id: WaitlistId,
    /// Who waits.
    pub contact: ContactId,
    /// For which local date.
    pub date: Date,
    /// The professional, or none for any.
    pub professional: Option<ProfessionalId>,
    /// For what, or for anything.
    pub service: Option<ServiceId>,
    /// For which part of the day, or for any.
    pub period: Option<DayPeriod>,
}

impl WaitlistEntry {
    /// Whether a slot freed on `date`, of `professional`, at `period` of that day would serve this entry.
    ///
    /// A service wanted is compared with nothing here: whether it fits is for the availability rule.
    #[must_use]
    pub fn wants(&self, date: Date, professional: ProfessionalId, freed: Period) -> bool {
        self.date == date
            && self.professional.is_none_or(|wanted| wanted == professional)
            && self.period.is_none_or(|part| part.contains_minute(freed.opens_min()))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_day_has_three_parts_without_a_gap() {
        for (minute, part) in [
            (0, DayPeriod::Morning),
            (719, DayPeriod::Morning),
            (720, DayPeriod::Afternoon),
            (1_079, DayPeriod::Afternoon),
            (1_080, DayPeriod::Evening),
            (1_439, DayPeriod::Evening),
        ] {
            for one in DayPeriod::ALL {
                assert_eq!(one.contains_minute(minute), one == part, "{one:?} {minute}");
            }
        }
    }

    #[test]
    fn a_freed_slot_is_wanted_by_day_professional_and_part_of_the_day() {
        let professional = |id: i64| ProfessionalId::try_from(id).unwrap();
        let entry = WaitlistEntry {
            id: WaitlistId::try_from(1).unwrap(),
            contact: ContactId::try_from(1).unwrap(),
            date: date(2026, 11, 27),
            professional: Some(professional(1)),
            service: None,
            period: Some(DayPeriod::Afternoon),
        };
        let freed: Period = "15:00-15:30".parse().unwrap();
        assert!(entry.wants(date(2026, 11, 27), professional(1), freed));
        assert!(!entry.wants(date(2026, 11, 28), professional(1), freed));
        assert!(!entry.wants(date(2026, 11, 27), professional(2), freed));
        assert!(!entry.wants(date(2026, 11, 27), professional(1), "09:00-09:30".parse().unwrap()));
        let open = WaitlistEntry { professional: None, period: None, ..entry };
        assert!(open.wants(date(2026, 11, 27), professional(2), "09:00-09:30".parse().unwrap()));
    }
}
