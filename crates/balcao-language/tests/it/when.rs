//! Dates, times, both together, and their spans.
//!
//! The functions of the source that count are its parsers of what a front desk is asked for: `Date`, `Time`, `DateTime`,
//! `Holiday`, `DatePeriod`, `TimePeriod` and `DateTimePeriod`, in their future resolution, for a booking lies ahead. They
//! hold whatever at least one of the source's four programs reads. Left out: extractors (the same texts without values),
//! durations and recurring sets (no date or time). The merged model is in [`super::model`]; of both together four of five are read alike.
//!
//! Seasons are left out too: the source gives them no days.
//!
//! How readings are compared: seconds do not exist at a front desk. The source ends whole weeks and months a day later than
//! we do. An hour that says it was taken for the afternoon is also right if the morning's was meant: the source's own
//! model lists both. It has to say so: nothing is guessed silently.

use balcao_language::{DateSpan, Period, TimeReading, find_dates, find_times};
use jiff::{
    ToSpan,
    civil::{Date, DateTime, Time},
};
use serde_json::Value;

use crate::{cases, supported};

pub(crate) struct Case<'a> {
    text: &'a str,
    today: Date,
    /// The future resolution.
    want: &'a Value,
}

fn singles(cases: &[Value]) -> Vec<Case<'_>> {
    let valued =
        |result: &Value| result["Value"]["FutureResolution"].as_object().is_some_and(|value| !value.is_empty());
    let single = |case: &&Value| {
        supported(case) && case["Results"].as_array().is_some_and(|results| results.len() == 1 && valued(&results[0]))
    };
    let read = |case| -> Case<'_> {
        let case: &Value = case;
        let reference = case["Context"]["ReferenceDateTime"].as_str().unwrap_or("2016-11-07T00:00:00");
        Case {
            text: case["Input"].as_str().unwrap(),
            today: reference.parse::<DateTime>().unwrap().date(),
            want: &case["Results"][0]["Value"]["FutureResolution"],
        }
    };
    cases.iter().filter(single).map(read).collect()
}

/// The one day or span that the text names.
fn span(case: &Case<'_>) -> Option<(Date, Date)> {
    let found = find_dates(case.text, case.today);
    match found.as_slice() {
        [only] => match only.reading {
            Ok(DateSpan::Day(date)) => Some((date, date)),
            Ok(DateSpan::Range { first, last }) => Some((first, last)),
            Err(_) => None,
        },
        _ => None,
    }
}

fn is_day(case: &Case<'_>, want: Date) -> bool {
    span(case) == Some((want, want))
}

fn minute(time: Time) -> Time {
    time.with().second(0).build().unwrap()
}

fn is_time(case: &Case<'_>, want: Time) -> bool {
    let found = find_times(case.text);
    matches!(found.as_slice(), [only] if fits_time(&only.reading, want))
}

pub(crate) fn fits_time(found: &TimeReading, want: Time) -> bool {
    match found {
        TimeReading::At { time, assumed_pm, .. } => {
            let earlier = time.checked_sub(12.hours()).ok().filter(|_| *assumed_pm);
            *time == minute(want) || earlier == Some(minute(want))
        }
        TimeReading::Window(_) => false,
    }
}

fn is_window(case: &Case<'_>, from: Time, until: Time) -> bool {
    let found = find_times(case.text);
    matches!(found.as_slice(), [only] if fits_window(&only.reading, from, until))
}

pub(crate) fn fits_window(found: &TimeReading, from: Time, until: Time) -> bool {
    let TimeReading::Window(window) = found else { return false };
    match window.period {
        Some(period) => named(from) == Some(period),
        None => window.from == minute(from) && window.until == minute(until),
    }
}

/// The part of the day that begins at this hour in the source.
fn named(from: Time) -> Option<Period> {
    match from.hour() {
        4 => Some(Period::Night),
        8 => Some(Period::Morning),
        16 => Some(Period::Afternoon),
        20 => Some(Period::Evening),
        _ => None,
    }
}

fn text<T: std::str::FromStr>(want: &Value, key: &str) -> Option<T> {
    want[key].as_str().and_then(|value| value.replace(' ', "T").parse().ok())
}

fn date_fits(case: &Case<'_>) -> bool {
    text(case.want, "date").is_some_and(|want| is_day(case, want))
}

fn time_fits(case: &Case<'_>) -> bool {
    text(case.want, "time").is_some_and(|want| is_time(case, want))
}

fn date_time_fits(case: &Case<'_>) -> bool {
    text(case.want, "dateTime").is_some_and(|want: DateTime| is_day(case, want.date()) && is_time(case, want.time()))
}

fn date_period_fits(case: &Case<'_>) -> bool {
    let ends = text(case.want, "startDate").zip(text(case.want, "endDate"));
    ends.is_some_and(|(first, end): (Date, Date)| {
        span(case).is_some_and(|(from, to)| from == first && (to == end || to.tomorrow().unwrap() == end))
    })
}

fn time_period_fits(case: &Case<'_>) -> bool {
    let ends = text(case.want, "startTime").zip(text(case.want, "endTime"));
    ends.is_some_and(|(from, until)| is_window(case, from, until))
}

fn date_time_period_fits(case: &Case<'_>) -> bool {
    let ends = text(case.want, "startDateTime").zip(text(case.want, "endDateTime"));
    ends.is_some_and(|(from, until): (DateTime, DateTime)| {
        is_day(case, from.date()) && is_window(case, from.time(), until.time())
    })
}

pub(crate) type Parser = (&'static str, fn(&Case<'_>) -> bool, (usize, usize));

/// The parser of the source, how a case of it is judged, and how many are read alike of how many.
pub(crate) const PARSERS: [Parser; 7] = [
    // Both missed ones name a weekday that their date does not have: a problem here, a date there.
    ("Date", date_fits, (31, 33)),
    ("Time", time_fits, (21, 23)),
    // None of the missed ones is a clock time: "agora", "ao final do dia".
    ("DateTime", date_time_fits, (24, 30)),
    // Fathers' day is in August here, and nobody asks for Yuandan.
    ("Holiday", date_fits, (5, 7)),
    // One has a weekday that its date does not have; "o último setembro" has two answers.
    ("DatePeriod", date_period_fits, (22, 24)),
    // "Depois do meio-dia" ends with the day here.
    ("TimePeriod", time_period_fits, (8, 10)),
    // The missed ones count hours from now, span several days, or are bare numbers ("de cinco a sete hoje").
    ("DateTimePeriod", date_time_period_fits, (8, 15)),
];

#[test]
fn four_of_five_dates_and_times_are_read_alike() {
    let (mut all_alike, mut all) = (0, 0);
    let mut falls = Vec::new();
    for (parser, fits, pinned) in PARSERS {
        let Some(cases) = cases(&format!("DateTime/{parser}Parser.json")) else { return };
        let singles = singles(&cases);
        let missed: Vec<_> = singles.iter().filter(|case| !fits(case)).map(|case| case.text).collect();
        let alike = (singles.len() - missed.len(), singles.len());
        eprintln!("{parser}: {} of {} alike; missed: {missed:#?}", alike.0, alike.1);
        (all_alike, all) = (all_alike + alike.0, all + alike.1);
        if alike != pinned {
            falls.push((parser, alike, pinned));
        }
    }
    eprintln!("dates and times: {all_alike} of {all} alike");
    assert!(falls.is_empty(), "not as written down: {falls:?}");
    assert!(all_alike * 5 >= all * 4, "{all_alike} of {all}");
}

/// Whatever day we read, the source's day has the same weekday, where it names one.
#[test]
fn no_date_is_read_on_another_weekday() {
    let Some(cases) = cases("DateTime/DateParser.json") else { return };
    for case in singles(&cases) {
        let Some(want) = text::<Date>(case.want, "date") else { continue };
        if let Some((first, last)) = span(&case).filter(|(first, last)| first == last) {
            assert_eq!((first.weekday(), last), (want.weekday(), want), "{}", case.text);
        }
    }
}
