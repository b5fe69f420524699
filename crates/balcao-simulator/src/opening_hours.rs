//! Opening hours as the oracles read them, apart from the program's own code: text such as `09:00-20:00`, and minutes of a day.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use serde_json::Value;

/// Hours of a day that replace the usual ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closing {
    pub(crate) date: &'static str,
    pub(crate) periods: &'static [&'static str],
}

/// What an owner may close: days for which customers have bookings. The periods of two of them end within a booking.
pub(crate) const CLOSINGS: [Closing; 3] = [
    Closing { date: "2026-11-24", periods: &["09:00-10:15", "13:00-20:00"] },
    Closing { date: "2026-11-24", periods: &[] },
    Closing { date: "2026-11-26", periods: &["09:00-16:15"] },
];

/// The usual week of the business, Monday first.
pub(crate) const WEEK: [&[&str]; 7] =
    [&["13:00-20:00"], &["09:00-20:00"], &["09:00-20:00"], &["09:00-20:00"], &["09:00-21:00"], &["08:00-17:00"], &[]];

/// The local date of a booking of one day, and its minutes of that day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalSpan {
    pub(crate) date: Date,
    from: i32,
    to: i32,
}

impl LocalSpan {
    /// The local time of a span. The zone of the businesses has had no daylight-saving time since 2019.
    pub(crate) fn local(starts: Timestamp, ends: Timestamp) -> Self {
        let zone = TimeZone::fixed(Offset::constant(-3));
        let (starts, ends) = (zone.to_datetime(starts), zone.to_datetime(ends));
        let minute = |hour: i8, minute: i8| i32::from(hour) * 60 + i32::from(minute);
        let from = minute(starts.hour(), starts.minute());
        let to = minute(ends.hour(), ends.minute());
        Self { date: starts.date(), from, to: if ends.date() > starts.date() { to + 1_440 } else { to } }
    }

    /// The day of the week: Monday is 0.
    pub(crate) fn weekday(self) -> usize {
        usize::try_from(self.date.weekday().to_monday_zero_offset()).unwrap_or_default()
    }

    /// Whether one of these periods holds all of it.
    pub(crate) fn is_within<'a>(self, periods: impl IntoIterator<Item = &'a str>) -> bool {
        periods.into_iter().filter_map(minutes).any(|(opens, closes)| opens <= self.from && self.to <= closes)
    }

    /// Whether the usual week holds all of it.
    pub(crate) fn is_within_week(self) -> bool {
        self.is_within(WEEK.get(self.weekday()).into_iter().flat_map(|periods| periods.iter().copied()))
    }
}

/// The texts of a list of periods.
pub(crate) fn texts(periods: &Value) -> impl Iterator<Item = &str> {
    periods.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn minutes(period: &str) -> Option<(i32, i32)> {
    let minute = |time: &str| {
        let (hour, minute) = time.split_once(':')?;
        Some(hour.parse::<i32>().ok()? * 60 + minute.parse::<i32>().ok()?)
    };
    let (opens, closes) = period.split_once('-')?;
    Some((minute(opens)?, minute(closes)?))
}
